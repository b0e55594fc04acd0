import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Compilable } from 'kysely';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isStateName, stateNames } from '../../src/contract/states.js';
import { type DeskDatabase, openDeskDatabase } from '../../src/ledger/database.js';
import { remember } from '../../src/ledger/known/remember.js';
import { type Span, spanQuery, statesQuery } from '../../src/ledger/known/list.js';
import { OVERDUE_AFTER_MS } from '../../src/support/overdue.js';
import { MAX_REFRESHED, takeListed, takeUnsettled } from '../../src/support/list.js';
import { describeWithPostgres } from '../helpers/postgres.js';
import { openSeededDesk, type SeededDesk } from './seeded.js';

const app = { baseUrl: 'http://127.0.0.1:1', appId: 'app-1' };
const MINUTE = 60_000;
const now = Date.parse('2026-11-16T09:00:00Z');

const memory = () => openDeskDatabase({ location: ':memory:', operator: 'op@desk' });

async function know(
  { store }: DeskDatabase,
  paymentId: string,
  state: string,
  ageMs: number,
  more: { customerId?: string; createdTime?: number } = {},
): Promise<void> {
  const seen = { ...app, paymentId, state, amount: '10', currency: 'EUR', ...more };
  await store.transaction((tx) => remember(tx, store.engine, { seen, source: 'heard', now: now - ageMs }));
}

const options = ({ store }: DeskDatabase) => ({
  store,
  app,
  client: { canonicalState: (name: string | undefined) => (isStateName(name) ? name : undefined) },
  now,
  quietMs: 10 * MINUTE,
  profile: undefined,
});

