import { randomBytes } from 'node:crypto';
import type { CommandTemplate } from './commands.js';

/** The result of a button, for the page that follows. */
export interface ActionResult {
  tone: 'good' | 'bad';
  /** The name of what was changed, in front of the text. */
  about?: string;
  text: string;
  /** What would have done the same. */
  command?: CommandTemplate;
  /** The form that was refused, to be shown again as it was. */
  form?: TypedForm;
}

/** What a form said, and what is wrong with it, by the name of the field. */
export interface TypedForm {
  /** Where it was sent. */
  path: string;
  values: Readonly<Record<string, string>>;
  errors: Readonly<Record<string, string>>;
}

export interface Results {
  /** Returns the name under which the page finds it. */
  keep(result: ActionResult): string;
  find(name: string | undefined): ActionResult | undefined;
}

const MAX_RESULTS = 100;

/** Kept here and not in the address: a link that somebody made up must not be able to say that something was done. */
export function createResults(): Results {
  const kept = new Map<string, ActionResult>();
  return {
    keep(result) {
      const name = randomBytes(9).toString('base64url');
      kept.set(name, result);
      const [oldest] = kept.keys();
      if (kept.size > MAX_RESULTS && oldest !== undefined) kept.delete(oldest);
      return name;
    },
    find: (name) => (name === undefined ? undefined : kept.get(name)),
  };
}
