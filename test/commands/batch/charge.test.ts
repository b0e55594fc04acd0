import { once as onceOf } from 'node:events';
import { writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import Resume from '../../../src/commands/batch/resume.js';
import History from '../../../src/commands/history.js';
import type { SandboxOptions } from '../../../src/sandbox/sandbox.js';
import { describeWithPostgres } from '../../helpers/postgres.js';
import { type Client, newReference, type ShownPayment } from '../../helpers/sandbox.js';
import { type BatchDesk, type Json, openBatchDesk } from './batches.js';
import {
  chargeReferences,
  killAfter,
  openProcessDesk,
  type ProcessDesk,
  startUnanswered,
} from './processes.js';

let desk: BatchDesk;
beforeAll(async () => {
  desk = await openBatchDesk();
});
afterEach(() => desk.sandbox.control('DELETE', '/faults'));
afterAll(() => desk.close());

/** A customer with a stored method. */
async function stored(on = desk, card = 'approved'): Promise<string> {
  const customerId = `c-${newReference()}`;
  await on.paid(1, card, { registerAutoPayment: true, customerOrder: { customer: { customerId } } });
  return customerId;
}

async function planned(lines: string[], on = desk): Promise<string> {
  const out = on.path(`charges-${newReference()}.json`);
  const { code, stderr } = await on.run('plan', [on.csv(...lines), '--action', 'charge', '--out', out]);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return out;
}

const header = 'reference,customer,amount,currency';
const references = (count: number) => Array.from({ length: count }, newReference);

async function byReference(reference: string, on: { sandbox: Client } = desk) {
  const path = `/payments/referenceId:${encodeURIComponent(reference)}`;
  const { status, body } = await on.sandbox.call<ShownPayment>('GET', path);
  return status === 404 ? undefined : body;
}

/** How often the provider was told to authorise and to capture the payment of each reference; undefined where there is none. */
async function books(names: string[], on: { sandbox: Client } = desk) {
  const all: Array<string | undefined> = [];
  for (const name of names) {
    const payment = await byReference(name, on);
    const { authorize, capture } = payment ? await on.sandbox.books(payment.paymentId) : {};
    all.push(payment && `${authorize} ${capture}`);
  }
  return all;
}

const once = '1/1 1/1';
const rowsOf = (json: Json) => json.rows!.map((row) => [row.reference, row.outcome, row.after]);

describe('batch plan --action charge', () => {
  it('shows who cannot be charged, what was charged before, and the totals, and sends nothing', async () => {
    const good = await stored();
    const stopped = await stored();
    const { body } = await desk.sandbox.call<Json>('GET', `/customers/${stopped}/payment-methods`);
    const { customerAutomaticProfileId: registration, paymentMethodId: method } = body[0]!;
    await desk.sandbox.call('DELETE', `/customers/${stopped}/auto-payments/${String(registration)}`);
    await desk.sandbox.call('POST', '/customers', { customerId: 'c-bare' });
    const [fresh, done, declined, other, hosted] = references(5) as [string, string, string, string, string];
    await desk.run('apply', [
      await planned([header, `${done},${good},5.00,EUR`, `${other},${good},6.00,EUR`]),
    ]);
    await desk.fault({ kind: 'provider-fails', route: 'authorize', next: 1 });
    await desk.run('apply', [await planned([header, `${declined},${good},5.00,EUR`])]);
    await desk.sandbox.create({ referenceId: hosted, customerOrder: { customer: { customerId: good } } });
    desk.posts();
    const file = desk.csv(
      `${header},method`,
      `${fresh},${good},5.00,EUR,`,
      `n-1,${good},7.50,USD,`,
      `n-2,${good},7.50,EUR,999999`,
      `n-3,${stopped},7.50,EUR,`,
      `n-4,${stopped},7.50,EUR,${String(method)}`,
      'n-5,c-bare,7.50,EUR,',
      'n-6,c-nobody,7.50,EUR,',
      `${done},${good},5,EUR,`,
      `${declined},${good},5,EUR,`,
      `${other},${good},6.01,EUR,`,
      `${hosted},${good},10.50,EUR,`,
    );
    const { code, json } = await desk.run('plan', [file, '--action', 'charge', '--json']);
    expect(code).toBe(0);
    expect(json.rows!.map(({ verdict, why }) => [verdict, why])).toEqual([
      ['act', undefined],
      ['act', undefined],
      ['not-possible', `customer ${good} has no stored method 999999`],
      ['not-possible', `customer ${stopped} has no active stored method: auto-payment was stopped`],
      ['not-possible', expect.stringContaining('auto-payment was stopped')],
      ['not-possible', 'customer c-bare has no stored method'],
      ['not-found', 'there is no customer c-nobody'],
      ['done', 'Captured before'],
      ['failed-before', expect.stringMatching(/^(Declined|Failed).*: a new attempt needs a new reference$/)],
      ['conflict', expect.stringMatching(/^payment \d+ has this reference, with another amount$/)],
      ['conflict', expect.stringMatching(/^payment \d+ has this reference, with another flow$/)],
    ]);
    expect(json.totals).toEqual({ EUR: 5, USD: 7.5 });
    expect(json.rows![4]).toMatchObject({ customer: stopped, method: Number(method) });
    expect(json.rows![5]!.next).toBe('paydesk customers methods c-bare');
    const shown = await desk.run('plan', [file, '--action', 'charge'], { terminal: true, columns: 120 });
    expect(shown.stdout).toMatch(/will charge +2 +EUR 5.00 {3}USD 7.50/);
    expect(shown.stdout).toMatch(/failed before +1 +left out: a new attempt needs a new reference/);
    expect(shown.stdout).toMatch(/conflict +2/);
    expect(shown.stderr).not.toContain('--again');
    expect(desk.posts()).toEqual([]);
    expect(await byReference(fresh)).toBeUndefined();
  });

  it('leaves out an expired card, and charges the other one of a customer who has two', async () => {
    // Cards that were stored in 2023 and have expired since.
    const options: Partial<SandboxOptions> = { clock: Date.parse('2023-06-15T12:00:00Z') };
    const earlier = await openBatchDesk(options);
    try {
      const expired = await stored(earlier, 'expires-later');
      const order = { registerAutoPayment: true, customerOrder: { customer: { customerId: 'c-two' } } };
      await earlier.paid(1, 'expires-later', order);
      await earlier.paid(1, 'approved', order);
      const file = earlier.csv(header, `e-1,${expired},5,EUR`, 'e-2,c-two,5,EUR');
      const { json } = await earlier.run('plan', [file, '--action', 'charge', '--json']);
      expect(json.rows!.map(({ verdict, why }) => [verdict, why])).toEqual([
        ['not-possible', `the card of customer ${expired} expired 06/2025`],
        ['act', undefined],
      ]);
    } finally {
      await earlier.close();
    }
  });

  it.each(['items', 'ids'] as const)(
    'plans with a service that lists stored methods as %s',
    async (variant) => {
      const other = await openBatchDesk({ answers: { 'payment-methods': variant } });
      try {
        const customer = await stored(other);
        const file = other.csv(header, `v-1,${customer},5,EUR`);
        const { json } = await other.run('plan', [file, '--action', 'charge', '--json']);
        expect(json.rows!.map(({ verdict }) => verdict)).toEqual(['act']);
      } finally {
        await other.close();
      }
    },
  );

  it('reads what a spreadsheet saves, and refuses a file with doubles, gaps or missing columns as a whole', async () => {
    const customer = await stored();
    const [one, two] = references(2) as [string, string];
    const file = desk.csv(
      'Reference ID;Customer-ID;Amount;Currency;Shop',
      `${one};${customer};1.234,50;eur;x`,
      `${two};${customer};7,00;EUR;x`,
    );
    const read = await desk.run('plan', [file, '--action', 'charge', '--json']);
    expect(read.json).toMatchObject({ totals: { EUR: 1241.5 }, counts: { act: 2 } });
    const bad = desk.csv(
      'reference,customer,amount,method',
      `${one},${customer},5,`,
      `${one},${customer},5,`,
      `${two},,5,`,
      `x-1,${customer},,`,
      `x-2,${customer},0,`,
      `x-3,${customer},5,visa`,
    );
    desk.posts();
    const refused = await desk.run('plan', [bad, '--action', 'charge', '--json']);
    expect(refused.code).toBe(2);
    const details = refused.json.error!.details!.map(({ input, problem }) => `${input}: ${problem}`);
    expect(details).toEqual([
      `line 3: the reference ${one} is also on line 2`,
      'line 4: the customer is empty',
      'line 5: the amount is empty',
      expect.stringMatching(/^line 6: amount 0: /),
      'line 7: method visa: must be the number of a stored method',
    ]);
    const short = await desk.run('plan', [
      desk.csv('reference,amount', 'a,5'),
      '--action',
      'charge',
      '--json',
    ]);
    expect(short.json.error!.details).toEqual([
      { input: 'line 1', problem: 'add the column customer or customerId' },
    ]);
    expect(desk.posts()).toEqual([]);
  });
});

describe('batch apply of charges', () => {
  it('charges each once, reports the states, and gives the failed ones back with new references', async () => {
    const customer = await stored();
    const [good, bad, gone] = references(3) as [string, string, string];
    const lines = [
      `${header},description,ticket`,
      `${bad},${customer},19.90,EUR,November,T-7`,
      `${good},${customer},19.90,EUR,November,`,
      `${gone},c-nobody,19.90,EUR,,`,
    ];
    const plan = await planned(lines);
    await desk.fault({ kind: 'provider-fails', route: 'authorize', next: 1 });
    const applied = await desk.run('apply', [plan, '--concurrency', '1', '--json', '--reason', 'renewal']);
    expect(applied.code).toBe(7);
    expect(applied.json).toMatchObject({
      action: 'charge',
      done: 1,
      failed: 1,
      refused: 1,
      leftOut: 1,
      totals: { done: { EUR: 19.9 }, failed: { EUR: 19.9 } },
      state: 'finished',
    });
    const id = String(applied.json.id);
    const payment = (await byReference(good))!;
    expect(payment.paymentState).toBe('Captured');
    const report = (await desk.run('report', [id, '--json'])).json;
    expect(rowsOf(report)).toEqual([
      [bad, 'failed', expect.stringMatching(/Declined|Failed/)],
      [good, 'done', 'Captured'],
      [gone, 'refused', null],
    ]);
    expect(report.rows![1]).toMatchObject({
      payment: payment.paymentId,
      customer,
      method: null,
      amount: 19.9,
      currency: 'EUR',
      reason: 'renewal',
    });
    const markdown = (await desk.run('report', [id, '--format', 'markdown'])).stdout;
    expect(markdown).toContain('| done | 1 | EUR 19.90 |');
    expect(markdown).toContain(`| ${bad} |`);
    expect((await desk.run('status', [id], { terminal: true })).stdout).toMatch(/failed +1 +EUR 19.90/);

    const retry = (await desk.run('report', [id, '--not-done'])).stdout;
    expect(retry.split('\n')).toEqual([
      'reference,customer,method,amount,currency,description,reason,ticket',
      `${bad}-retry-1,${customer},,19.90,EUR,November,renewal,T-7`,
      `${gone},c-nobody,,19.90,EUR,,renewal,`,
      '',
    ]);
    const next = desk.path('retry.json');
    writeFileSync(desk.path('retry.csv'), retry);
    await desk.run('plan', [desk.path('retry.csv'), '--action', 'charge', '--out', next]);
    const second = await desk.run('apply', [next, '--json']);
    expect(second.json).toMatchObject({ done: 1, failed: 0, leftOut: 1 });
    expect(await books([bad, good, `${bad}-retry-1`, gone])).toEqual([
      expect.stringMatching(/^1\/0/),
      once,
      once,
      undefined,
    ]);
  });

  it('a file that is run again charges nothing, whatever became of its rows', async () => {
    const customer = await stored();
    const names = references(4);
    const lines = [header, ...names.map((name) => `${name},${customer},5,EUR`)];
    await desk.fault({ kind: 'provider-fails', route: 'authorize', next: 1 });
    const first = await desk.run('apply', [await planned(lines), '--json']);
    expect(first.json).toMatchObject({ done: 3, failed: 1 });
    const before = await books(names);
    desk.posts();
    const again = await planned(lines);
    const second = await desk.run('apply', [again, '--json']);
    expect(second).toMatchObject({ code: 0 });
    expect(second.json).toMatchObject({ done: 0, skipped: 3, failed: 1, leftOut: 4 });
    // Two plans of the same file before either is applied.
    const [one, two] = [await planned([header, `${newReference()},${customer},5,EUR`]), again];
    expect((await desk.run('apply', [two])).code).toBe(9);
    expect((await desk.run('apply', [one])).code).toBe(0);
    expect(await books(names)).toEqual(before);
    expect(desk.posts()).toHaveLength(1);
  });

  it('two plans of one file charge once, also when they are applied at the same time', async () => {
    const customer = await stored();
    const names = references(12);
    const lines = [header, ...names.map((name) => `${name},${customer},5,EUR`)];
    const plans = [await planned(lines), await planned(lines)];
    const runs = await Promise.all(plans.map((plan) => desk.run('apply', [plan, '--json'])));
    expect(runs.map(({ code, json }) => [code, json.done])).toEqual([
      [0, 12],
      [0, 12],
    ]);
    expect(await books(names)).toEqual(Array(12).fill(once));
  });

  it('looks for a lost answer by the reference, and charges once', async () => {
    const customer = await stored();
    const names = references(6);
    const plan = await planned([header, ...names.map((name) => `${name},${customer},5,EUR`)]);
    for (const kind of ['drop-after-commit', 'error-after-commit', 'truncate']) {
      await desk.fault({ kind, route: 'createAutoPayment', next: 2 });
    }
    const { code, json } = await desk.run('apply', [plan, '--json', '--concurrency', '3']);
    expect([code, json.done, json.unknown]).toEqual([0, 6, 0]);
    expect(await books(names)).toEqual(Array(6).fill(once));
  });

  it('keeps what nobody can tell as unknown: resume only looks, and a person may send it again', async () => {
    const customer = await stored();
    const [name] = references(1) as [string];
    const plan = await planned([header, `${name},${customer},5,EUR`]);
    await desk.fault({ kind: 'drop-before-commit', route: 'createAutoPayment' });
    const lost = await desk.run('apply', [plan, '--json']);
    expect(lost).toMatchObject({ code: 6 });
    expect(lost.json).toMatchObject({ unknown: 1, state: 'unsettled' });
    await desk.sandbox.control('DELETE', '/faults');
    const id = String(lost.json.id);
    // Its reference stays: a new one could charge the customer twice.
    expect((await desk.run('report', [id, '--not-done'])).stdout).toContain(`\n${name},${customer},`);
    desk.posts();
    const looked = await desk.run('resume', [id, '--json']);
    expect([looked.code, looked.json.unknown, desk.posts()]).toEqual([6, 1, []]);
    const sent = await desk.run('resume', [id, '--resend-unmoved', '--json']);
    expect([sent.code, sent.json.done]).toEqual([0, 1]);
    expect(await books([name])).toEqual([once]);
  });

  it('follows charges that are on their way when the batch is resumed', async () => {
    const customer = await stored();
    const [name] = references(1) as [string];
    await desk.fault({ kind: 'provider-silent', route: 'authorize', next: 1 });
    const applied = await desk.run('apply', [await planned([header, `${name},${customer},5,EUR`]), '--json']);
    expect(applied.json).toMatchObject({ done: 1, accepted: 1 });
    const { paymentId } = (await byReference(name))!;
    await desk.sandbox.call('POST', `/payments/${paymentId}/recheck`);
    const id = String(applied.json.id);
    expect((await desk.run('resume', [id, '--json'])).json).toMatchObject({ done: 1, accepted: 0 });
    expect(rowsOf((await desk.run('report', [id, '--json'])).json)).toEqual([[name, 'done', 'Captured']]);
  });

  it('shows the currency that was charged where the file has none, or another one', async () => {
    const customer = await stored();
    const [none, other] = references(2) as [string, string];
    const plan = await planned([header, `${none},${customer},5,`, `${other},${customer},5,USD`]);
    const limited = await desk.run('apply', [plan, '--max-total', 'USD=100', '--json']);
    expect([limited.code, limited.json.error!.message]).toEqual([
      9,
      expect.stringContaining('without a currency'),
    ]);
    const { code, json } = await desk.run('apply', [plan, '--json']);
    expect([code, json.totals!.done]).toEqual([7, { EUR: 5 }]);
    const { rows } = (await desk.run('report', [String(json.id), '--json'])).json;
    expect(rows!.map(({ currency, outcome, why }) => [currency, outcome, why])).toEqual([
      ['EUR', 'done', null],
      ['EUR', 'unknown', 'charged in EUR, and the file says USD'],
    ]);
    const resumed = await desk.run('resume', [String(json.id), '--json']);
    expect([resumed.code, resumed.json]).toMatchObject([7, { done: 1, unknown: 1 }]);
    desk.posts();
    await desk.run('resume', [String(json.id), '--resend-unmoved', '--json']);
    expect(desk.posts()).toEqual([]);
  });

  it('ends a canary with a charge in another currency than the limit was meant for', async () => {
    const customer = await stored();
    const rows = references(3).map((name) => `${name},${customer},5000,JPY`);
    const plan = await planned([header, ...rows]);
    const applied = await desk.run('apply', [plan, '--max-total', 'JPY=20000', '--canary', '1', '--json']);
    expect([applied.code, applied.json]).toMatchObject([7, { done: 0, unknown: 1 }]);
    const { rows: reported } = (await desk.run('report', [String(applied.json.id), '--json'])).json;
    expect(reported!.map(({ outcome }) => outcome)).toEqual(['unknown', 'pending', 'pending']);
  });

  it('charges an amount with zeros in front, without them', async () => {
    const customer = await stored();
    const [name] = references(1) as [string];
    const plan = await planned([header, `${name},${customer},007.50,EUR`]);
    const { code, json } = await desk.run('apply', [plan, '--json']);
    expect([code, json.totals!.done]).toEqual([0, { EUR: 7.5 }]);
  });

  it('reports a method that was removed after the plan as refused, with its reference kept', async () => {
    const customer = await stored();
    const [name] = references(1) as [string];
    const plan = await planned([header, `${name},${customer},5,EUR`]);
    const { body } = await desk.sandbox.call<Json>('GET', `/customers/${customer}/payment-methods`);
    await desk.sandbox.call(
      'DELETE',
      `/customers/${customer}/payment-methods/${String(body[0]!.paymentMethodId)}`,
    );
    const { code, json } = await desk.run('apply', [plan, '--json']);
    expect([code, json.refused]).toEqual([7, 1]);
    const id = String(json.id);
    expect((await desk.run('report', [id, '--json'])).json.rows![0]!.why).toContain(
      'no active stored method',
    );
    expect((await desk.run('report', [id, '--not-done'])).stdout).toContain(`\n${name},`);
  });

  it('asks on a live app, refuses a read-only desk and --again, and sends nothing in a dry run', async () => {
    const customer = await stored();
    const [name] = references(1) as [string];
    const plan = await planned([header, `${name},${customer},5,EUR`]);
    desk.posts();
    const readOnly = await desk.run('apply', [plan, '--json'], { env: { PAYDESK_READ_ONLY: '1' } });
    expect([readOnly.code, readOnly.json.error!.code]).toEqual([9, 'read-only']);
    const again = await desk.run('apply', [plan, '--again', '--json']);
    expect([again.code, again.json.error!.message]).toEqual([2, expect.stringContaining('a new reference')]);
    const dry = await desk.run('apply', [plan, '--dry-run', '--json']);
    expect([dry.code, dry.json.wouldSend]).toEqual([0, 1]);
    const { app, live } = desk.sandbox;
    const livePlan = desk.path('live.json');
    const { paymentId } = await desk.sandbox.create(
      { registerAutoPayment: true, customerOrder: { customer: { customerId: 'c-live' } } },
      { appId: live.appId, key: live.apiKey },
    );
    await desk.sandbox.pay(paymentId);
    const file = desk.csv(header, `${name},c-live,5,EUR`);
    await desk.run('plan', [file, '--action', 'charge', '--out', livePlan], { env: desk.liveEnv });
    const unconfirmed = await desk.run('apply', [livePlan, '--json'], { env: desk.liveEnv });
    const wrong = await desk.run('apply', [livePlan, '--confirm', app.appId], { env: desk.liveEnv });
    expect([unconfirmed.code, wrong.code]).toEqual([9, 9]);
    expect(desk.posts().filter((line) => line.includes('auto'))).toEqual([]);
    const confirmed = await desk.run('apply', [livePlan, '--confirm', live.appId, '--json'], {
      env: desk.liveEnv,
    });
    expect(confirmed.json).toMatchObject({ done: 1, kind: 'live' });
  });
});

describe('charges whose process is killed', () => {
  let open: ProcessDesk | undefined;
  afterEach(() => open?.close());

  /** Kills the run in the middle, and finishes the batch with as many runners: this process and others. */
  async function killAndResume(
    rows: number,
    { runners, database }: { runners: number; database?: string },
  ): Promise<void> {
    open = await openProcessDesk({ rows, action: 'charge', ...(database && { database }) });
    const names = chargeReferences(rows);
    expect(await killAfter(open, open.start('apply', open.plan), 20)).toBe(true);
    expect(await byReference(names.at(-1)!, open)).toBeUndefined();
    const { run, inThisProcess, status } = open;
    const id = String((await status()).id);
    const others = Array.from({ length: runners - 1 }, () => run('resume', id));
    await Promise.all([inThisProcess(Resume, id), ...others]);
    expect(await status()).toMatchObject({ action: 'charge', rows, done: rows, state: 'finished' });
    expect(await books(names, open)).toEqual(Array(rows).fill(once));
  }

  it('are made once each, on SQLite', () => killAndResume(24, { runners: 1 }));

  it('are unknown in status and history until resume has found them', async () => {
    open = await openProcessDesk({ rows: 2, action: 'charge' });
    const { sandbox, inThisProcess, status } = open;
    const child = await startUnanswered(open, 'charge');
    child.kill('SIGKILL');
    await onceOf(child, 'exit');
    const { id } = await status();
    expect(await status()).toMatchObject({ unknown: 1, pending: 1 });
    const history = async () => (await inThisProcess(History, '--json')).json as unknown as unknown[];
    const [reference] = chargeReferences(2);
    expect(await history()).toMatchObject([
      { operation: 'charge', outcome: 'unknown', referenceId: reference, batch: id },
    ]);
    await sandbox.control('DELETE', '/faults');
    await inThisProcess(Resume, String(id));
    expect(await status()).toMatchObject({ done: 2, state: 'finished' });
    expect(await history()).toMatchObject([{ outcome: 'done' }, { outcome: 'done' }]);
  });

  describeWithPostgres('on PostgreSQL', (postgres) => {
    it('are made once each, by two runners', async () => {
      await killAndResume(24, { runners: 2, database: await postgres().createDatabase() });
    });
  });
});
