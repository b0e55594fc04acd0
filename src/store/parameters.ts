/**
 * Parameters that both engines store alike. node:sqlite takes an object in first place for named parameters and then
 * stores NULL without a word, and NaN as NULL anywhere; pg turns objects into JSON and dates into local time. PostgreSQL
 * has no NUL in text, so it becomes U+FFFD, as both drivers make of half a character.
 */
export function storableParameters(sql: string, parameters: readonly unknown[]): readonly unknown[] {
  checkParameters(sql, parameters);
  const hasNul = parameters.some((value) => typeof value === 'string' && value.includes('\0'));
  if (!hasNul) return parameters;
  return parameters.map((value) => (typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value));
}

function checkParameters(sql: string, parameters: readonly unknown[]): void {
  for (let index = 0; index < parameters.length; index++) {
    const value = parameters[index];
    if (value === null || typeof value === 'string' || typeof value === 'bigint') continue;
    if (typeof value === 'number' && Number.isFinite(value)) continue;
    if (value instanceof Uint8Array) continue;
    throw new TypeError(
      `Parameter ${index + 1} is ${describe(value)}, but a database takes text, finite numbers, bigints, bytes and null. ` +
        `Convert it first (a date to milliseconds, an object to JSON text). Statement: ${sql.slice(0, 200)}`,
    );
  }
}

function describe(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null) return typeof value;
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
  return typeof name === 'string' ? `an object (${name})` : 'an object';
}
