// Exact totals per currency and kind: what the file has, what matched, and what did not.

import { createSum, type ExactSum } from '../contract/exact.js';
import type { SettlementLine } from './line.js';

interface Sum {
  lines: number;
  amount: string;
}

export interface TotalRow {
  currency: string;
  kind: string;
  file: Sum;
  matched: Sum;
  exceptions: Sum;
  /** Of other kinds, such as payouts, that name no payment. */
  unrelated: Sum;
  /** What the provider keeps by the file. */
  fees: string;
}

const groups = ['file', 'matched', 'exceptions', 'unrelated'] as const;
type TallyGroup = (typeof groups)[number];

export interface SettlementTally {
  /** Adds one line, or the sum of several. */
  add(
    group: TallyGroup,
    line: Pick<SettlementLine, 'currency' | 'kind' | 'amount' | 'fee'>,
    lines?: number,
  ): void;
  count(group: TallyGroup): number;
  rows(): TotalRow[];
  /** The parts come to what the file has, to the last cent and line. */
  balances(): boolean;
}

type Running = Record<TallyGroup, { lines: number; sum: ExactSum }> & { fees: ExactSum };

export function createSettlementTally(): SettlementTally {
  const sums = new Map<string, Map<string, Running>>();

  function sumOf(currency: string, kind: string): Running {
    let kinds = sums.get(currency);
    if (kinds === undefined) sums.set(currency, (kinds = new Map()));
    let sum = kinds.get(kind);
    if (sum === undefined) {
      const none = () => ({ lines: 0, sum: createSum() });
      sum = { file: none(), matched: none(), exceptions: none(), unrelated: none(), fees: createSum() };
      kinds.set(kind, sum);
    }
    return sum;
  }

  const all = () =>
    [...sums].flatMap(([currency, kinds]) => [...kinds].map(([kind, sum]) => ({ currency, kind, sum })));

  return {
    add(group, { currency, kind, amount, fee }, lines = 1) {
      const sum = sumOf(currency, kind);
      sum[group].lines += lines;
      sum[group].sum.add(amount);
      if (group === 'file' && fee !== undefined) sum.fees.add(fee);
    },
    count: (group) => all().reduce((lines, { sum }) => lines + sum[group].lines, 0),
    rows: () =>
      all()
        .toSorted((a, b) => compare(a.currency, b.currency) || compare(a.kind, b.kind))
        .map(({ currency, kind, sum }) => {
          const [file, matched, exceptions, unrelated] = groups.map((group) => ({
            lines: sum[group].lines,
            amount: sum[group].sum.text(),
          })) as [Sum, Sum, Sum, Sum];
          return { currency, kind, file, matched, exceptions, unrelated, fees: sum.fees.text() };
        }),
    balances: () =>
      all().every(({ sum: { file, matched, exceptions, unrelated } }) => {
        const parts = { lines: 0, sum: createSum() };
        for (const part of [matched, exceptions, unrelated]) {
          parts.lines += part.lines;
          parts.sum.add(part.sum.text());
        }
        return file.lines === parts.lines && file.sum.text() === parts.sum.text();
      }),
  };
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
