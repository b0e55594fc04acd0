import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import History from '../../../src/commands/history.js';
import { runInProcess } from '../../helpers/in-process.js';
import { describeWithPostgres } from '../../helpers/postgres.js';
import { paydesk, paydeskTty } from '../../helpers/run.js';
import { eventually } from '../../helpers/sandbox.js';
import { createFlags, envOf, openTestDesk, payments, type TestDesk } from '../../helpers/desk.js';

let desk: TestDesk;
let home: string;
beforeAll(async () => {
  desk = await openTestDesk();
});
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'paydesk-ledger-'));
});
afterEach(async () => {
  await desk.sandbox.control('DELETE', '/faults');
  rmSync(home, { recursive: true, force: true });
});
afterAll(() => desk.sandbox.close());

const run = (verb: string, args: Array<string | number>, env: Record<string, string> = {}) =>
  desk.run(verb, [...args, '--json'], { env: { PAYDESK_HOME: home, ...env } });

const history = async (...args: string[]) => {
  const { stdout } = await runInProcess(History, [...args, '--json'], { env: { PAYDESK_HOME: home } });
  return JSON.parse(stdout) as Array<Record<string, unknown>>;
};

/** Makes an intent as old as if that much time had passed. */
function age(minutes: number): void {
  const db = new DatabaseSync(join(home, 'data', 'desk.db'));
  const ms = minutes * 60_000;
  db.prepare('update intents set time = time - ?, steady_ms = steady_ms - ?').run(ms, ms);
  for (const table of ['outcomes', 'holds']) {
    db.prepare(`update ${table} set steady_ms = steady_ms - ?`).run(ms);
  }
  db.close();
}

const refundsTold = (paymentId: number) => desk.sandbox.books(paymentId);

