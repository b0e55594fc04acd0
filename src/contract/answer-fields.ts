import type * as z from 'zod/mini';
import { customer, paymentMethod } from './customer.js';
import { isJsonNumber } from './json.js';
import { payment } from './payment.js';

/** What a field of an answer holds when it is there: a plain value, or an object with fields of its own. */
export type FieldType = 'text' | 'boolean' | 'integer' | 'number' | FieldTypes;
export interface FieldTypes {
  readonly [name: string]: FieldType;
}

/** Data alone: the build puts it in place of this module, so that reading an answer does not load zod. */
export const answerFields = {
  payment: typesOf(payment),
  customer: typesOf(customer),
  paymentMethod: typesOf(paymentMethod),
};

type Definition = z.core.$ZodTypes['_zod']['def'];

function typesOf({ shape }: { shape: Readonly<Record<string, z.core.$ZodType>> }): FieldTypes {
  return Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => {
      const { def } = schema as unknown as { def: Definition };
      const type = def.type === 'optional' ? typeOf(def.innerType) : undefined;
      if (type === undefined)
        throw new Error(`The contract asks more of the answered field ${name} than its type.`);
      return [name, type];
    }),
  );
}

function typeOf(schema: z.core.$ZodType): FieldType | undefined {
  const { def } = schema as unknown as { def: Definition };
  if (def.checks !== undefined && def.checks.length > 0) return undefined;
  if (def.type === 'object') return typesOf(def);
  if (def.type === 'string' && !('format' in def)) return 'text';
  if (def.type === 'boolean') return 'boolean';
  if (def.type === 'number' && 'format' in def && def.format === 'safeint') return 'integer';
  if (def.type === 'custom' && def.fn === isJsonNumber) return 'number';
  return undefined;
}
