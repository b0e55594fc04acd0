// Reads answers of the service, whatever their shape: a view shows what is there and never falls over the rest.

import { isJsonNumber, isJsonObject, numberText } from '../contract/json.js';
import { isStateName, states } from '../contract/states.js';
import { type Piece, toned } from './lines.js';
import { safeJson } from './text.js';

/** The value at a path, or undefined as soon as the path ends. */
export function valueAt(value: unknown, ...path: string[]): unknown {
  let current = value;
  for (const key of path) {
    if (!isJsonObject(current) || !Object.hasOwn(current, key)) return undefined;
    current = current[key];
  }
  return current ?? undefined;
}

/** Any JSON value as text, numbers as they were written; nothing is the empty text. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (isJsonNumber(value)) return numberText(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return safeJson(value);
}

export function textAt(value: unknown, ...path: string[]): string {
  return textOf(valueAt(value, ...path));
}

/** A state in its colour; one that we do not know is shown as it is, without one. */
export function statePiece(name: string): Piece {
  const tone = isStateName(name) ? states[name].tone : undefined;
  return toned(tone === 'neutral' ? 'dim' : tone, name);
}
