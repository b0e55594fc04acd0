import { CompiledQuery, type KyselyPlugin, type RootOperationNode } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.js';
import { describeWithPostgres } from '../../helpers/postgres.js';
import { hostedBody } from '../../helpers/sandbox.js';

// What the database does for each page of the console, by its own account: every list is read from an index, in its
// order, and no page looks at all payments, changes or webhooks.

/** PostgreSQL reads a small table whole, whatever its indexes; SQLite plans without looking at the rows. */
const PAYMENTS = { postgres: 4000, sqlite: 400 };
/** Tables that grow with every payment. */
const growing = 'payments|events|attempts|operations|exchanges|customers|methods|jobs';

interface Plan {
  sql: string;
  plan: string;
}

interface Watched {
  sandbox: Sandbox;
  cookie: string;
  /** Visits a page and returns the plan of each query that it took. */
  plansOf(path: string): Promise<{ html: string; plans: Plan[] }>;
}

async function watch(location: string): Promise<Watched> {
  const sandbox = await startSandbox({ location });
  await fill(sandbox);
  const { store } = sandbox.engine;
  const nodes: RootOperationNode[] = [];
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      nodes.push(node);
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
  const { db } = store;
  Object.defineProperty(store, 'db', { value: db.withPlugin(plugin) });
  const entered = await fetch(sandbox.consoleUrl, { redirect: 'manual' });
  const cookie = entered.headers.get('set-cookie')!.split(';')[0]!;
  const explain = store.engine === 'postgres' ? 'explain' : 'explain query plan';
  return {
    sandbox,
    cookie,
    async plansOf(path) {
      nodes.splice(0);
      const answer = await fetch(sandbox.url + path, { headers: { cookie } });
      const html = await answer.text();
      expect({ path, status: answer.status }).toEqual({ path, status: 200 });
      const plans: Plan[] = [];
      for (const node of nodes.splice(0)) {
        const query = db.getExecutor().compileQuery(node, { queryId: 'q' });
        // The outbox and the worker look for work of their own meanwhile.
        if (
          !/^select/i.test(query.sql) ||
          /"due_time" from/.test(query.sql) ||
          query.sql.includes('from "jobs"')
        )
          continue;
        const { rows } = await db.executeQuery(
          CompiledQuery.raw(`${explain} ${query.sql}`, [...query.parameters]),
        );
        const plan = rows.map((row) => String(Object.values(row as object).at(-1))).join('\n');
        plans.push({ sql: query.sql, plan });
      }
      return { html, plans };
    },
  };
}

/** Copies of a few payments that went through something, each with its changes and webhooks. */
async function fill(sandbox: Sandbox): Promise<void> {
  const apps = await sandbox.apps();
  for (const [index, { appId, apiKey }] of apps.entries()) {
    for (const card of ['approved', 'declined', 'held', 'unknown-charged'] as const) {
      const answer = await fetch(`${sandbox.url}/api/apps/${appId}/payments/hosted-page`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(
          hostedBody({ referenceId: `${card}-${index}`, webhookUrl: 'http://127.0.0.1:9/hook' }),
        ),
      });
      const { paymentId } = (await answer.json()) as { paymentId: number };
      await sandbox.control.pay(String(paymentId), undefined, { card });
    }
  }
  await sandbox.worker.drain();
  await sandbox.control.clock({ action: 'stop' });
  const count = PAYMENTS[sandbox.engine.store.engine];
  await sandbox.engine.store.transaction(async (tx) => {
    const models = await tx.selectFrom('payments').selectAll().execute();
    const events = await tx.selectFrom('events').selectAll().execute();
    for (let made = 0; made < count; made += 40) {
      const rows = Array.from({ length: 40 }, (_, offset) => {
        const { payment_id: _id, ...model } = models[(made + offset) % models.length]!;
        return { ...model, reference_id: `inv-${made + offset}`, customer_id: `c-${(made + offset) % 500}` };
      });
      const inserted = await tx.insertInto('payments').values(rows).returning('payment_id').execute();
      const changes = inserted.flatMap(({ payment_id }, offset) => {
        const model = models[(made + offset) % models.length]!;
        return events
          .filter((event) => event.payment_id === model.payment_id)
          .map(({ id: _id, ...event }) => ({ ...event, payment_id, finished: 1, outcome: 'delivered' }));
      });
      const ids = await tx.insertInto('events').values(changes).returning('id').execute();
      await tx
        .insertInto('attempts')
        .values(
          ids.map(({ id }) => ({
            event_id: id,
            time: 1,
            url: 'http://127.0.0.1:9/hook',
            content_type: 'application/json',
            body: '{}',
            status: 200,
            error: null,
            ms: 1,
            answer: '',
          })),
        )
        .execute();
      await tx
        .insertInto('customers')
        .values(
          rows.map(({ app_id }, offset) => ({
            app_id,
            customer_id: `c-${made + offset}-${app_id}`,
            first_name: null,
            last_name: null,
            email: null,
            mobile_number: null,
            fraud_policy_id: null,
            created_time: 1,
          })),
        )
        .execute();
    }
  });
  if (sandbox.engine.store.engine === 'postgres')
    await sandbox.engine.store.db.executeQuery(CompiledQuery.raw('analyze'));
}

