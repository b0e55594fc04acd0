import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DeskDatabase, openDeskDatabase } from '../../../src/ledger/database.js';
import { remember } from '../../../src/ledger/known/remember.js';
import { createKnownSearch } from '../../../src/ledger/known/search.js';
import { type FindFilter, findPayments } from '../../../src/support/find/find-payments.js';
import { describeWithPostgres } from '../../helpers/postgres.js';
import { calls, known, now } from './caller-table.js';

const app = { appId: 'app-1' };

async function openKnown(location: string): Promise<DeskDatabase> {
  const database = await openDeskDatabase({ location, operator: 'op@desk' });
  const { store } = database;
  await store.transaction(async (tx) => {
    for (const { created, ...payment } of known) {
      const seen = { ...app, ...payment, createdTime: Date.parse(created) };
      await remember(tx, store.engine, { seen, source: 'read', now: now.getTime() });
      // Another app of the same desk has the same payments, and is never found.
      const other = { ...seen, appId: 'app-2', paymentId: `9${seen.paymentId}` };
      await remember(tx, store.engine, { seen: other, source: 'read', now: now.getTime() });
    }
  });
  return database;
}

function callerTests(location: () => Promise<string>): void {
  let database: DeskDatabase;
  beforeAll(async () => {
    process.env['TZ'] = 'UTC';
    database = await openKnown(await location());
  });
  afterAll(() => database.close());

  const ids = async (said: string, filter: FindFilter = {}, limit = 20) => {
    const search = createKnownSearch(database.store, app);
    const { found } = await findPayments(search, { words: [said], filter, limit, now });
    return found.map(({ row }) => row.payment_id);
  };

  it.each(calls)('%s: %s', async (said, first, ...rest) => {
    const expected = first === undefined ? [] : [first, ...rest];
    const found = await ids(said);
    expect(first === undefined ? found : found.slice(0, expected.length)).toEqual(expected);
  });

  it('finds a reference or an order number first that looks like a month, a day or an amount', async () => {
    const { store } = database;
    const day = '2026-11-12';
    const names = [
      { paymentId: '100901', referenceId: '2026.114', state: 'Captured' },
      { paymentId: '100902', referenceId: '2026-10', state: 'Captured' },
      { paymentId: '100903', state: 'Held', order: { orderId: '2026-10' } },
      { paymentId: '100904', referenceId: 'x-49-90', state: 'Captured', order: { orderId: '49,90' } },
      { paymentId: '100905', referenceId: 'no 49.90', state: 'Captured', provider: { payerName: 'Uta Ahn' } },
      { paymentId: '100906', referenceId: day, state: 'Captured', createdTime: Date.parse(day) },
    ];
    await store.transaction(async (tx) => {
      for (const one of names) {
        const seen = { ...app, createdTime: Date.parse('2024-01-01'), ...one };
        await remember(tx, store.engine, { seen, source: 'read', now: now.getTime() });
      }
    });
    const found = {
      amount: await ids('2026.114'),
      month: await ids('2026-10'),
      monthAndState: await ids('2026-10 held'),
      monthAndFlag: await ids('2026-10', { states: ['Captured'] }),
      decimalComma: await ids('49,90'),
      decimalPoint: await ids('49.90'),
      whole: await ids('no 49.90'),
      nobody: await ids('ana 2026.114'),
      day: await ids(day),
    };
    await store.transaction((tx) =>
      tx.deleteFrom('known_payments').where('payment_id', 'like', '10090%').execute(),
    );
    expect(found).toEqual({
      amount: ['100901'],
      month: ['100902', '100903', '100241', '100240'],
      monthAndState: ['100903'],
      monthAndFlag: ['100902', '100241'],
      decimalComma: ['100904', '100232', '100231'],
      decimalPoint: ['100232', '100231'],
      whole: ['100905'],
      nobody: [],
      day: ['100906', '100233'],
    });
  });

  it('refuses to search for nothing', async () => {
    for (const said of ['', '  ']) {
      await expect(ids(said, { on: undefined, states: undefined })).rejects.toThrow(
        'The text to find is empty',
      );
    }
  });

  it('narrows by flags, and tells that there are more', async () => {
    expect(await ids('ana', { customer: 'c_17' })).toEqual([]);
    expect(await ids('', { customer: 'c_881' })).toEqual(['100232', '100231']);
    expect(await ids('', { email: 'KH.STRAUSS@firma.example' })).toEqual(['100235']);
    expect(await ids('', { brand: 'visa', states: ['Cancelled'] })).toEqual(['100240']);
    expect(await ids('captured', { states: ['Refunded'] })).toEqual([]);
    expect(await ids('visa', { amount: { from: 49, to: 50, currency: 'GBP' } })).toEqual([
      '100241',
      '100240',
    ]);
    const search = createKnownSearch(database.store, app);
    const found = await findPayments(search, { words: ['visa'], filter: {}, limit: 2, now });
    expect([found.found.length, found.more]).toEqual([2, true]);
  });

  it('knows which payments a read would show the payer of', async () => {
    const search = createKnownSearch(database.store, app);
    expect(await search.withoutPayer(now.getTime(), 1_000)).toEqual(['100235']);
    // The first ones became known first.
    expect(await search.withoutPayer(now.getTime(), 5)).toEqual([]);
  });

  it('keeps the index in step with what is learned later, and with a payment that is gone', async () => {
    const { store } = database;
    const seen = { ...app, paymentId: '100900', referenceId: 'late-1', state: 'Created' };
    const see = (more: object) =>
      store.transaction((tx) =>
        remember(tx, store.engine, { seen: { ...seen, ...more }, source: 'read', now: now.getTime() }),
      );
    await see({});
    expect(await ids('zelda')).toEqual([]);
    await see({ provider: { payerName: 'Zelda Quist' } });
    expect(await ids('zelda quist')).toEqual(['100900']);
    // A sight that says less takes nothing away.
    await see({ state: 'Captured' });
    expect(await ids('quist late-1')).toEqual(['100900']);
    await see({ provider: { payerName: 'Zelda Berg' } });
    expect(await ids('quist')).toEqual([]);
    expect(await ids('berg')).toEqual(['100900']);
    await store.transaction((tx) =>
      tx.deleteFrom('known_payments').where('payment_id', '=', '100900').execute(),
    );
    expect(await ids('berg')).toEqual([]);
  });
}

describe('what a caller says, on SQLite', () => {
  callerTests(async () => ':memory:');
});

describeWithPostgres('what a caller says, on PostgreSQL', (postgres) => {
  callerTests(() => postgres().createDatabase());
});
