import { invalidField } from '../../../domain/refusal.js';
import { BadValue } from '../../../../typed-values.js';

/** A value as the desk reads it; what is wrong with it in the same words. */
export function readTyped<T>(field: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof BadValue) throw invalidField(field, `cannot be used: ${error.message}`);
    throw error;
  }
}
