import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createBatches } from '../../../src/batch/rows/batches.js';
import { runBatch } from '../../../src/batch/run/run.js';
import { databaseLocation } from '../../../src/cli/desk/desk-database.js';
import { createClient } from '../../../src/client/client.js';
import { systemClock } from '../../../src/client/clock.js';
import type { RetryPolicy } from '../../../src/client/retry.js';
import { openDeskDatabase } from '../../../src/ledger/database.js';
import { steadyNow } from '../../../src/ledger/steady-clock.js';
import { createOwner } from '../../../src/store/owner.js';
import { paydeskTty } from '../../helpers/run.js';
import { eventually } from '../../helpers/sandbox.js';
import { type BatchDesk, openBatchDesk, waiting } from './batches.js';

let desk: BatchDesk;
beforeAll(async () => {
  desk = await openBatchDesk();
});
afterEach(() => desk.sandbox.control('DELETE', '/faults'));
afterAll(() => desk.close());

const reads = () => desk.sandbox.lines.filter(({ method }) => method === 'GET').length;

/** Long sentences are broken into lines. */
const unbroken = (text: string) => text.replaceAll(/\s+/g, ' ');

describe('batch resume', () => {
  waiting(
    'settles by reading what was carried out and lost its answer, and sends nothing again',
    async (desk) => {
      const payments = await desk.paid(6);
      await desk.fault({ kind: 'drop-after-commit', route: 'refund', next: 3 });
      const { json } = await desk.run('apply', [await desk.planned(payments), '--json']);
      await desk.sandbox.control('DELETE', '/faults');
      const { code, json: after } = await desk.run('resume', [json.id!, '--json']);
      expect(after).toMatchObject({ done: 6, unknown: 0, pending: 0, state: 'finished' });
      expect(code).toBe(0);
      expect(await desk.told(payments, 'refund')).toEqual(Array(6).fill(1));
    },
  );

  waiting(
    'leaves unknown what never arrived, says so with 7, and sends nothing before the quiet period is over',
    async (desk) => {
      const env = { PAYDESK_QUIET_PERIOD: '10m' };
      const payments = await desk.paid(5);
      await desk.fault({ kind: 'drop-before-commit', route: 'refund', next: 1 });
      const applied = await desk.run('apply', [await desk.planned(payments), '--json'], { env });
      expect(applied.code).toBe(7);
      expect(applied.json).toMatchObject({ done: 4, unknown: 1, state: 'unsettled' });
      desk.posts();
      const id = applied.json.id!;
      const again = await desk.run('resume', [id, '--json'], { env });
      expect([again.code, again.json.unknown]).toEqual([7, 1]);
      expect(again.json.next).toEqual([`paydesk batch resume ${id}`, `paydesk batch report ${id}`]);
      const later = /Run batch resume again at \d\d:\d\d UTC: it reads the payment and sends nothing\./;
      expect(unbroken((await desk.run('resume', [id], { env })).stderr)).toMatch(later);
      expect(unbroken((await desk.run('status', [id], { env, terminal: true })).stdout)).toMatch(later);
      const early = await desk.run('resume', [id, '--resend-unmoved', '--json'], { env });
      expect([early.code, early.json.unknown]).toEqual([7, 1]);
      expect(desk.posts().filter((line) => line.endsWith('/refund'))).toEqual([]);
      const report = await desk.run('report', [id, '--json']);
      expect(report.json.rows!.find((row) => row.outcome === 'unknown')!.why).toMatch(
        /it can be sent again at \d\d:\d\d UTC/,
      );
    },
  );

  waiting(
    'sends again what never arrived once the quiet period is over, if a person decides so',
    async (desk) => {
      const payments = await desk.paid(5);
      await desk.fault({ kind: 'drop-before-commit', route: 'refund', next: 2 });
      const { json } = await desk.run('apply', [await desk.planned(payments), '--json']);
      expect(json).toMatchObject({ done: 3, unknown: 2 });
      desk.posts();
      const decide = () => resumeLater(desk, String(json.id), { minutes: 11, resend: true });
      expect((await decide()).counts).toMatchObject({ done: 5, unknown: 0, pending: 0 });
      const refunds = () => desk.posts().filter((line) => line.endsWith('/refund'));
      expect(refunds()).toHaveLength(2);
      expect(await desk.told(payments, 'refund')).toEqual(Array(5).fill(1));
      expect((await decide()).counts).toMatchObject({ done: 5 });
      expect(refunds()).toEqual([]);
    },
  );

  waiting(
    'says once the quiet period is over that a person may decide, and sends nothing until then',
    async (desk) => {
      const env = { PAYDESK_QUIET_PERIOD: '3s' };
      const payments = await desk.paid(3);
      await desk.fault({ kind: 'drop-before-commit', route: 'refund', next: 2 });
      const { json } = await desk.run('apply', [await desk.planned(payments), '--json'], { env });
      expect(json).toMatchObject({ done: 1, unknown: 2 });
      const id = json.id!;
      desk.posts();
      const decide = `paydesk batch resume ${id} --resend-unmoved`;
      await eventually(async () => {
        const again = await desk.run('resume', [id, '--json'], { env });
        expect(again.json.next).toEqual([decide, `paydesk batch report ${id}`]);
      });
      const { stderr } = await desk.run('resume', [id], { env });
      expect(unbroken(stderr)).toContain('You can decide to send them again: --resend-unmoved sends those');
      const status = await desk.run('status', [id], { env, terminal: true });
      expect(status.stdout).toContain(decide);
      const refunds = () => desk.posts().filter((line) => line.endsWith('/refund'));
      expect(refunds()).toEqual([]);
      const decided = await desk.run('resume', [id, '--resend-unmoved', '--json'], { env });
      expect([decided.code, decided.json]).toEqual([0, expect.objectContaining({ done: 3, unknown: 0 })]);
      expect(refunds()).toHaveLength(2);
    },
  );

  waiting('sends nothing again unless a person decides so, however much later', async (desk) => {
    const payments = await desk.paid(1);
    await desk.fault({ kind: 'drop-before-commit', route: 'refund', next: 1 });
    const { json } = await desk.run('apply', [await desk.planned(payments), '--json']);
    desk.posts();
    const { counts } = await resumeLater(desk, String(json.id), { minutes: 600, resend: false });
    expect(counts).toMatchObject({ done: 0, unknown: 1 });
    expect(desk.posts().filter((line) => line.endsWith('/refund'))).toEqual([]);
  });

  waiting(
    'finds out that nothing was sent for an unknown row, and leaves it to the next run',
    async (desk) => {
      const payments = await desk.paid(2);
      const plan = await desk.planned(payments);
      await desk.fault({ kind: 'drop-before-commit', route: '*' });
      const { json } = await desk.run('apply', [plan, '--json']);
      expect(json).toMatchObject({ pending: 2 });
      await desk.sandbox.control('DELETE', '/faults');
      const id = json.id!;
      // As an error that nobody expected leaves a row, before anything was sent.
      const database = await openDeskDatabase({ location: databaseLocation(desk.env), operator: 'test' });
      await database.store.transaction((tx) =>
        tx.updateTable('batch_rows').set({ outcome: 'unknown' }).where('batch_id', '=', id).execute(),
      );
      await database.close();
      desk.posts();
      const refunds = () => desk.posts().filter((line) => line.endsWith('/refund'));

      const checked = await desk.run('resume', [id, '--json']);
      expect(checked.json).toMatchObject({ done: 0, unknown: 0, pending: 2 });
      expect(checked.json.next?.[0]).toBe(`paydesk batch resume ${id}`);
      expect(refunds()).toEqual([]);
      const { json: sent } = await desk.run('resume', [id, '--json']);
      expect(sent).toMatchObject({ done: 2, unknown: 0, pending: 0 });
      expect(refunds()).toHaveLength(2);
    },
  );

  waiting('ends with 6 when nothing is known to be done and something may be', async (desk) => {
    const payments = await desk.paid(1);
    await desk.fault({ kind: 'drop-before-commit', route: 'refund', next: 1 });
    const { code, stderr } = await desk.run('apply', [await desk.planned(payments)]);
    expect(code).toBe(6);
    expect(stderr).toMatch(/paydesk batch resume 20261116-\w{6}/);
  });

  waiting('sends nothing for a batch that is finished', async (desk) => {
    const payments = await desk.paid(4);
    const { json } = await desk.run('apply', [await desk.planned(payments), '--json']);
    desk.posts();
    const { code, json: after } = await desk.run('resume', [json.id!, '--json']);
    expect([code, after.done, after.state]).toEqual([0, 4, 'finished']);
    expect(desk.posts()).toEqual([]);
  });

  waiting(
    'sends nothing for a row that is over, although the ledger has let go of what was sent',
    async (desk) => {
      const payments = await desk.paid(2);
      await desk.fault({ kind: 'provider-silent', route: 'refund', next: 2 });
      const { json } = await desk.run('apply', [await desk.planned(payments), '--json']);
      expect(json).toMatchObject({ accepted: 2, state: 'finished' });
      desk.posts();
      // As when a sandbox is started anew: the payments are there again as they were before.
      const { store, close } = await openDeskDatabase({
        location: databaseLocation(desk.env),
        operator: 't',
      });
      await store.transaction(async (tx) => {
        await tx.updateTable('intents').set({ retired: 1 }).execute();
        await tx.deleteFrom('holds').execute();
        await tx.updateTable('batch_rows').set({ before_state: 'Refunding' }).execute();
      });
      await close();
      const { code, json: after } = await desk.run('resume', [json.id!, '--json']);
      expect([code, after]).toEqual([0, expect.objectContaining({ accepted: 2, skipped: 0 })]);
      expect(desk.posts()).toEqual([]);
    },
  );

  waiting('knows no batch that is not there, and none of another app', async (desk) => {
    expect((await desk.run('resume', ['20200101-nothere'])).code).toBe(2);
    const { json } = await desk.run('apply', [await desk.planned(await desk.paid(1)), '--json']);
    const other = await desk.run('resume', [json.id!, '--json'], { env: desk.liveEnv });
    expect([other.code, other.json.error!.code]).toEqual([9, 'other-app']);
  });

  it('waits with --wait for what an earlier run left on its way, once everything is sent', async () => {
    const payments = await desk.paid(3);
    await desk.fault({ kind: 'provider-silent', route: 'refund', next: 1 });
    const waiting = ['--wait', '--concurrency', '1', '--timeout', '3s', '--json'];
    const { code, json } = await desk.run('apply', [await desk.planned(payments), ...waiting]);
    expect([code, json.accepted, json.pending]).toEqual([8, 1, 2]);
    const silent = await desk.run('resume', [json.id!, '--wait', '--timeout', '3s', '--json']);
    expect([silent.code, silent.json]).toEqual([8, expect.objectContaining({ accepted: 1, pending: 0 })]);
    expect(await desk.told(payments, 'refund')).toEqual([1, 1, 1]);
    await desk.sandbox.call('POST', `/payments/${payments[0]!.paymentId}/recheck`);
    const ended = await desk.run('resume', [json.id!, '--wait', '--json']);
    expect([ended.code, ended.json]).toEqual([0, expect.objectContaining({ done: 3, accepted: 0 })]);
  });
});

