import { Refusal } from '../domain/refusal.js';

/** A whole number in the path; anything else names nothing. */
export function integer<Name extends string>(parameters: Readonly<Record<Name, string>>, name: Name): number {
  const text = parameters[name];
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) {
    throw new Refusal('not-found', `${name} is a whole number, not "${text}".`);
  }
  return value;
}
