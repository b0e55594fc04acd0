// Whether a value has the type that the contract says. zod says the same and takes several times as long, which counts
// where payments are read by the million.

import type { FieldType, FieldTypes } from '../contract/answer-fields.js';
import { isJsonNumber, isJsonObject } from '../contract/json.js';

type FieldCheck = (value: unknown) => boolean;

/** A field that is not there fits. */
export const checksOf = (types: FieldTypes): Array<[name: string, fits: FieldCheck]> =>
  Object.entries(types).map(([name, type]) => {
    const fits = checkOf(type);
    return [name, (value) => value === undefined || fits(value)];
  });

const plainChecks = {
  text: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isSafeInteger,
  number: isJsonNumber,
} as const satisfies Record<string, FieldCheck>;

function checkOf(type: FieldType): FieldCheck {
  if (typeof type === 'string') return plainChecks[type];
  const fields = checksOf(type);
  return (value) => isJsonObject(value) && fields.every(([name, fits]) => fits(value[name]));
}
