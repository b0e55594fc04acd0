/** Variables as the process has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What a program that we start gets: everything but our own settings, which may hold a key or a password. */
export function childEnvironment(env: Environment, keep: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && (!isOurs(entry[0]) || keep.includes(entry[0])),
    ),
  );
}

/** For what can only be started with the environment of this process: our settings are put back afterwards. */
export async function withoutOurSettings<T>(
  env: Record<string, string | undefined>,
  start: () => Promise<T>,
): Promise<T> {
  const ours = Object.entries(env).filter(([name]) => isOurs(name));
  for (const [name] of ours) delete env[name];
  try {
    return await start();
  } finally {
    Object.assign(env, Object.fromEntries(ours));
  }
}

// Windows has no case in the names of variables.
const isOurs = (name: string): boolean => name.toUpperCase().startsWith('PAYDESK_');
