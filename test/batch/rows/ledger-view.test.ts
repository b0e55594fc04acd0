import { expect, it } from 'vitest';
import { createLedgerView } from '../../../src/batch/rows/ledger-view.js';
import { openDeskDatabase } from '../../../src/ledger/database.js';
import type { Outcome } from '../../../src/ledger/moves/operations.js';
import type { BatchRecord } from '../../../src/ledger/schema.js';

const HOUR_MS = 3_600_000;
const batch = { id: 'b1', app_id: 'app_1', action: 'refund' } as BatchRecord;
const owner = { name: 'me', isGone: (name: string) => name === 'gone' };

/** A row as the process that worked on it has left it. */
interface Left {
  lease?: { owner: string; inMs: number };
  due?: number;
  wrote?: Outcome;
  /** What the ledger has: null for an intent without an outcome, undefined for none. */
  ledger?: Outcome | null;
  neverLeft?: boolean;
}

const rows: Array<[what: string, left: Left, shown: string | null]> = [
  ['nobody has begun it', {}, null],
  ['its process is gone', { lease: { owner: 'gone', inMs: HOUR_MS }, ledger: null }, 'unknown'],
  ['its lease has run out', { lease: { owner: 'other', inMs: -1 }, ledger: 'accepted' }, 'accepted'],
  ['its process is at work', { lease: { owner: 'other', inMs: HOUR_MS }, ledger: null }, null],
  ['a later run has freed it', { due: 1, ledger: null }, 'unknown'],
  ['its process was gone before it sent', { lease: { owner: 'gone', inMs: HOUR_MS } }, null],
  [
    'it provably never left',
    { lease: { owner: 'gone', inMs: HOUR_MS }, ledger: 'unsent', neverLeft: true },
    null,
  ],
  ['the service did not take it', { lease: { owner: 'gone', inMs: HOUR_MS }, ledger: 'unsent' }, 'throttled'],
  ['the service asked to wait', { due: Date.now() + HOUR_MS, wrote: 'unsent', ledger: 'refused' }, 'unsent'],
];

it('tells a row as the ledger has it, where no process works on it any more', async () => {
  const { store, ledger, close } = await openDeskDatabase({ location: ':memory:', operator: 'op@desk' });
  for (const [index, [, { lease, due = 0, wrote, ledger: known, neverLeft }]] of rows.entries()) {
    const payment = String(index + 1);
    await store.transaction((tx) =>
      tx
        .insertInto('batch_rows')
        .values({
          batch_id: batch.id,
          line: index + 2,
          typed: payment,
          planned: 1,
          payment_id: payment,
          amount: '1.00',
          currency: 'EUR',
          before_state: 'Captured',
          due_time: due,
          tries: 0,
          finished: 0,
          outcome: wrote ?? null,
          lease_owner: lease?.owner ?? null,
          lease_until: lease ? Date.now() + lease.inMs : null,
        })
        .execute(),
    );
    if (known === undefined) continue;
    const opened = await ledger.open({
      appId: batch.app_id,
      paymentId: payment,
      operation: 'refund',
      baseUrl: 'https://pay.example',
      kind: 'sandbox',
      batchId: batch.id,
    });
    if (opened.kind === 'opened' && known)
      await ledger.record(opened.intent.id, { outcome: known, neverLeft });
  }
  const view = await createLedgerView(store, batch, owner);
  const all = await store.db.selectFrom('batch_rows').selectAll().orderBy('id').execute();
  const shown = (await view.of(all)).map(({ outcome }, index) => [rows[index]?.[0], outcome]);
  expect(shown).toEqual(rows.map(([what, , outcome]) => [what, outcome]));
  const moved = await Array.fromAsync(view.abandoned(), ({ row, shown: { outcome } }) => [row.line, outcome]);
  expect(moved.filter(([, outcome]) => outcome !== null)).toEqual([
    [3, 'unknown'],
    [4, 'accepted'],
    [6, 'unknown'],
    [9, 'throttled'],
  ]);
  await close();
});