describe('the same command again', () => {
  it('reports what this ledger has as done, and sends nothing', async () => {
    const { paymentId } = await desk.paid();
    expect((await run('refund', [paymentId, '--wait'])).json.outcome).toBe('done');
    const again = await run('refund', [paymentId]);
    expect([again.code, again.json.outcome]).toEqual([0, 'done']);
    expect(again.stderr).toContain('Nothing was sent');
    expect(await refundsTold(paymentId)).toMatchObject({ refund: '1/1' });
  });

  it('settles what was lost and arrived, without sending', async () => {
    const { paymentId } = await desk.paid();
    // The request is carried out long after the answer was given up for lost.
    await desk.fault({ kind: 'latency', route: 'refund', next: 1, delayMs: 2500 });
    const lost = await desk.run('refund', [paymentId, '--json'], {
      env: { PAYDESK_HOME: home },
      onStart: desk.onceFaultHit,
    });
    expect([lost.code, lost.json.outcome]).toEqual([6, 'unknown']);
    await eventually(async () => expect((await desk.sandbox.read(paymentId)).paymentState).toBe('Refunded'));
    const again = await run('refund', [paymentId]);
    expect([again.code, again.json.outcome]).toEqual([0, 'done']);
    expect(again.stderr).toMatch(/^The ledger has a refund, sent by \S+ on .*\. Nothing was sent now\.$/m);
    expect(await refundsTold(paymentId)).toMatchObject({ refund: '1/1' });
  });

  it('stays at 6 while nothing proves anything, and other verbs are refused with 9', async () => {
    const { paymentId } = await desk.paid();
    await desk.fault({ kind: 'drop-before-commit', route: 'refund', next: 1 });
    expect((await run('refund', [paymentId])).code).toBe(6);
    expect((await run('refund', [paymentId])).code).toBe(6);
    const other = await run('cancel', [paymentId, '--force']);
    expect([other.code, other.json.error?.code]).toEqual([9, 'intent-open']);
    expect(await refundsTold(paymentId)).not.toHaveProperty('refund');
  });

  it('names an approval and a cancellation by their nouns', async () => {
    const held = await desk.paid('held');
    await desk.fault({ kind: 'drop-before-commit', route: 'unhold', next: 1 });
    const lost = await run('unhold', [held.paymentId]);
    expect(lost.json.error?.message).toMatch(/^The approval of payment \d+ \(.+\) has an unknown outcome/);
    const other = await run('cancel', [held.paymentId, '--force']);
    expect(other.json.error?.message).toMatch(
      /^An approval of payment \d+ \(.+\) by \S+ has an unknown outcome/,
    );
  });

  it('is settled by a dry run too, which sends nothing', async () => {
    const { paymentId } = await desk.paid();
    expect((await run('refund', [paymentId])).json.outcome).toBe('accepted');
    await desk.sandbox.settle();
    await eventually(async () => expect((await desk.sandbox.read(paymentId)).paymentState).toBe('Refunded'));
    desk.requests();
    const dry = await run('refund', [paymentId, '--dry-run']);
    expect([dry.code, dry.json.outcome, dry.json.after]).toEqual([0, 'done', 'Refunded']);

    const other = await desk.paid();
    await desk.fault({ kind: 'drop-before-commit', route: 'refund', next: 1 });
    expect((await run('refund', [other.paymentId])).code).toBe(6);
    desk.requests();
    expect((await run('refund', [other.paymentId, '--dry-run'])).code).toBe(6);
    age(11);
    const resend = await run('refund', [other.paymentId, '--resend', '--dry-run']);
    expect([resend.code, resend.json.dryRun]).toEqual([0, true]);
    expect(desk.requests().filter((line) => !line.startsWith('GET '))).toEqual([]);
  });

  it('needs --again after a failure', async () => {
    const { paymentId } = await desk.paid('refund-fails');
    const failed = await run('refund', [paymentId, '--wait']);
    expect([failed.code, failed.json.outcome]).toEqual([3, 'failed']);
    const plain = await run('refund', [paymentId]);
    expect([plain.code, plain.json.outcome]).toEqual([3, 'failed']);
    expect(await refundsTold(paymentId)).toMatchObject({ refund: '1/0' });
    expect((await run('refund', [paymentId, '--wait', '--again'])).code).toBe(3);
    expect(await refundsTold(paymentId)).toMatchObject({ refund: '2/0' });
  });

  it('is sent once by many processes at the same moment', async () => {
    const { paymentId } = await desk.paid();
    const env = { ...envOf(desk.sandbox) };
    const others = Array.from({ length: 2 }, () =>
      paydesk(['payments', 'refund', String(paymentId), '--wait', '--json'], { env, home }),
    );
    const codes = (await Promise.all([...others, run('refund', [paymentId, '--wait'])])).map(
      ({ code }) => code,
    );
    expect(codes.filter((code) => code !== 0 && code !== 6)).toEqual([]);
    expect(codes).toContain(0);
    expect(await refundsTold(paymentId)).toMatchObject({ refund: '1/1' });
  });

  it('settles what a killed process left open', async () => {
    const { paymentId } = await desk.paid();
    await desk.fault({ kind: 'latency', route: 'refund', next: 1, delayMs: 1500 });
    const env = { ...envOf(desk.sandbox) };
    const terminal = await paydeskTty(['payments', 'refund', String(paymentId)], { env, home });
    // The request has reached the sandbox, which takes its time with it.
    await eventually(async () => {
      const { text } = await desk.sandbox.control('GET', '/faults');
      expect(JSON.parse(text)).toMatchObject([{ remaining: 0 }]);
    });
    terminal.kill();
    await terminal.ended();
    await eventually(async () => expect((await desk.sandbox.read(paymentId)).paymentState).toBe('Refunded'));
    expect((await run('refund', [paymentId])).json.outcome).toBe('done');
    expect(await refundsTold(paymentId)).toMatchObject({ refund: '1/1' });
  });
});

describe('--resend', () => {
  const lose = async (paymentId: number, verb: string = 'refund', env: Record<string, string> = {}) => {
    await desk.fault({ kind: 'drop-before-commit', route: verb, next: 1 });
    expect((await run(verb, [paymentId], env)).code).toBe(6);
  };

  it('is refused before the quiet period is over', async () => {
    const { paymentId } = await desk.paid();
    const env = { PAYDESK_QUIET_PERIOD: '10m' };
    await lose(paymentId, 'refund', env);
    age(9);
    const early = await run('refund', [paymentId, '--resend'], env);
    expect([early.code, early.json.error?.code]).toEqual([9, 'quiet-period']);
    expect(await refundsTold(paymentId)).not.toHaveProperty('refund');
  });

  it('sends again after it, once, and records that', async () => {
    const { paymentId } = await desk.paid();
    await lose(paymentId);
    age(11);
    expect((await run('refund', [paymentId, '--resend', '--wait'])).json.outcome).toBe('done');
    expect(await refundsTold(paymentId)).toMatchObject({ refund: '1/1' });
    const [resent, first] = await history();
    expect(resent).toMatchObject({ outcome: 'done', resendOf: first?.id });
  });

  it('is refused when anything moved, and when nothing is open', async () => {
    const { paymentId } = await desk.authorised();
    await lose(paymentId, 'capture');
    age(11);
    // Somebody else has cancelled it meanwhile.
    await desk.sandbox.call('POST', `/payments/${paymentId}/cancel`);
    await desk.sandbox.settle();
    const moved = await run('capture', [paymentId, '--resend']);
    expect([moved.code, moved.json.outcome]).toEqual([1, 'refused']);
    const none = await run('capture', [paymentId, '--resend']);
    expect([none.code, none.json.error?.code]).toEqual([9, 'quiet-period']);
    const other = await desk.paid();
    const nothing = await run('refund', [other.paymentId, '--resend']);
    expect([nothing.code, nothing.json.error?.code]).toEqual([9, 'nothing-open']);
    expect(await refundsTold(paymentId)).not.toHaveProperty('capture');
  });
});

