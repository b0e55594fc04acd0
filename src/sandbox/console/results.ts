import { randomBytes } from 'node:crypto';

/** What became of a button that was pressed, for the page that follows. */
export interface Result {
  tone: 'good' | 'bad';
  text: string;
  /** What would have done the same. */
  command?: string;
}

export interface Results {
  /** Returns the name under which the page finds it. */
  keep(result: Result): string;
  find(name: string | undefined): Result | undefined;
}

const KEPT = 100;

/** Kept here and not in the address: a link that somebody made up must not be able to say that something was done. */
export function createResults(): Results {
  const kept = new Map<string, Result>();
  return {
    keep(result) {
      const name = randomBytes(9).toString('base64url');
      kept.set(name, result);
      const [oldest] = kept.keys();
      if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
      return name;
    },
    find: (name) => (name === undefined ? undefined : kept.get(name)),
  };
}
