// A shop with payments and a provider that writes settlement files about them, all under one seed.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PaymentsImport from '../../../src/commands/payments/import.js';
import Reconcile from '../../../src/commands/reconcile/index.js';
import { defectNames, type DefectKind, type SettlementReport } from '../../../src/sandbox/index.js';
import { type Env, envOf, type Json, runCommand, temporaryHome } from '../../helpers/desk.js';
import { startTestSandbox } from '../../helpers/sandbox.js';
import { MAPPING } from '../northbank.js';

export type Random = (below: number) => number;

export function createRandom(seed: number): Random {
  let state = (seed % 2_147_483_646) + 1;
  return (below) => (state = (state * 16_807) % 2_147_483_647) % below;
}

export type Format = 'csv' | 'camt';

/** A line further down that speaks against refunding a payment that was captured twice. */
export interface Contradiction {
  line: number;
  exception: string;
  /** The line of the second capture. */
  of: number;
  referenceId: string;
}

export interface PlantedFile {
  report: SettlementReport;
  contradictions: Contradiction[];
  /** The lines of the file, as CSV, whatever its format. */
  csv: string;
  reconciled: Json;
}

export interface World {
  /** Writes a file with these defects, and reconciles it. A CSV also contradicts about half of its second captures. */
  file(request: { seed: number; defects: readonly DefectKind[]; format: Format }): Promise<PlantedFile>;
  close(): Promise<void>;
}

/** Amounts as shops have them, the smallest and the largest among them. */
function anyAmount(random: Random): number {
  const amounts = [0.01, 0.67, 1, 999_999.99, random(100) + 0.9, (random(1_000_000) + 1) / 100];
  return amounts[random(amounts.length)]!;
}

const contradicting = [
  { type: 'refund', sign: '-', exception: 'refunded-at-provider' },
  { type: 'chargeback', sign: '-', exception: 'chargeback' },
  { type: 'reversal', sign: '-', exception: 'other-kind' },
  { type: 'capture', sign: '', exception: 'captured-twice' },
] as const;

/** The file with lines at its end that contradict some of its second captures. */
function contradict(
  csv: string,
  { planted }: SettlementReport,
  random: Random,
): Pick<PlantedFile, 'csv' | 'contradictions'> {
  const lines = csv.trimEnd().split('\n');
  const contradictions: Contradiction[] = [];
  for (const { kind, line: of, referenceId } of planted) {
    if (kind !== 'captured-twice' || of === null || referenceId === null || random(2) === 0) continue;
    const { type, sign, exception } = contradicting[random(contradicting.length)]!;
    const [at, , provider, , reference, amount, , , currency] = lines[of - 1]!.split(',');
    lines.push(
      [at, type, provider, `other_${of}`, reference, `${sign}${amount}`, '', '', currency].join(','),
    );
    contradictions.push({ line: lines.length, exception, of, referenceId });
  }
  return { csv: `${lines.join('\n')}\n`, contradictions };
}

interface Databases {
  /** Of the sandbox; in memory without it. */
  location?: string;
  /** Of the desk. */
  env?: Env;
}

export async function createWorld(
  seed: number,
  { location = ':memory:', env: more = {} }: Databases,
): Promise<World> {
  const random = createRandom(seed);
  const sandbox = await startTestSandbox({ location, seed });
  const env = { ...envOf(sandbox), PAYDESK_HOME: temporaryHome(), ...more };
  const folder = mkdtempSync(join(tmpdir(), 'paydesk-planted-'));
  const map = join(folder, 'provider.yaml');
  writeFileSync(map, MAPPING);

  // As many captured payments as there are kinds of defects, with some repeated, and others that do not count.
  const captured = 2 * defectNames.length + random(10);
  const ids: number[] = [];
  for (let index = 0; index < captured + 6; index += 1) {
    const currency = ['EUR', 'USD', 'GBP'][random(3)]!;
    const { paymentId } = await sandbox.create({
      referenceId: `w${seed}-${index}`,
      amount: anyAmount(random),
      currency,
      autoCapture: index !== 0,
    });
    ids.push(paymentId);
    if (index !== 1) await sandbox.pay(paymentId, index === 2 ? 'declined' : 'approved');
    if (index > captured) await sandbox.call('POST', `/payments/${paymentId}/refund`, {});
  }
  await sandbox.settle();
  const known = await runCommand(PaymentsImport, ['-'], {
    env,
    input: `paymentId\n${ids.join('\n')}\n`,
    now: new Date(),
  });
  if (known.code !== 0) throw new Error(known.stderr);

  return {
    async file({ seed: fileSeed, defects, format }) {
      const query = new URLSearchParams({ seed: String(fileSeed), defects: defects.join(',') });
      const ask = async <Answer>(path: string, as: Format) =>
        sandbox.control<Answer>('GET', `${path}?${query.toString()}&format=${as}`);
      const { body: report } = await ask<SettlementReport>('/settlement/defects', format);
      query.set('until', report.until);
      const [{ text }, { text: plain }] = await Promise.all([
        ask('/settlement', format),
        ask('/settlement', 'csv'),
      ]);
      const { csv, contradictions } =
        format === 'csv'
          ? contradict(plain, report, createRandom(fileSeed))
          : { csv: plain, contradictions: [] };
      const file = join(folder, `${fileSeed}.${format}`);
      writeFileSync(file, format === 'csv' ? csv : text);
      const period = ['--since', '2d', '--until', new Date().toISOString()];
      const reading = format === 'csv' ? ['--map', map] : [];
      const { code, stdout, stderr } = await runCommand(Reconcile, [file, ...reading, ...period, '--json'], {
        env,
        now: new Date(),
      });
      if (code !== 0 && code !== 7)
        throw new Error(`seed ${fileSeed}: exit code ${code}\n${stdout}${stderr}`);
      return { report, contradictions, csv, reconciled: JSON.parse(stdout) as Json };
    },
    close: () => sandbox.close(),
  };
}
