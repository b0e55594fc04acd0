import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, globSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { Client } from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import Apply from '../../../src/commands/batch/apply.js';
import { planLines, readPlanHeader } from '../../../src/batch/plan/plan-file.js';
import type { PlanRow } from '../../../src/batch/plan/plan-row.js';
import { createOwner } from '../../../src/store/owner.js';
import { describeWithPostgres } from '../../helpers/postgres.js';
import { eventually } from '../../helpers/sandbox.js';
import { toldOf } from './batches.js';
import { openProcessDesk, type ProcessDesk } from './processes.js';

let desk: ProcessDesk | undefined;
let database: Client | undefined;
const started: ChildProcess[] = [];
afterEach(async () => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  await database?.end();
  await desk?.close();
  [desk, database] = [undefined, undefined];
});

const [fakeTime] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1');

/** Rows that the plan leaves out: they take long to load and nothing to work on. */
const LEFT_OUT = 8_000;
const ACTING = 5;

/** A plan that takes seconds to load: a few payments to refund, and many rows that are left out. */
async function openLargePlan(address: string): Promise<{ desk: ProcessDesk; database: Client }> {
  desk = await openProcessDesk({ rows: ACTING, database: address });
  database = new Client({ connectionString: address });
  await database.connect();
  const { rows } = await database.query<{ plan_key: string }>('select plan_key from paydesk_desk.identity');
  const header = await readPlanHeader(desk.plan);
  const act: PlanRow[] = desk.payments.map(({ paymentId }, index) => ({
    line: index + 2,
    typed: String(paymentId),
    verdict: 'act',
    payment: String(paymentId),
    state: 'Captured',
    amount: '10.5',
    currency: 'EUR',
  }));
  const done = Array.from({ length: LEFT_OUT }, (_, index): PlanRow => {
    const payment = String(900_000_000 + index);
    return { line: index + 2 + ACTING, typed: payment, verdict: 'done', payment, state: 'Refunded' };
  });
  const none = {
    check: 0,
    'failed-before': 0,
    changed: 0,
    conflict: 0,
    'not-possible': 0,
    'not-found': 0,
    unreadable: 0,
  };
  const counts = { ...none, act: ACTING, done: LEFT_OUT };
  const all = (async function* () {
    yield* [...act, ...done];
  })();
  const summary = { rows: ACTING + LEFT_OUT, counts, totals: {}, failedTotals: {} };
  const file = createWriteStream(desk.plan);
  for await (const line of planLines(header, all, summary, {
    key: rows[0]!.plan_key,
    json: JSON.stringify,
  })) {
    file.write(line);
  }
  file.end();
  await once(file, 'close');
  return { desk, database };
}

/** Starts to apply the plan and pauses the process while it loads, between two transactions. */
async function pausedWhileLoading(
  { startWith, plan }: ProcessDesk,
  { query }: Query,
  env: Record<string, string> = {},
): Promise<ChildProcess> {
  const child = startWith(env, 'apply', plan);
  started.push(child);
  await eventually(async () => {
    child.kill('SIGCONT');
    const [loaded] = await query<{ count: string }>('select count(*) from paydesk_desk.batch_rows');
    expect(Number(loaded!.count)).toBeGreaterThan(0);
    child.kill('SIGSTOP');
    const open = await query(
      `select 1 from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`,
    );
    expect(open).toEqual([]);
  });
  const [batch] = await query<{ loader: string | null }>('select loader from paydesk_desk.batches');
  expect(batch!.loader).not.toBeNull();
  return child;
}

interface Query {
  query<T>(sql: string): Promise<T[]>;
}
const queryOf = (client: Client): Query => ({
  query: async <T>(sql: string) => (await client.query(sql)).rows as T[],
});

describeWithPostgres('a process that is paused while it loads a plan', (postgres) => {
  it('leaves the batch alone that another one has taken over', async () => {
    const opened = await openLargePlan(await postgres().createDatabase());
    const { query } = queryOf(opened.database);
    const paused = await pausedWhileLoading(opened.desk, { query });
    const loader = async () =>
      (await query<{ loader: string | null }>('select loader from paydesk_desk.batches'))[0]?.loader;
    const first = await loader();
    // As after a minute without a sign of the loader.
    await query('update paydesk_desk.batches set loading_time = loading_time - 61000');
    const applying = opened.desk.inThisProcess(Apply, opened.desk.plan, '--json');
    await eventually(async () => expect([undefined, first]).not.toContain(await loader()));
    const ended = once(paused, 'exit');
    paused.kill('SIGCONT');
    const [code] = (await ended) as [number];
    expect(code).toBe(9);
    const applied = await applying;
    expect(applied.json).toMatchObject({
      rows: ACTING + LEFT_OUT,
      done: ACTING,
      skipped: LEFT_OUT,
      pending: 0,
      state: 'finished',
    });
    expect(applied.code).toBe(0);
    expect(await toldOf(opened.desk.sandbox, opened.desk.payments, 'refund')).toEqual(Array(ACTING).fill(1));
  });

  it.skipIf(fakeTime === undefined)(
    'keeps its batch, however wrong its clock is',
    async () => {
      const opened = await openLargePlan(await postgres().createDatabase());
      const { query } = queryOf(opened.database);
      const behind = { LD_PRELOAD: fakeTime!, FAKETIME: '-90s', FAKETIME_DONT_FAKE_MONOTONIC: '1' };
      const paused = await pausedWhileLoading(opened.desk, { query }, behind);
      const other = await opened.desk.inThisProcess(Apply, opened.desk.plan, '--json');
      expect(other.json).toMatchObject({ error: { code: 'plan-in-use' } });
      const ended = once(paused, 'exit');
      paused.kill('SIGCONT');
      expect(((await ended) as [number])[0]).toBe(0);
      expect(await opened.desk.status()).toMatchObject({ done: ACTING, state: 'finished' });
    },
    90_000,
  );
});

describe('the owner of a lease', () => {
  const [, place] = /^(.+)\/\d+\/[0-9a-f]{8}$/.exec(createOwner().name) ?? [];
  // Process ids end below this.
  const dead = 2 ** 30;

  it('is known to be gone only on the same machine', () => {
    const { isGone } = createOwner();
    expect(isGone(`${place}/${dead}/00000000`)).toBe(true);
    expect(isGone(`${place}/${process.pid}/00000000`)).toBe(false);
    const namespace = readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '');
    expect(isGone(`${hostname()}/${namespace}/${dead}/00000000`)).toBe(false);
  });
});
