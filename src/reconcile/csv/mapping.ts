// How the columns of a provider's CSV are read: a small YAML file, written once per provider.

import * as z from 'zod/mini';
import { counted } from '../../contract/amount-format.js';
import { UsageError } from '../../errors.js';
import { type FileProblem, parseYaml } from '../../yaml/positions.js';
import { issueProblems, required, strictMapping } from '../../yaml/schema.js';
import { datePattern } from './dates.js';

/** The columns that name the payment. One of them must be there. */
export const namingFields = ['providerReference', 'operationId', 'reference'] as const;
const otherFields = [
  'at',
  'kind',
  'amount',
  'debit',
  'credit',
  'direction',
  'status',
  'currency',
  'fee',
] as const;
export const mappedFields = [...otherFields, ...namingFields] as const;
export type MappedField = (typeof mappedFields)[number];

const text = z.string({ error: required('text') }).check(z.minLength(1, 'must not be empty'));
/** YAML reads some words as other things than text: 1, true. */
const word = z.pipe(
  z.union([text, z.number(), z.boolean()], { error: required('text') }),
  z.transform((value) => String(value)),
);
const words = z.array(word, { error: required('a list, for example [SALE, PAYMENT]') });

/** A line may have no status. */
const status = z.pipe(
  z.union([z.string(), z.number(), z.boolean()], { error: required('text') }),
  z.transform((value) => String(value)),
);

const columns = strictMapping(
  Object.fromEntries(mappedFields.map((field) => [field, z.optional(word)])) as Record<
    MappedField,
    z.ZodMiniOptional<typeof word>
  >,
).check(
  z.refine(
    ({ amount, debit, credit }) =>
      amount === undefined ? debit !== undefined && credit !== undefined : !debit && !credit,
    'need either amount, or both debit and credit',
  ),
  z.refine(
    (given) => namingFields.some((field) => given[field] !== undefined),
    `need one of ${namingFields.join(', ')}`,
  ),
);

const schema = strictMapping({
  columns,
  decimal: z.optional(z.enum(['point', 'comma'], { error: required('point or comma') })),
  date: z.optional(
    text.check(
      z.refine((value) => datePattern(value) !== undefined, 'must be iso or a pattern such as DD.MM.YYYY'),
    ),
  ),
  currency: z.optional(
    z
      .string({ error: required('three capital letters') })
      .check(z.regex(/^[A-Z]{3}$/, 'must be three capital letters, for example EUR')),
  ),
  kinds: z.optional(z.record(z.string(), words, { error: required('a mapping') })),
  directions: z.optional(strictMapping({ in: words, out: words })),
  statuses: z.optional(z.array(status, { error: required('a list, for example [settled, paid]') })),
  signs: z.optional(
    strictMapping({
      outgoing: z.optional(words),
      fee: z.optional(z.enum(['positive', 'negative'], { error: required('positive or negative') })),
    }),
  ),
}).check(
  z.refine((mapping) => mapping.columns.currency !== undefined || mapping.currency !== undefined, {
    path: ['columns'],
    message: 'need currency, or write currency: EUR beside them',
  }),
  z.refine((mapping) => (mapping.columns.direction === undefined) === (mapping.directions === undefined), {
    path: ['columns'],
    message: 'and directions go together: columns.direction names the column, directions its words',
  }),
  z.refine((mapping) => (mapping.columns.status === undefined) === (mapping.statuses === undefined), {
    path: ['columns'],
    message: 'and statuses go together: columns.status names the column, statuses the words that count',
  }),
);

/** As a file has it. */
type MappingInput = z.infer<typeof schema>;

/** With everything that a file may leave out. */
export type Mapping = ReturnType<typeof withDefaults>;

const withDefaults = ({ decimal, date, kinds, signs, ...rest }: MappingInput) => ({
  ...rest,
  decimal: decimal ?? 'point',
  date: date ?? 'iso',
  kinds: kinds ?? {},
  signs: { outgoing: signs?.outgoing ?? [], fee: signs?.fee ?? 'positive' },
});

/** Whether a column says of each line that money was returned. Without one, only the sign of an amount can. */
export const tellsRefunds = ({ columns }: Pick<MappingInput, 'columns'>): boolean =>
  columns.kind !== undefined || columns.direction !== undefined || columns.amount === undefined;

/** Refuses a mapping with everything that is wrong with it, by line and column. */
export function parseMapping(file: string, source: string): Mapping {
  const yaml = parseYaml(source);
  const parsed = schema.safeParse(yaml.value);
  const problems =
    yaml.problems.length > 0
      ? yaml.problems
      : parsed.success
        ? []
        : parsed.error.issues.flatMap((issue) => issueProblems(issue, yaml));
  if (parsed.success && problems.length === 0) return withDefaults(parsed.data);
  throw badMapping(file, problems);
}

function badMapping(file: string, problems: readonly FileProblem[]): UsageError {
  return new UsageError(
    `The mapping cannot be used: ${counted(problems.length, 'problem')}. Nothing was read.`,
    {
      code: 'bad-mapping',
      details: problems
        .toSorted((one, other) => one.line - other.line || one.column - other.column)
        .map(({ line, column, problem }) => ({ input: `${file}:${line}:${column}`, problem })),
    },
  );
}
