import * as z from 'zod/mini';

export type Json = Record<string, unknown>;

const COMPONENTS = '#/components/schemas/';

/** The schemas of a document, each under its name. A schema that others refer to comes along. */
export function createSchemaList() {
  const schemas: Json = {};
  const sorted = (): Json =>
    Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1)));

  /** Lists a schema that has an id, and refers to it; any other one is given in place. */
  function use(schema: z.ZodMiniType, io: 'input' | 'output'): Json {
    const { $schema: _, $defs, ...own } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
    for (const [name, definition] of Object.entries(($defs as Json | undefined) ?? {})) {
      schemas[name] = portable(definition);
    }
    const id = z.globalRegistry.get(schema)?.id;
    if (id === undefined) return portable(own) as Json;
    schemas[id] ??= portable(own);
    return { $ref: COMPONENTS + id };
  }

  return { sorted, use };
}

export type UseSchema = ReturnType<typeof createSchemaList>['use'];

/** The same schema for each media type. */
export function contentOf(schema: Json, mediaTypes: readonly string[] = ['application/json']): Json {
  return Object.fromEntries(mediaTypes.map((name) => [name, { schema }]));
}

export function queryParameters(
  query: z.ZodMiniType | undefined,
  use: UseSchema,
  descriptions: Readonly<Record<string, string>> = {},
): Json[] {
  if (!query) return [];
  const { properties } = use(query, 'input') as { properties: Record<string, Json> };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    description: descriptions[name],
    schema,
  }));
}

const SAFE = Number.MAX_SAFE_INTEGER;

/** Python and Go know no `\p{…}` of this kind: the same characters, spelled out as far as all engines can. */
const VISIBLE =
  '^[^\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff]*$';

/** Without what only zod needs, so that every validator and generator can read it. */
function portable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(portable);
  if (value === null || typeof value !== 'object') return value;
  const { id, ...schema } = value as Json;
  if (typeof id === 'object') schema.id = id;
  if (schema.minimum === -SAFE) delete schema.minimum;
  if (schema.maximum === SAFE) delete schema.maximum;
  if (schema.type === 'integer') schema.format ??= 'int64';
  if (schema.format === 'date-time') delete schema.pattern;
  if (typeof schema.pattern === 'string' && schema.pattern.includes('\\p{')) schema.pattern = VISIBLE;
  if (typeof schema.$ref === 'string') schema.$ref = schema.$ref.replace('#/$defs/', COMPONENTS);
  return Object.fromEntries(Object.entries(schema).map(([key, inner]) => [key, portable(inner)]));
}
