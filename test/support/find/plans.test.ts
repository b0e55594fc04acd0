import { CompiledQuery, type Kysely, type KyselyPlugin, type RootOperationNode, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findAlsoPaid } from '../../../src/ledger/known/also-paid.js';
import { type DeskDatabase, openDeskDatabase } from '../../../src/ledger/database.js';
import { analyseKnown, createKnownSearch } from '../../../src/ledger/known/search.js';
import type { DeskTables } from '../../../src/ledger/schema.js';
import { findPayments } from '../../../src/support/find/find-payments.js';
import { manyKnown } from '../../helpers/many-known.js';
import { describeWithPostgres } from '../../helpers/postgres.js';

// What the database does for each search, by its own account: no search reads all payments.

const PAYMENTS = 30_000;
const now = new Date();

const searches: Array<[name: string, words: string[]]> = [
  ['a reference', ['inv-15000']],
  ['a reference in parts', ['inv', '15000']],
  ['an ID', ['1015000']],
  ['a name', ['eva', 'surname1028']],
  ['a beginning', ['surname102']],
  ['a short beginning', ['surn']],
  ['a short beginning and an amount', ['surn', '49.90']],
  ['a short beginning and a common word', ['surn', 'visa']],
  ['a common beginning of few payments', ['surname11']],
  ['a name with a slip', ['surnane102']],
  ['an e-mail address', ['mail777@shop.example']],
  ['a customer', ['c_77']],
  ['an amount', ['EUR', '49.90']],
  ['about an amount', ['~50']],
  ['an amount and a name', ['ana', '49.90']],
  ['a day', ['today']],
  ['a brand, an amount and a day', ['visa', '49.90', 'today']],
  ['a brand and a day', ['visa', 'today']],
  ['a common word', ['visa']],
  ['a common word and a rare state', ['visa', 'held']],
  ['a common state', ['captured']],
  ['a rare state', ['held']],
  ['a name, a brand and a state', ['ana', 'visa', 'refunded']],
  ['nothing that is there', ['nobody', 'at', 'all']],
];

interface Watched {
  database: DeskDatabase;
  /** The real database, whose queries are not watched. */
  db: Kysely<DeskTables>;
  /** The queries that were asked meanwhile. */
  during(work: () => Promise<unknown>): Promise<CompiledQuery[]>;
}

async function watch(location: string): Promise<Watched> {
  const database = await openDeskDatabase({ location, operator: 'op@desk' });
  const { store } = database;
  const { db } = store;
  await sql.raw(manyKnown(store.engine, PAYMENTS, now.getTime())).execute(db);
  await analyseKnown(store);
  let nodes: RootOperationNode[] = [];
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      nodes.push(node);
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
  Object.defineProperty(store, 'db', { value: db.withPlugin(plugin) });
  return {
    database,
    db,
    async during(work) {
      nodes = [];
      await work();
      return nodes.map((node) => db.getExecutor().compileQuery(node, { queryId: 'q' }));
    },
  };
}

const search = ({ database }: Watched, words: string[]) =>
  findPayments(createKnownSearch(database.store, { appId: 'app-1' }), { words, filter: {}, limit: 20, now });

async function alsoPaid({ database, db }: Watched): Promise<void> {
  const [known] = await db
    .selectFrom('known_payments')
    .selectAll()
    .where('payment_id', '=', '1015000')
    .execute();
  await findAlsoPaid(database.store.db, known!);
}

