import * as z from 'zod/mini';

/** A schema with what the documents say of it, and nothing said of the one that it was made from. */
export function described<T extends z.ZodMiniType>(schema: T, meta: Record<string, unknown>): T {
  const copy = schema.clone();
  z.globalRegistry.add(copy, meta);
  return copy;
}
