// A desk with a settlement file to compare: payments of a sandbox, and lines of a provider about them.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabaseAt } from '../../../src/cli/desk/desk-database.js';
import PaymentsImport from '../../../src/commands/payments/import.js';
import Reconcile from '../../../src/commands/reconcile/index.js';
import { remember } from '../../../src/ledger/known/remember.js';
import {
  deskAt,
  type DeskOptions,
  type Env,
  makePaid,
  openTestDesk,
  type Ran,
  type TestDesk,
} from '../../helpers/desk.js';
import { homeWithLedger } from '../../helpers/in-process.js';
import {
  newReference,
  type ShownPayment,
  startTestSandbox,
  type TestSandbox,
} from '../../helpers/sandbox.js';
import { HEADER, MAPPING } from '../../reconcile/northbank.js';

/** What a line of the file says where it does not simply repeat the payment. */
export interface LineFields {
  type?: string;
  at?: string;
  providerReference?: string;
  captureId?: string;
  reference?: string;
  amount?: string;
  fee?: string;
  currency?: string;
}

export interface ReconcileDesk extends Omit<TestDesk, 'run' | 'paid'> {
  map: string;
  /** A payment that a customer paid, of ten euros and fifty unless it says otherwise. */
  paid(fields?: Record<string, unknown>, card?: string): Promise<ShownPayment>;
  /** Makes payments known to the desk. */
  know(...payments: ShownPayment[]): Promise<void>;
  /** Makes the desk know a state of a payment, and nothing else about it. */
  seeState(paymentId: number, state: string): Promise<void>;
  /** A line about a payment, as the provider writes it. */
  line(payment: ShownPayment, fields?: LineFields): string;
  file(...lines: string[]): string;
  run(args: string[], options?: DeskOptions): Promise<Ran>;
  reconcile(file: string, ...args: string[]): Promise<Ran>;
}

export const today = (): string => new Date().toISOString().slice(0, 10);

export async function openReconcileDesk(more: Env = {}): Promise<ReconcileDesk> {
  return deskOn((await openTestDesk()).sandbox, more);
}

export type ReconcileDesks = Awaited<ReturnType<typeof openReconcileDesks>>;

/**
 * A desk for each test, at one sandbox. It knows two payments: one that knew those of all earlier tests would read each of
 * them again for every file.
 */
export async function openReconcileDesks() {
  const sandbox = await startTestSandbox();
  const { paid } = deskOn(sandbox);
  const known = [await paid(), await paid()];
  return {
    sandbox,
    async open(): Promise<ReconcileDesk> {
      const desk = deskOn(sandbox, { PAYDESK_HOME: await homeWithLedger() });
      await desk.know(...known);
      return desk;
    },
  };
}

/** Another desk at the same sandbox, with a ledger of its own. */
export function deskOn(sandbox: TestSandbox, more: Env = {}): ReconcileDesk {
  const folder = mkdtempSync(join(tmpdir(), 'paydesk-reconcile-test-'));
  const desk = deskAt(sandbox);
  const env: Env = { ...desk.env, ...more };
  const map = join(folder, 'northbank.yaml');
  writeFileSync(map, MAPPING);
  let files = 0;
  const run: ReconcileDesk['run'] = (args, options = {}) =>
    desk.run(Reconcile, args, { now: new Date(), ...options, env: { ...env, ...options.env } });
  return {
    ...desk,
    env,
    map,
    paid: (fields = {}, card = 'approved') =>
      makePaid(sandbox, card, { referenceId: newReference(), ...fields }),
    async know(...payments) {
      const input = `paymentId\n${payments.map(({ paymentId }) => paymentId).join('\n')}\n`;
      const { code, stderr } = await desk.run(PaymentsImport, ['-'], { env, input, now: new Date() });
      if (code !== 0) throw new Error(stderr);
    },
    async seeState(paymentId, state) {
      const { store, close } = await openDatabaseAt(env);
      const seen = { appId: sandbox.app.appId, paymentId: String(paymentId), state };
      await store.transaction((tx) => remember(tx, store.engine, { seen, source: 'heard', now: Date.now() }));
      await close();
    },
    line: lineOf,
    file(...lines) {
      const path = join(folder, `settlement-${(files += 1)}.csv`);
      writeFileSync(path, `${[HEADER, ...lines].join('\n')}\n`);
      return path;
    },
    run,
    reconcile: (file, ...args) => run([file, '--map', map, ...args]),
  };
}

function lineOf({ payInfo = {}, ...payment }: ShownPayment, fields: LineFields = {}): string {
  const { type = 'capture' } = fields;
  const sign = type === 'capture' ? '' : '-';
  const amount = fields.amount ?? `${sign}${Number(payment['amount']).toFixed(2)}`;
  return [
    fields.at ?? `${today()}T00:00:01Z`,
    type,
    fields.providerReference ?? payInfo['providerReferenceId'] ?? '',
    fields.captureId ?? (type === 'capture' ? (payInfo['captureId'] ?? '') : ''),
    fields.reference ?? payment.referenceId,
    amount,
    fields.fee ?? (type === 'capture' ? (payInfo['providerFee'] ?? '') : ''),
    '',
    fields.currency ?? payment['currency'],
  ].join(',');
}
