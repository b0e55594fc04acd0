import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DeskDatabase, openDeskDatabase } from '../../src/ledger/database.js';
import { remember } from '../../src/ledger/known/remember.js';
import type { SettlementLine } from '../../src/reconcile/line.js';
import { matchLines } from '../../src/reconcile/match.js';
import { temporaryHome } from '../helpers/desk.js';

// Two payments of one order, which the provider gave one reference.

let desk: DeskDatabase;
beforeAll(async () => {
  desk = await openDeskDatabase({ location: join(temporaryHome(), 'desk.db'), operator: 'ada' });
  const { store } = desk;
  for (const [paymentId, captureId] of [
    ['1', 'C1'],
    ['2', 'C2'],
  ] as const) {
    const provider = { reference: 'ORD-1', captureId };
    const seen = { appId: 'app', paymentId, referenceId: `r-${paymentId}`, state: 'Captured', provider };
    await store.transaction((tx) => remember(tx, store.engine, { seen, source: 'read', now: 1 }));
  }
});
afterAll(() => desk.close());

it.each<[string, Partial<SettlementLine>, string]>([
  ['the ID of its capture', { operationId: 'C2' }, '2'],
  ['the ID of its capture, before its reference', { operationId: 'C2', reference: 'r-1' }, '2'],
  ['its reference', { reference: 'r-2' }, '2'],
  ['neither: the one that became known first', {}, '1'],
])('a line means the payment with %s', async (_, fields, paymentId) => {
  const line = { line: 2, kind: 'capture', amount: '9.90', currency: 'EUR', providerReference: 'ORD-1' };
  const [match] = await matchLines(desk.store, { appId: 'app' }, [{ ...line, ...fields }]);
  expect(match).toMatchObject({ by: 'provider-reference', known: { payment_id: paymentId } });
});