describe('searches on SQLite', () => {
  let watched: Watched;
  beforeAll(async () => {
    watched = await watch(':memory:');
  });
  afterAll(() => watched.database.close());

  async function plansOf(queries: readonly CompiledQuery[]): Promise<string[]> {
    const plans: string[] = [];
    for (const { sql: text, parameters } of queries) {
      const explain = CompiledQuery.raw(`explain query plan ${text}`, [...parameters]);
      const { rows } = await watched.db.executeQuery<{ detail: string }>(explain);
      plans.push(`${rows.map(({ detail }) => detail).join('\n')}\n${text.replaceAll(/\s+/g, ' ')}`);
    }
    return plans;
  }

  /** From the newest on, and it ends with the first that fit: nothing is sorted. */
  const stopsEarly = (plan: string) =>
    /order by known_payments\.id desc limit \d+$/.test(plan) && !plan.includes('TEMP B-TREE');
  const readsAll = (plan: string) =>
    (/SCAN known_payments/.test(plan) && !stopsEarly(plan)) ||
    // All payments of the app.
    /SEARCH known_payments USING .*\(app_id=\?\)$/m.test(plan) ||
    /SCAN payment_words VIRTUAL TABLE INDEX 0:$/m.test(plan) ||
    (/SCAN payment_terms/.test(plan) && !/where term >= .* and term < /.test(plan));

  it.each(searches)('%s', async (_name, words) => {
    const plans = await plansOf(await watched.during(() => search(watched, words)));
    expect(plans).not.toEqual([]);
    expect(plans.filter(readsAll)).toEqual([]);
  });

  it('also paid', async () => {
    const plans = await plansOf(await watched.during(() => alsoPaid(watched)));
    expect(plans.map((plan) => /known_of_\w+|known_by_\w+|SCAN/.exec(plan)?.[0])).toEqual([
      'known_of_customer',
      'known_of_payer',
      'known_of_buyer',
    ]);
  });

  it('would be told', async () => {
    const wasteful = [
      "select * from known_payments where lower(brand) = 'visa'",
      "select * from known_payments where app_id = 'app-1' and brand = 'Visa'",
      'select * from known_payments order by amount limit 3',
      'select term from payment_terms limit 3',
      'select rowid from payment_words limit 3',
    ];
    const plans = await plansOf(wasteful.map((text) => CompiledQuery.raw(text)));
    expect(plans.filter(readsAll)).toHaveLength(wasteful.length);
  });
});

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Plan[];
}

/** Rows of known payments that were looked at, and rows that an index named. */
function rowsRead(plan: Plan): number {
  const own =
    plan['Relation Name'] === 'known_payments' || plan['Node Type'] === 'Bitmap Index Scan'
      ? (plan['Actual Rows'] +
          (plan['Rows Removed by Filter'] ?? 0) +
          (plan['Rows Removed by Index Recheck'] ?? 0)) *
        plan['Actual Loops']
      : 0;
  return (plan.Plans ?? []).reduce((sum, child) => sum + rowsRead(child), own);
}

describeWithPostgres('searches on PostgreSQL', (postgres) => {
  let watched: Watched;
  beforeAll(async () => {
    watched = await watch(await postgres().createDatabase());
  });
  afterAll(() => watched.database.close());

  async function readBy(queries: readonly CompiledQuery[]): Promise<Array<{ read: number; text: string }>> {
    const all = [];
    for (const { sql: text, parameters } of queries.filter(({ sql: one }) => !one.startsWith('explain'))) {
      const explain = CompiledQuery.raw(`explain (analyze, format json) ${text}`, [...parameters]);
      const { rows } = await watched.db.executeQuery<{ 'QUERY PLAN': [{ Plan: Plan }] }>(explain);
      all.push({ read: rowsRead(rows[0]!['QUERY PLAN'][0].Plan), text });
    }
    return all;
  }
  const MOST = PAYMENTS / 4;

  it.each(searches)('%s', async (_name, words) => {
    const read = await readBy(await watched.during(() => search(watched, words)));
    expect(read).not.toEqual([]);
    expect(read.filter((one) => one.read > MOST)).toEqual([]);
  });

  it('also paid', async () => {
    const read = await readBy(await watched.during(() => alsoPaid(watched)));
    expect(read).not.toEqual([]);
    expect(read.filter((one) => one.read > MOST)).toEqual([]);
  });

  it('would be told', async () => {
    const wasteful = ["select * from known_payments where lower(brand) = 'visa'"];
    const read = await readBy(wasteful.map((text) => CompiledQuery.raw(text)));
    expect(read.filter((one) => one.read > MOST)).toHaveLength(wasteful.length);
  });
});