interface ResumeOptions {
  minutes: number;
  resend: boolean;
  /** The clock by which the desk sees how long ago it wrote an intent. */
  steady?: () => number;
  retry?: RetryPolicy;
}

/** What `batch resume` does, with a ledger whose clocks have gone on. */
async function resumeLater(
  { env, sandbox }: BatchDesk,
  id: string,
  { minutes, resend, ...options }: ResumeOptions,
) {
  const laterMs = minutes * 60_000;
  const now = () => Date.now() + laterMs;
  const steady = () => ({ ...steadyNow(), ms: steadyNow().ms + laterMs });
  const location = databaseLocation(env);
  const database = await openDeskDatabase({ location, operator: 'tester', now, steady });
  const app = {
    baseUrl: sandbox.url,
    appId: sandbox.app.appId,
    kind: 'sandbox',
    profile: undefined,
  } as const;
  const client = createClient({
    ...app,
    apiKey: () => sandbox.app.apiKey,
    ...(options.retry && { retry: options.retry }),
  });
  const { signal } = new AbortController();
  const tools = {
    desk: {
      client,
      settling: client,
      ledger: database.ledger,
      app,
      quietMs: 600_000,
      clock: systemClock,
      steady: options.steady ?? (() => performance.now()),
      signal,
      waitMs: 10_000,
      note: () => undefined,
    },
    store: database.store,
    owner: createOwner(),
    stop: signal,
    onProgress: () => undefined,
  };
  try {
    const batch = await createBatches(database.store).find(id);
    return await runBatch(tools, batch, { concurrency: 4, wait: false, resend, lookAgain: true });
  } finally {
    await client.close();
    await database.close();
  }
}

