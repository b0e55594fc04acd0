// Where a database is: `:memory:`, a file, or the address of a PostgreSQL server.

export const isPostgresUrl = (location: string): boolean => /^postgres(ql)?:\/\//i.test(location);

/** For people to read: without the user and the password. */
export function withoutPassword(location: string): string {
  if (!isPostgresUrl(location) || !URL.canParse(location)) return location;
  const url = new URL(location);
  url.username = '';
  url.password = '';
  return url.href;
}
