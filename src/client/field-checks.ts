// Whether a value has the type that the contract says. zod says the same and takes several times as long, which counts
// where payments are read by the million.

import * as z from 'zod/mini';
import { isJsonObject } from '../contract/json.js';

export type FieldCheck = (value: unknown) => boolean;

type Definition = z.core.$ZodTypes['_zod']['def'];

export function checksOf(
  shape: Readonly<Record<string, z.core.$ZodType>>,
): Array<[name: string, fits: FieldCheck]> {
  return Object.entries(shape).map(([name, schema]) => [name, checkOf(schema)]);
}

/** For schemas that take a value or refuse it, and never change it. What is more than a type is left to zod. */
function checkOf(schema: z.core.$ZodType): FieldCheck {
  const { def } = schema as unknown as { def: Definition };
  const isOnlyType = def.checks === undefined || def.checks.length === 0;
  if (def.type === 'optional') {
    const fits = checkOf(def.innerType);
    return (value) => value === undefined || fits(value);
  }
  if (def.type === 'object' && isOnlyType) {
    const fields = checksOf(def.shape);
    return (value) => isJsonObject(value) && fields.every(([name, fits]) => fits(value[name]));
  }
  if (def.type === 'string' && isOnlyType && !('format' in def)) return (value) => typeof value === 'string';
  if (def.type === 'boolean' && isOnlyType) return (value) => typeof value === 'boolean';
  if (def.type === 'number' && isOnlyType && 'format' in def && def.format === 'safeint')
    return Number.isSafeInteger;
  if (def.type === 'custom' && isOnlyType) return (value) => Boolean(def.fn(value));
  return (value) => z.safeParse(schema, value).success;
}