describe('a machine that is too busy to send in time', () => {
  it('tries the row again, and does not take it for an outage of the service', async () => {
    const payments = await desk.paid(4);
    const plan = await desk.planned(payments);
    await desk.fault({ kind: 'drop-before-commit', route: '*' });
    const { json } = await desk.run('apply', [plan, '--json']);
    expect(json).toMatchObject({ stopped: 'outage', pending: 4 });
    await desk.sandbox.control('DELETE', '/faults');
    desk.requests();
    // Each time that the clock is read a minute has passed, until it was read 14 times.
    let minutes = 0;
    const steady = () => (minutes = Math.min(14, minutes + 1)) * 60_000;
    const retry = { attempts: 1, baseMs: 1, capMs: 1 };
    const resumed = await resumeLater(desk, json.id!, { minutes: 0, resend: false, steady, retry });
    expect(minutes).toBe(14);
    expect(resumed).toMatchObject({ counts: { done: 4, pending: 0, unknown: 0 } });
    expect(resumed.stopped).toBeUndefined();
    expect(await desk.told(payments, 'refund')).toEqual([1, 1, 1, 1]);
  });
});

describe('a live app', () => {
  it('asks again for confirmation when a batch is resumed at the terminal', async () => {
    const { appId, apiKey } = desk.sandbox.live;
    const payments = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const payment = await desk.sandbox.create({ amount: 12.5 }, { key: apiKey, appId });
        const { paymentId } = payment;
        await desk.sandbox.control('POST', `/payments/${paymentId}/pay?appId=${appId}`, { card: 'approved' });
        return payment;
      }),
    );
    await desk.sandbox.settle();
    const env = desk.liveEnv;
    const out = desk.path('live-resumed.json');
    const csv = desk.csv('payment', ...payments.map(({ paymentId }) => paymentId));
    await desk.run('plan', [csv, '--action', 'refund', '--out', out], { env });
    await desk.fault({ kind: 'drop-before-commit', route: '*' });
    const stopped = await desk.run('apply', [out, '--confirm', appId, '--json'], { env });
    expect(stopped.code).toBe(5);
    await desk.sandbox.control('DELETE', '/faults');
    const [id] = (await desk.run('status', ['--json'], { env })).json.map((batch) => String(batch.id));
    const resume = ['batch', 'resume', id!];
    desk.posts();

    const unasked = await desk.run('resume', [id!], { env, id: 'batch:resume' });
    expect(unasked.code).toBe(9);
    expect(unasked.stderr).toContain(`paydesk batch resume ${id} --confirm ${appId}`);
    const left = await paydeskTty(resume, { home: desk.home, env });
    await left.waitFor('LIVE');
    await left.waitFor(`Resume batch ${id}.`);
    await left.waitFor('Refund 3 payments, EUR 37.50 in total?');
    await left.waitFor('Type the App ID to confirm:');
    left.type(desk.sandbox.app.appId);
    left.press('enter');
    await left.waitFor(`Type the App ID, ${appId},`);
    left.press('ctrl-c');
    expect(await left.ended()).toBe(130);
    expect(desk.posts()).toEqual([]);

    const meant = await paydeskTty(resume, { home: desk.home, env });
    await meant.waitFor('Type the App ID to confirm:');
    meant.type(appId);
    meant.press('enter');
    await meant.waitFor(/accepted +3 +EUR 37\.50/);
    expect(await meant.ended()).toBe(0);
    expect(desk.posts().filter((line) => line.endsWith('/refund'))).toHaveLength(3);
  });
});