function pages(app: string): string[] {
  const combinations = ['', 'state=Captured', 'state=Refunded', `app=${app}`, `app=${app}&state=Declined`];
  const searches = [
    '',
    'q=100050',
    'q=inv-1',
    'q=c-7',
    'q=inv-1&by=reference',
    'q=c-7&by=customer',
    'q=100050&by=id',
    'q=10.50&by=amount',
    'q=2026-11&by=date',
  ];
  return [
    ...searches.flatMap((search) =>
      combinations.map((filter) => `/console?${[search, filter].filter(Boolean).join('&')}`),
    ),
    ...['', 'q=c-1', 'q=a&by=email', 'q=a&by=name', `app=${app}`, `app=${app}&q=c-1`].map(
      (query) => `/console/customers?${query}`,
    ),
    `/console/customers/one?app=${app}&id=${encodeURIComponent(`c-0-${app}`)}`,
    ...['', 'queued', 'retrying', 'delivered', 'failed', 'dropped'].map(
      (outcome) => `/console/webhooks?outcome=${outcome}`,
    ),
    '/console/webhooks/40',
    '/console/payments/100001',
    '/console/payments/100050',
    '/console/apps',
    '/console/clock',
    '/console/faults',
  ];
}

/** Every page and, where there is one, the page that follows it. */
async function everyPlan({ sandbox, plansOf }: Watched): Promise<Array<Plan & { path: string }>> {
  const [app] = await sandbox.apps();
  const found: Array<Plan & { path: string }> = [];
  let followed = 0;
  for (const path of pages(app!.appId)) {
    const { html, plans } = await plansOf(path);
    found.push(...plans.map((plan) => ({ path, ...plan })));
    const next = /href="([^"]+)" rel="next"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
    if (next === undefined) continue;
    followed += 1;
    found.push(...(await plansOf(next)).plans.map((plan) => ({ path: next, ...plan })));
  }
  expect(followed).toBeGreaterThan(15);
  expect(found.length).toBeGreaterThan(150);
  return found;
}

/** Conditions that the index does not meet: rows would be read and thrown away, however many there are. */
function leftOver(sql: string, plan: string): number {
  const [, table = '', where] =
    /from "(\w+)" where ([\s\S]+?)(?: order by| limit| group by|$)/.exec(sql) ?? [];
  const terms = new RegExp(`SEARCH ${table} USING .*?\\((.*)\\)$`, 'm').exec(plan)?.[1];
  // The methods of one customer are few, whatever else is asked of them; the outbox has an index that asks for the address.
  if (where === undefined || terms === undefined || table === 'methods') return 0;
  const asked = where.split(' and ').filter((condition) => condition !== '"url" is not null');
  return asked.length - terms.split(' AND ').length;
}

describe('SQLite', () => {
  let watched: Watched;
  beforeAll(async () => {
    watched = await watch(':memory:');
  });
  afterAll(() => watched.sandbox.close());

  test('searches an index for every page, and sorts nothing', async () => {
    const wrong = (await everyPlan(watched)).filter(
      ({ sql, plan }) =>
        new RegExp(`SCAN (${growing})\\b`).test(plan) ||
        plan.includes('TEMP B-TREE FOR ORDER') ||
        leftOver(sql, plan) > 0,
    );
    expect(wrong).toEqual([]);
  });

  test('the check itself would see a scan, a sort, and rows thrown away', async () => {
    const { db } = watched.sandbox.engine.store;
    const { rows } = await db.executeQuery(
      CompiledQuery.raw("explain query plan select * from payments where failure = 'x' order by amount"),
    );
    const plan = JSON.stringify(rows);
    expect(plan).toMatch(new RegExp(`SCAN (${growing})\\b`));
    expect(plan).toContain('TEMP B-TREE FOR ORDER');
    const wasteful =
      'select * from "payments" where "payment_id" < ? and "failure" = ? order by "payment_id" desc';
    const told = await db.executeQuery(CompiledQuery.raw(`explain query plan ${wasteful}`, [1, 'x']));
    const lines = told.rows.map((row) => String(Object.values(row as object).at(-1))).join('\n');
    expect(lines).not.toContain('SCAN');
    expect(leftOver(wasteful, lines)).toBe(1);
  });
});

describeWithPostgres('PostgreSQL', (postgres) => {
  let watched: Watched;
  beforeAll(async () => {
    watched = await watch(await postgres().createDatabase());
  });
  afterAll(() => watched.sandbox.close());

  test('reads no large table from end to end, and throws none away, and sorts only the few that a page looks at', async () => {
    const wrong = (await everyPlan(watched)).filter(
      ({ plan }) =>
        new RegExp(`Seq Scan on (${large})\\b`).test(plan) ||
        (new RegExp(` on (${large})\\b`).test(plan) && plan.includes('Filter:')) ||
        sortedRows(plan) > FEW,
    );
    expect(wrong).toEqual([]);
  });
});

/** The others have hardly any rows here, and are read whole whatever their indexes. */
const large = 'payments|events|attempts|customers';
const FEW = 1000;

/** By the planner's own reckoning; where a page needs nearly all that a search finds, it may well sort them. */
function sortedRows(plan: string): number {
  return Math.max(
    0,
    ...Array.from(plan.matchAll(/Sort {2}\(cost=\S+ rows=(\d+)/g), ([, rows]) => Number(rows)),
  );
}
