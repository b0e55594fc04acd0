import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DeskDatabase, openDeskDatabase } from '../../../src/ledger/database.js';
import { rememberMany } from '../../../src/ledger/known/remember.js';
import { analyseKnown, createKnownSearch } from '../../../src/ledger/known/search.js';
import { findPayments } from '../../../src/support/find/find-payments.js';
import { describeWithPostgres } from '../../helpers/postgres.js';

const now = new Date('2026-11-15T14:30:00Z');

function openSearch(location: () => Promise<string>) {
  let database: DeskDatabase;
  beforeAll(async () => {
    database = await openDeskDatabase({ location: await location(), operator: 'op@desk' });
  });
  afterAll(() => database.close());
  return {
    store: () => database.store,
    async find(appId: string, ...words: string[]): Promise<string[]> {
      const search = createKnownSearch(database.store, { appId });
      const { found } = await findPayments(search, { words, filter: {}, limit: 20, now });
      return found.map(({ row }) => row.payment_id);
    },
  };
}

/** More payers whose names begin alike than are looked for one by one; number 55 is the last of them by the alphabet. */
const payers = Array.from({ length: 160 }, (_, index) => ({
  appId: 'app-1',
  paymentId: String(index + 1),
  state: 'Captured',
  amount: index + 1 === 55 ? '49.90' : '10.00',
  currency: 'EUR',
  provider: { payerName: index + 1 === 55 ? 'Alexander Berg' : `Alexa${String(index + 1).padStart(3, '0')}` },
  createdTime: now.getTime() - (160 - index) * 60_000,
}));

/** The only payments with both are far from the newest: `old` is in the first 6,000, `berta…` in the last 20,060. */
const MANY = 26_000;
const isOld = 'i <= 6000';
const hasBeginning = 'i > 5940';
const both = Array.from({ length: 60 }, (_, index) => String(6_000 - index));

function beginningTests(location: () => Promise<string>): void {
  const { store, find } = openSearch(location);

  it('finds a payment among many whose payers have the same beginning', async () => {
    await store().transaction((tx) =>
      rememberMany(tx, store().engine, { seen: payers, source: 'read', now: now.getTime() }),
    );
    expect(await find('app-1', 'alex', '49.90')).toEqual(['55']);
    expect(await find('app-1', 'alex', 'ber')).toEqual(['55']);
    expect(await find('app-1', 'ale')).toHaveLength(20);
    expect(await find('app-1', 'alexandre')).toEqual(['55']);
    expect(await find('app-1', 'alex', '77.70')).toEqual([]);
  });

  it('finds payments far from the newest by beginnings and words that are all common', async () => {
    const { db, engine } = store();
    const numbers =
      engine === 'sqlite'
        ? `(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${MANY}) select i from n)`
        : `generate_series(1::bigint, ${MANY}) as n(i)`;
    await sql
      .raw(
        `insert into known_payments (app_id, payment_id, state, source, known_time, state_time, since_time, seen_time, words)
        select 'app-2', cast(i as text), 'Captured', 'read', i, i, i, i,
          cast(i as text) || case when ${isOld} then ' old' else '' end ||
          case when ${hasBeginning} then ' berta' || i else '' end
        from ${numbers}`,
      )
      .execute(db);
    await analyseKnown(store());
    expect(await find('app-2', 'old', 'ber')).toEqual(both.slice(0, 20));
    expect(await find('app-2', 'ber')).toHaveLength(20);
  });
}

describe('beginnings of words, on SQLite', () => {
  beginningTests(async () => ':memory:');
});

describeWithPostgres('beginnings of words, on PostgreSQL', (postgres) => {
  beginningTests(() => postgres().createDatabase());
});