describe('an outage', () => {
  it('from the start sends nothing: 5', async () => {
    const plan = await desk.planned(await desk.paid(6));
    await desk.fault({ kind: 'drop-before-commit', route: '*' });
    desk.posts();
    const { code, stderr } = await desk.run('apply', [plan]);
    expect(code).toBe(5);
    expect(stderr).toContain('paydesk stopped sending');
    expect(stderr).toMatch(/paydesk batch resume/);
    expect(desk.posts()).toEqual([]);
  });

  it('that begins with the first instruction sends one', async () => {
    const plan = await desk.planned(await desk.paid(6));
    await desk.fault({ kind: 'latency', route: 'refund', next: 1, delayMs: 800 });
    await desk.fault({ kind: 'drop-before-commit', route: 'refund' });
    desk.posts();
    const applying = desk.run('apply', [plan, '--json']);
    await eventually(() => expect(reads()).toBeGreaterThanOrEqual(3));
    await desk.fault({ kind: 'drop-before-commit', route: 'get' });
    const { code, json } = await applying;
    expect(code).toBe(6);
    expect(json).toMatchObject({ stopped: 'outage', done: 0, unknown: 1, pending: 5 });
    expect(desk.posts().filter((line) => line.endsWith('/refund'))).toHaveLength(1);
  });

  it('in the middle stops sending within one round, and resume goes on', async () => {
    const payments = await desk.paid(48);
    const plan = await desk.planned(payments);
    desk.posts();
    const applying = desk.run('apply', [plan, '--json']);
    const sent = () => desk.sandbox.lines.filter(({ path }) => path.endsWith('/refund')).length;
    await eventually(() => expect(sent()).toBeGreaterThan(12));
    await desk.fault({ kind: 'drop-before-commit', route: '*' });
    const before = sent();
    const { code, json } = await applying;
    expect(sent() - before).toBeLessThanOrEqual(8);
    expect([code, json.stopped]).toEqual([7, 'outage']);
    expect(json.pending).toBeGreaterThan(0);
    const still = await desk.run('resume', [json.id!, '--json']);
    expect([still.code, still.json.stopped]).toEqual([7, 'outage']);
    await desk.sandbox.control('DELETE', '/faults');
    const { json: rest } = await desk.run('resume', [json.id!, '--json']);
    expect(rest).toMatchObject({ pending: 0, unknown: json.unknown });
    const told = await desk.told(payments, 'refund');
    expect(Math.max(...told)).toBe(1);
    expect(told.filter((count) => count === 0)).toHaveLength(Number(json.unknown));
  });

  it('of one payment does not stop the others', async () => {
    const payments = await desk.paid(12);
    const plan = await desk.planned(payments);
    await desk.fault({ kind: 'error-before-commit', route: 'refund', next: 2 });
    const { code, json } = await desk.run('apply', [plan, '--json']);
    expect([code, json.done, json.unknown]).toEqual([7, 10, 2]);
  });
});

