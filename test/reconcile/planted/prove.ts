// Every planted defect is found, nothing else is, and the totals are those of the file.

import { parse } from 'csv-parse/sync';
import { expect } from 'vitest';
import { defectNames, type DefectKind, type SettlementReport } from '../../../src/sandbox/index.js';
import type { Json } from '../../helpers/desk.js';
import { createRandom, type PlantedFile, type World } from './world.js';

type Planted = SettlementReport['planted'][number];

/** What a person is to be shown of each defect: the line, what is wrong, and our reference. */
const expected: Record<DefectKind, (defect: Planted) => string[]> = {
  missing: ({ referenceId }) => [`- not-in-file ${referenceId}`],
  extra: ({ line }) => [`${line} not-at-service`],
  amount: ({ line, referenceId }) => [`${line} amount-differs ${referenceId}`],
  currency: ({ line, referenceId }) => [`${line} currency-differs ${referenceId}`],
  fee: ({ line, referenceId }) => [`${line} fee-differs ${referenceId}`],
  refunded: ({ line, referenceId }) => [`${line} refunded-at-provider ${referenceId}`],
  'captured-twice': ({ line, referenceId }) => [`${line} captured-twice ${referenceId}`],
  duplicate: ({ line, referenceId }) => [`${line} duplicate-line ${referenceId}`],
  chargeback: ({ line, referenceId }) => [`${line} chargeback ${referenceId}`],
  'unknown-kind': ({ line, referenceId }) => [`${line} other-kind ${referenceId}`],
  // Our reference is enough: the line matches, and nobody is to be bothered.
  'lost-ids': () => [],
  'wrong-reference': ({ line, referenceId }) => [`${line} not-at-service`, `- not-in-file ${referenceId}`],
};

const found = ({ line, exception, reference }: Json): string =>
  [line ?? '-', exception, exception === 'not-at-service' ? undefined : reference]
    .filter((part) => part !== undefined)
    .join(' ');

const cents = (value: unknown): bigint => BigInt(Math.round(Number(value) * 100));

/** Added up by the lines themselves, to be compared with what reconcile says. */
function sumsOf(csv: string): Map<string, { lines: number; cents: bigint; fees: bigint }> {
  const sums = new Map<string, { lines: number; cents: bigint; fees: bigint }>();
  for (const row of parse(csv, { columns: true }) as Array<Record<string, string>>) {
    const key = `${row['currency']} ${row['type']}`;
    const sum = sums.get(key) ?? { lines: 0, cents: 0n, fees: 0n };
    sums.set(key, {
      lines: sum.lines + 1,
      cents: sum.cents + cents(row['amount']),
      fees: sum.fees + cents(row['fee']),
    });
  }
  return sums;
}

export function proveFile({ report, contradictions, csv, reconciled }: PlantedFile): void {
  const exceptions = reconciled['exceptions'] as Json[];
  expect(exceptions.map(found).toSorted()).toEqual(
    [
      ...report.planted.flatMap((defect) => expected[defect.kind](defect)),
      ...contradictions.map(({ line, exception, referenceId }) => `${line} ${exception} ${referenceId}`),
    ].toSorted(),
  );
  // Money moves only for a second capture that no other line of the file contradicts.
  expect(exceptions.filter(({ next }) => next?.['movesMoney']).map(({ line }) => Number(line))).toEqual(
    report.planted
      .filter(({ kind, line }) => kind === 'captured-twice' && contradictions.every(({ of }) => of !== line))
      .map(({ line }) => line)
      .toSorted((a, b) => Number(a) - Number(b)),
  );
  for (const { referenceId, line } of report.planted.filter(({ kind }) => kind === 'wrong-reference')) {
    const suggested = exceptions.find((row) => Number(row['line']) === line)?.['suggestion'];
    if (suggested) expect(String(suggested['reference'])).not.toBe('');
    expect(exceptions.some((row) => row['line'] === null && String(row['reference']) === referenceId)).toBe(
      true,
    );
  }

  expect(reconciled).toMatchObject({ lines: report.lines + contradictions.length, balanced: true });
  const sums = sumsOf(csv);
  const totals = reconciled['totals'] as Json[];
  expect(totals.map(({ currency, kind }) => `${currency} ${kind}`).toSorted()).toEqual(
    [...sums.keys()].toSorted(),
  );
  for (const { currency, kind, file, matched, exceptions: open, unrelated, fees } of totals) {
    const sum = sums.get(`${currency} ${kind}`)!;
    const parts = [matched, open, unrelated];
    expect([file!['lines'], cents(file!['amount']), cents(fees)]).toEqual([sum.lines, sum.cents, sum.fees]);
    expect(parts.reduce((lines, part) => lines + Number(part?.['lines'] ?? 0), 0)).toBe(sum.lines);
    expect(parts.reduce((total, part) => total + cents(part?.['amount'] ?? 0), 0n)).toBe(sum.cents);
  }
}

/** As many files of a world as are asked for, each with defects of its own. Returns the kinds that were planted. */
export async function proveWorld(world: World, seeds: readonly number[]): Promise<Set<DefectKind>> {
  const planted = new Set<DefectKind>();
  for (const seed of seeds) {
    const random = createRandom(seed);
    const defects = Array.from(
      { length: random(defectNames.length + 4) },
      () => defectNames[random(defectNames.length)]!,
    );
    const format = random(2) === 0 ? 'csv' : 'camt';
    const file = await world.file({ seed, defects, format });
    try {
      proveFile(file);
    } catch (error) {
      throw new Error(`seed ${seed}, ${format}, defects ${defects.join(',')}`, { cause: error });
    }
    for (const kind of defects) planted.add(kind);
  }
  return planted;
}
