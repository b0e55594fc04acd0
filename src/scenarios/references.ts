// ${name} and ${name.field} in the texts of a scenario.

import { scalarText, type JsonValue } from '../contract/json.js';

const REFERENCE = /\$\{([\w.-]*)\}/g;

/** The names that a text refers to, each without its fields. */
export function referencesIn(text: string): string[] {
  return Array.from(text.matchAll(REFERENCE), ([, path]) => (path as string).split('.', 1)[0] as string);
}

/** What a name stands for; `field` is what follows its first dot. */
type Lookup = (name: string, field: string | undefined) => JsonValue | undefined;

/** Replaces every reference that `lookup` knows. A text that is one reference takes the type of its value. */
export function replaceReferences<T>(value: T, lookup: Lookup): T {
  if (typeof value === 'string') return replaceIn(value, lookup) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => replaceReferences(item, lookup)) as T;
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, replaceReferences(inner, lookup)]);
  return Object.fromEntries(entries) as T;
}

function replaceIn(text: string, lookup: Lookup): unknown {
  const find = (path: string): JsonValue | undefined => {
    const dot = path.indexOf('.');
    return dot < 0 ? lookup(path, undefined) : lookup(path.slice(0, dot), path.slice(dot + 1));
  };
  const whole = /^\$\{([\w.-]*)\}$/.exec(text)?.[1];
  if (whole !== undefined) return find(whole) ?? text;
  return text.replaceAll(REFERENCE, (written, path: string) => {
    const found = find(path);
    return found === undefined ? written : referenceText(found);
  });
}

export function referenceText(value: JsonValue | undefined): string {
  return scalarText(value) ?? JSON.stringify(value) ?? '';
}