describe('Ctrl-C', () => {
  it('begins nothing new, brings what is in flight to its end, and says how to go on: 130', async () => {
    const payments = await desk.paid(30);
    const plan = await desk.planned(payments);
    desk.posts();
    const sent = () => desk.sandbox.lines.filter(({ path }) => path.endsWith('/refund')).length;
    const { code, stdout, stderr } = await desk.run('apply', [plan], {
      terminal: true,
      onStart: (interrupt) => void eventually(() => expect(sent()).toBeGreaterThan(5)).then(interrupt),
    });
    expect(code).toBe(130);
    expect(stderr).toContain('Stopping: nothing new is sent.');
    const [, done] = /accepted +(\d+)/.exec(stdout) ?? [];
    const [, left] = /left to do +(\d+)/.exec(stdout) ?? [];
    expect(Number(done) + Number(left)).toBe(30);
    expect(stderr).toMatch(new RegExp(`batch resume sends the remaining (${left} rows|row)\\.`));
    expect(stdout).not.toContain('To check');
    const [, id] = /Next: {2}paydesk batch resume (\S+)/.exec(stderr) ?? [];
    const told = await desk.told(payments, 'refund');
    expect(told.filter((count) => count === 1)).toHaveLength(Number(done));
    expect((await desk.run('resume', [id!, '--json'])).json).toMatchObject({ done: 30, state: 'finished' });
    expect(await desk.told(payments, 'refund')).toEqual(Array(30).fill(1));
  });
});
