import { numberJson } from '../../contract/json.js';
import type { MappedField } from '../../reconcile/csv/mapping.js';
import type { SettlementLine } from '../../reconcile/line.js';
import type { GuessedMap } from '../../reconcile/map-file.js';
import { amountCell, formatAmount } from '../../contract/amount-format.js';
import { type Line, toned } from '../lines.js';
import type { ListView } from '../rows.js';

/** What is asked for where no column has a usual name. */
export const columnQuestions: Readonly<Partial<Record<MappedField, string>>> = {
  amount: 'the amount',
  currency: 'the currency',
  providerReference: "the provider's reference",
  operationId: 'the id of a capture or an authorisation',
  reference: 'your own reference',
};

/** The mapping, and what a person should look at twice. */
export function guessedLines({ text, notes, problems }: GuessedMap): Line[] {
  return [
    ...text
      .trimEnd()
      .split('\n')
      .map((line) => toned(line.startsWith('#') ? 'dim' : undefined, line)),
    '',
    ...notes.map((note) => toned('waiting', note)),
    ...problems.map(({ line, problem }) => toned('bad', `line ${line}: ${problem}`)),
    ...(notes.length + problems.length > 0 ? [''] : []),
  ];
}

const text = (key: 'kind' | 'at' | 'providerReference' | 'operationId' | 'reference', title: string) => ({
  key,
  title,
  value: (line: SettlementLine) => line[key] ?? '',
});

/** Amounts are numbers in JSON. */
export const sampleJson = (line: SettlementLine) => ({
  ...line,
  amount: numberJson(line.amount),
  ...(line.fee === undefined ? {} : { fee: numberJson(line.fee) }),
});

export const sampleList: ListView<SettlementLine> = {
  empty: 'The mapping reads none of the first lines.',
  columns: [
    { key: 'line', align: 'right', number: true, value: ({ line }) => String(line) },
    text('kind', 'kind'),
    {
      key: 'amount',
      align: 'right',
      number: true,
      value: ({ amount, currency }) => amountCell(amount, currency),
      shown: ({ amount, currency }) => formatAmount(amount, currency),
    },
    { key: 'currency', extra: 'terminal', value: ({ currency }) => currency },
    { key: 'fee', align: 'right', number: true, value: ({ fee }) => fee ?? '' },
    { ...text('at', 'at'), spare: 1 },
    text('providerReference', 'provider'),
    { ...text('operationId', 'operation'), spare: 1 },
    text('reference', 'reference'),
  ],
};