describe('the order of what is known', () => {
  let database: DeskDatabase;
  beforeEach(async () => {
    database = await memory();
  });
  afterEach(() => database.close());

  const ids = async (filter: Parameters<typeof takeListed>[1] = {}, limit = Infinity) =>
    (await takeListed(options(database), filter, limit)).listed.map(({ row }) => row.payment_id);

  it('is what needs attention, the longest wait first', async () => {
    const DAY = 24 * 60 * MINUTE;
    await know(database, 'captured-old', 'Captured', 9 * DAY);
    await know(database, 'captured-new', 'Captured', DAY);
    await know(database, 'created', 'Created', DAY);
    await know(database, 'refunding', 'Refunding', MINUTE);
    await know(database, 'authorised', 'Authorised', DAY);
    await know(database, 'declined', 'Declined', DAY);
    await know(database, 'odd', 'Settling', DAY);
    await know(database, 'held', 'Held', MINUTE);
    await know(database, 'stuck-processing', 'Processing', 60 * MINUTE);
    await know(database, 'stuck-longer', 'Processing', 70 * MINUTE);
    await know(database, 'expiring', 'Authorised', 6.5 * DAY);
    const all = [
      ['expiring', 'stuck-longer', 'stuck-processing'],
      ['authorised', 'held', 'odd'],
      ['refunding', 'created'],
      ['declined', 'captured-new', 'captured-old'],
    ].flat();
    expect(await ids()).toEqual(all);
    expect(await ids({ stuck: true })).toEqual(all.slice(0, 3));
    expect(await ids({ states: ['Captured', 'Settling'] })).toEqual(['odd', 'captured-new', 'captured-old']);
    expect(await ids({ olderThanMs: 5 * DAY })).toEqual(['expiring', 'captured-old']);
    expect(await takeListed(options(database), {}, 2)).toMatchObject({ more: true });
    expect(await takeListed(options(database), {}, all.length)).toMatchObject({ more: false });
  });

  it('calls the same payments stuck as an explanation does', async () => {
    for (const [state, limit] of Object.entries(OVERDUE_AFTER_MS)) {
      await know(database, `${state} in time`, state, limit - 1);
      await know(database, `${state} too long`, state, limit);
    }
    const { listed } = await takeListed(options(database), {}, Infinity);
    const stuck = listed.filter(({ verdict }) => verdict.stuck).map(({ row }) => row.payment_id);
    expect(await ids({ stuck: true })).toEqual(stuck);
    expect(stuck.toSorted()).toEqual(
      Object.keys(OVERDUE_AFTER_MS)
        .map((state) => `${state} too long`)
        .toSorted(),
    );
  });

  it('pages through more than one page, each payment once', async () => {
    for (let index = 0; index < 450; index += 1) {
      await know(database, String(index), index % 2 === 0 ? 'Held' : 'Captured', (index % 7) * MINUTE);
    }
    const all = await ids();
    expect(all).toHaveLength(450);
    expect(new Set(all).size).toBe(450);
    const { listed } = await takeListed(options(database), { states: ['Held'] }, Infinity);
    const times = listed.map(({ row }) => row.since_time);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it('keeps to a customer, an app and a time', async () => {
    await know(database, '1', 'Captured', MINUTE, { customerId: 'c_1', createdTime: now - 60 * MINUTE });
    await know(database, '2', 'Captured', MINUTE, { customerId: 'c_2' });
    await know(database, '3', 'Held', 90 * MINUTE, { customerId: 'c_1' });
    expect(await ids({ customer: 'c_1' })).toEqual(['3', '1']);
    expect(await ids({ since: now - 30 * MINUTE })).toEqual(['2']);
    expect(await ids({ since: now - 80 * MINUTE, customer: 'c_1' })).toEqual(['1']);
    const elsewhere = { ...options(database), app: { ...app, appId: 'app-2' } };
    expect(await takeListed(elsewhere, {}, 10)).toEqual({ listed: [], more: false });
  });
});

/** Every kind of question that a list asks about known payments. */
const spans: Span[] = [
  { state: 'Processing', order: 'oldest', to: now },
  { state: 'Held', order: 'oldest', after: now - MINUTE },
  { state: 'Captured', order: 'newest' },
  { state: 'Captured', order: 'newest', since: now - MINUTE },
  { state: 'Captured', order: 'newest', customer: 'c_7' },
];
const last = { since_time: now, payment_id: '5' } as Parameters<typeof spanQuery>[4];

function questions({ store }: DeskDatabase): Compilable[] {
  const pages = spans.flatMap((span) => [
    spanQuery(store.db, app, span, 100),
    spanQuery(store.db, app, span, 100, last),
  ]);
  return [...pages, { compile: () => statesQuery(app).compile(store.db) }];
}

describe('what is read again before those that need attention are listed', () => {
  it('is what is not settled, the newest first, up to a limit', async () => {
    const database = await memory();
    for (let number = 1; number <= MAX_REFRESHED; number += 1)
      await know(database, `created-${number}`, 'Created', number * MINUTE);
    await know(database, 'captured', 'Captured', MINUTE);
    await know(database, 'refunded', 'Refunded', MINUTE);
    const exact = await takeUnsettled(options(database), {});
    expect([exact.rows.length, exact.left]).toEqual([MAX_REFRESHED, false]);
    expect(exact.rows[0]?.payment_id).toBe('created-1');
    await know(database, 'odd', 'Settling', 0);
    const { rows, left } = await takeUnsettled(options(database), {});
    expect([rows.length, left, rows[0]?.payment_id]).toEqual([MAX_REFRESHED, true, 'odd']);
    await database.close();
  });
});

describe('what a list asks the database', () => {
  it('is served by an index on SQLite, without a scan or a sort', async () => {
    const database = await memory();
    for (const question of questions(database)) {
      const compiled = question.compile();
      const { rows } = await database.store.db.executeQuery<{ detail: string }>({
        ...compiled,
        sql: `explain query plan ${compiled.sql}`,
      });
      const plan = rows.map(({ detail }) => detail).join('\n');
      expect(plan).toMatch(
        /SEARCH known_payments USING (COVERING )?INDEX known_(in_state|of_customer) \(app_id=\?/,
      );
      expect(plan).not.toMatch(/SCAN known_payments|TEMP B-TREE/);
    }
    await database.close();
  });

  describeWithPostgres('on PostgreSQL', (postgres) => {
    it('is served by an index, without a scan or a sort', async () => {
      const location = await postgres().createDatabase();
      const database = await openDeskDatabase({ location, operator: 'op@desk' });
      const { store } = database;
      const { sql } = await import('kysely');
      const names = sql.raw(`array[${stateNames.map((name) => `'${name}'`).join(', ')}]`);
      await sql`insert into known_payments (app_id, payment_id, customer_id, state, source, known_time, state_time, since_time, seen_time)
        select ${app.appId}, n::text, 'c_' || (n % 5000), (${names})[1 + n % 14], 'heard', ${now}::bigint - n, ${now}::bigint - n, ${now}::bigint - n, ${now}::bigint
        from generate_series(1, 50000) n`.execute(store.db);
      await sql`analyze known_payments`.execute(store.db);
      for (const question of questions(database)) {
        const compiled = question.compile();
        const { rows } = await store.db.executeQuery<Record<string, string>>({
          ...compiled,
          sql: `explain ${compiled.sql}`,
        });
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
        expect(plan).toMatch(/Index (Only )?Scan.* using known_(in_state|of_customer)/);
        expect(plan).not.toMatch(/Seq Scan on known_payments|Sort/);
      }
      await database.close();
    });
  });
});

describe('payments list', () => {
  let desk: SeededDesk;
  let home: string;
  beforeAll(async () => {
    desk = await openSeededDesk();
  });
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'paydesk-list-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const run = (args: Array<string | number>, more: object = {}) =>
    desk.run('list', args, { env: { PAYDESK_HOME: home }, ...more });

  it('says what it is, and asks the service nothing', async () => {
    desk.requests();
    const { code, stdout, stderr } = await run([]);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toBe(
      'No matching payments.\nOnly payments that this desk knows are listed. --refresh reads them again.\n',
    );
    expect(desk.requests()).toEqual([]);
  });

  it('knows what this desk created and changed, and reads it again when asked to', async () => {
    const { paymentId, referenceId } = await desk.held();
    const env = { PAYDESK_HOME: home };
    await desk.fault({ kind: 'provider-silent', route: 'capture', next: 1 });
    expect((await desk.run('unhold', [paymentId, '--json'], { env })).code).toBe(0);
    const known = (await run(['--json'])).json;
    expect(known).toHaveLength(1);
    expect(known[0]).toMatchObject({
      paymentId,
      referenceId,
      customerId: 'c1',
      source: 'changed',
      currency: 'EUR',
      severity: 'waiting',
    });
    await desk.sandbox.call('POST', `/payments/${paymentId}/recheck`);
    await desk.sandbox.settle();
    desk.requests();
    const fresh = await run(['--refresh'], { terminal: true });
    expect(fresh.stdout).toMatch(
      new RegExp(`${paymentId} +${referenceId} +Captured +(≤ )?\\w+ \\w+ +EUR 10.50 +ok`),
    );
    expect(fresh.stderr).toContain('Known payments, read just now: 1 of 1 payment had changed.');
    expect(desk.requests()).toEqual([`GET /api/apps/${desk.sandbox.app.appId}/payments/${paymentId}`]);
    expect((await run(['--state', 'Captured', '--json'])).json).toHaveLength(1);
    expect((await run(['--state', 'Held', '--json'])).json).toHaveLength(0);
    expect((await run(['--csv'])).stdout.split('\n')[0]).toBe(
      'payment,reference,state,age,amount,currency,severity,customer,next,seen',
    );
  });

  it('finds what got stuck since it was last seen, when asked to read again', async () => {
    const env = { PAYDESK_HOME: home };
    const later = new Date(Date.now() + 20 * MINUTE);
    const captured = await desk.paid();
    const { paymentId } = await desk.sandbox.create({ returnUrl: 'https://shop.example/done' });
    await desk.run('get', [captured.paymentId, paymentId], { env });
    await desk.sandbox.pay(paymentId, 'unknown-charged');
    expect((await run(['--stuck', '--json'], { now: later })).json).toEqual([]);
    desk.requests();
    const { stdout, stderr } = await run(['--stuck', '--refresh'], { now: later });
    expect(stdout).toContain(`${paymentId}\t`);
    expect(stdout).toContain('Processing');
    expect(stderr).toContain('Known payments, read just now: 1 of 1 payment had changed.');
    expect(desk.requests()).toEqual([`GET /api/apps/${desk.sandbox.app.appId}/payments/${paymentId}`]);
    const resolve = 'Resolve them one by one: paydesk payments resolve --stuck\n';
    expect(stderr).not.toContain(resolve);
    expect((await run(['--stuck'], { now: later, terminal: true })).stderr).toContain(resolve);
    const none = await run(['--stuck', '--refresh', '--customer', 'somebody-else'], { now: later });
    expect(none.stderr).toContain('0 of 0 payments had changed');
  });

  it('puts an instruction without a known outcome first, and tells what settles it', async () => {
    const [lost, other] = [await desk.paid(), await desk.authorised()];
    const env = { PAYDESK_HOME: home };
    await desk.run('capture', [other.paymentId, '--wait'], { env });
    await desk.fault({ kind: 'drop-before-commit', route: 'refund', next: 1 });
    expect((await desk.run('refund', [lost.paymentId], { env })).code).toBe(6);
    const all = (await run(['--json'])).json;
    expect(all.map((row) => row['paymentId'])).toEqual([lost.paymentId, other.paymentId]);
    expect((await run(['--stuck', '--json'])).json).toMatchObject([
      {
        severity: 'urgent',
        stuck: true,
        open: { operation: 'refund', outcome: 'unknown' },
        recommended: `paydesk payments check ${lost.paymentId}`,
      },
    ]);
  });

  it('tells those that could not be read again', async () => {
    const { paymentId } = await desk.held();
    await desk.run('unhold', [paymentId], { env: { PAYDESK_HOME: home } });
    const database = await openDeskDatabase({ location: join(home, 'data', 'desk.db'), operator: 'op@desk' });
    const seen = { baseUrl: desk.sandbox.url, appId: desk.sandbox.app.appId, paymentId: '7', state: 'Held' };
    const { store } = database;
    await store.transaction((tx) => remember(tx, store.engine, { seen, source: 'heard', now: Date.now() }));
    await database.close();
    const { code, stdout, stderr } = await run(['--refresh']);
    expect([code, stdout.trimEnd().split('\n').length]).toEqual([7, 2]);
    expect(stderr).toContain('1 of 2 payments was not read again.');
    expect(stderr).toContain('There is no payment 7');
  });

  it('never contradicts what explain and watch showed before', async () => {
    const env = { PAYDESK_HOME: home };
    for (const name of ['seed-held', 'stuck-charged', 'seed-captured']) {
      const { json } = await desk.run('explain', [name, '--json'], { env, now: new Date() });
      const { json: listed } = await run(['--json'], { now: new Date() });
      expect(listed).toContainEqual(
        expect.objectContaining({
          referenceId: name,
          source: 'read',
          severity: json['severity'],
          stuck: json['stuck'],
          verdict: json['verdict'],
        }),
      );
    }
    await desk.run('watch', ['seed-cancelled'], { env });
    expect((await run(['--state', 'Cancelled', '--json'])).json).toMatchObject([
      { referenceId: 'seed-cancelled' },
    ]);
  });

  it('lists a failed refund of somebody else, once it was read', async () => {
    const env = { PAYDESK_HOME: home };
    const name = 'stuck-refund-failed';
    const { paymentId } = (await desk.explain(name)).payment;
    await desk.run('explain', [name], { env });
    expect((await run(['--json'])).json).toMatchObject([{ state: 'Refunding' }]);
    await desk.sandbox.call('POST', `/payments/${paymentId}/recheck`);
    await run(['--refresh']);
    expect((await run(['--stuck', '--json'])).json).toMatchObject([
      {
        paymentId,
        state: 'Captured',
        severity: 'attention',
        verdict: expect.stringMatching(
          /^The refund of EUR 44\.40 was in progress, and the payment shows Captured again\. If a check with the provider shows the same after .+, the refund has failed\.$/,
        ) as unknown,
      },
    ]);
  });

  it('refuses a state that does not exist, and takes one that only the service knows', async () => {
    const odd = await run(['--state', 'Capturd']);
    expect(odd.code).toBe(2);
    expect(odd.stderr).toContain('Unknown state: Capturd. Did you mean Captured?');
    const database = await openDeskDatabase({ location: join(home, 'data', 'desk.db'), operator: 'op@desk' });
    const { store } = database;
    const seen = {
      baseUrl: desk.sandbox.url,
      appId: desk.sandbox.app.appId,
      paymentId: '7',
      state: 'Settling',
    };
    await store.transaction((tx) => remember(tx, store.engine, { seen, source: 'heard', now: Date.now() }));
    await database.close();
    expect((await run(['--state', 'Settling', '--json'])).json).toMatchObject([{ paymentId: 7 }]);
  });

  it('says once that the service cannot be reached, and shows what was last seen', async () => {
    const names = ['seed-held', 'seed-captured', 'seed-created'];
    await desk.run('explain', names, { env: { PAYDESK_HOME: home } });
    const { closedPort } = await import('../helpers/servers.js');
    const app = { baseUrl: `http://127.0.0.1:${await closedPort()}`, appId: desk.sandbox.app.appId };
    const database = await openDeskDatabase({ location: join(home, 'data', 'desk.db'), operator: 'op@desk' });
    const { store } = database;
    for (const paymentId of ['1', '2', '3', '4']) {
      const seen = { ...app, paymentId, state: 'Held' };
      await store.transaction((tx) => remember(tx, store.engine, { seen, source: 'heard', now: Date.now() }));
    }
    await database.close();
    const env = { PAYDESK_HOME: home, PAYDESK_BASE_URL: app.baseUrl };
    const { code, stdout, stderr } = await desk.run('list', ['--refresh'], { env });
    expect([code, stdout.trimEnd().split('\n').length]).toEqual([5, expect.any(Number)]);
    expect(stdout.trimEnd().split('\n').length).toBeGreaterThanOrEqual(4);
    expect(stderr.match(/refused/g)).toHaveLength(1);
  });

  it('ends at its limit and says so', async () => {
    const env = { PAYDESK_HOME: home };
    for (let count = 0; count < 3; count += 1) {
      const { paymentId } = await desk.authorised();
      await desk.run('cancel', [paymentId], { env });
    }
    const { stdout, stderr } = await run(['--limit', '2']);
    expect(stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(stderr).toContain('There are more. Use --all to show all, or --limit N.');
    expect((await run(['--all'])).stdout.trimEnd().split('\n')).toHaveLength(3);
  });
});