describe('the ledger', () => {
  it('keeps who, what, why and what became of it', async () => {
    const { paymentId, referenceId } = await desk.paid();
    await run('refund', [paymentId, '--wait', '--reason', 'parcel lost', '--ticket', 'T-7']);
    expect(await history('--ticket', 'T-7')).toEqual([
      expect.objectContaining({
        operation: 'refund',
        outcome: 'done',
        paymentId,
        referenceId,
        amount: 10.5,
        currency: 'EUR',
        before: 'Captured',
        after: 'Refunded',
        reason: 'parcel lost',
        operator: expect.stringMatching(/@/) as string,
      }),
    ]);
    expect(await history('--outcome', 'unknown')).toEqual([]);
  });

  it('tells of creates and charges too, once', async () => {
    const flags = createFlags('ledger-create', { customer: 'c_ledger' });
    await run('create', [...flags, '--ticket', 'T-8']);
    await run('create', flags);
    expect(await history('--operation', 'create')).toMatchObject([
      { outcome: 'done', referenceId: 'ledger-create', after: 'Created', ticket: 'T-8' },
    ]);
    const customer = await desk.stored('expires-later');
    await run('charge', ['--customer', customer, '--amount', '5', '--reference', 'ledger-charge']);
    expect(await history('--operation', 'charge')).toMatchObject([
      { outcome: 'done', after: 'Captured', customerId: customer, amount: 5, currency: 'EUR' },
    ]);
  });

  it('has the customer of a charge whose answer was lost', async () => {
    const customer = await desk.stored();
    await desk.fault({ kind: 'drop-before-commit', route: 'charge' });
    const charge = ['--customer', customer, '--amount', '5', '--reference', 'ledger-lost-charge'];
    expect((await run('charge', charge)).code).toBe(6);
    expect(await history('--operation', 'charge')).toMatchObject([
      { outcome: 'unknown', paymentId: null, customerId: customer, amount: 5, currency: null },
    ]);
  });

  it('that cannot be written stops a refund before it is sent', async () => {
    const { paymentId } = await desk.paid();
    const file = join(home, 'data', 'desk.db');
    await run('refund', [String(paymentId), '--dry-run']);
    rmSync(file, { force: true });
    const { mkdirSync } = await import('node:fs');
    mkdirSync(file, { recursive: true });
    const { code, json } = await run('refund', [paymentId]);
    expect([code, json.error?.code ?? json.code]).toEqual([1, 'store-unusable']);
    expect(await refundsTold(paymentId)).not.toHaveProperty('refund');
  });

  it('of one machine is refused for a live app in CI, unless it is meant', async () => {
    const { appId, apiKey } = desk.sandbox.live;
    const env = { ...envOf(desk.sandbox, 'live'), PAYDESK_HOME: home, CI: 'true' };
    const { paymentId } = await desk.sandbox.create(
      { returnUrl: 'https://shop.example/done' },
      { appId, key: apiKey },
    );
    const refused = await payments(env, 'cancel', [paymentId, '--confirm', appId, '--json']);
    expect([refused.code, refused.json.error?.code]).toEqual([9, 'local-ledger']);
    const meant = await payments(env, 'cancel', [paymentId, '--confirm', appId, '--local-ledger', '--json']);
    expect(meant.code).toBe(0);
  });
});

describeWithPostgres('a ledger that is shared', (postgres) => {
  it('serves a live app in CI, and two desks see each other', async () => {
    const PAYDESK_DATABASE = await postgres().createDatabase();
    const { paymentId } = await desk.paid();
    await desk.fault({ kind: 'drop-before-commit', route: 'refund', next: 1 });
    expect((await run('refund', [paymentId], { PAYDESK_DATABASE })).code).toBe(6);
    const elsewhere = { PAYDESK_DATABASE, PAYDESK_HOME: join(home, 'other') };
    expect((await run('refund', [paymentId], elsewhere)).code).toBe(6);
    const other = await run('cancel', [paymentId, '--force'], elsewhere);
    expect([other.code, other.json.error?.code]).toEqual([9, 'intent-open']);
    const { stdout } = await runInProcess(History, ['--json'], {
      env: { PAYDESK_HOME: home, PAYDESK_DATABASE },
    });
    expect(JSON.parse(stdout)).toHaveLength(1);
  });
});
