import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { httpServer, json } from '../../helpers/servers.js';
import { type DeskOptions, openTestDesk, payments, type TestDesk } from '../../helpers/desk.js';
import { eventually } from '../../helpers/sandbox.js';

let desk: TestDesk;
let home: string;
beforeAll(async () => {
  desk = await openTestDesk();
});
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'paydesk-check-'));
});
afterEach(async () => {
  await desk.sandbox.control('DELETE', '/faults');
  rmSync(home, { recursive: true, force: true });
});
afterAll(() => desk.sandbox.close());

const run = (verb: string, args: Array<string | number>, options: DeskOptions = {}) =>
  desk.run(verb, [...args, '--json'], { env: { PAYDESK_HOME: home }, ...options });

/** Everything that was sent since, but for reads and rechecks. */
const instructions = () =>
  desk.requests().filter((line) => line.startsWith('POST /api') && !line.includes('/recheck'));

/** A service that shows another number at each read, and answers a refund with 500. */
const restless = () => {
  let reads = 0;
  return httpServer((request, response) => {
    if (request.url.endsWith('/refund')) return response.writeHead(500).end();
    if (request.url.includes('referenceId:')) return response.writeHead(404).end();
    reads += 1;
    const payment = { paymentId: 7, paymentState: 'Captured', amount: 5, currency: 'EUR', reads };
    return json(response, 200, payment);
  });
};

describe('payments check', () => {
  it('does not advise to send again what would not be sent because the payment looks different', async () => {
    const { url } = await restless();
    const env = {
      PAYDESK_HOME: home,
      PAYDESK_BASE_URL: url,
      PAYDESK_APP_ID: 'a',
      PAYDESK_API_KEY: 'key-1234',
      PAYDESK_KIND: 'sandbox',
      PAYDESK_QUIET_PERIOD: '1s',
    };
    const call = (verb: string, ...args: string[]) => payments(env, verb, [...args, '--json']);
    expect(await call('refund', '7')).toMatchObject({ code: 6, json: { outcome: 'unknown' } });
    const checked = await call('check', '7');
    expect([checked.code, checked.json.error?.code]).toEqual([6, 'still-open']);
    expect(checked.json.error?.message).toContain('is not exactly as it was before');
    expect(checked.stdout).not.toContain('--resend');
    const explained = await call('explain', '7');
    expect(explained.stdout).toContain('is not exactly as it was before');
    expect(explained.stdout).not.toContain('--resend');
    const sent = await call('refund', '7', '--resend');
    expect([sent.code, sent.json.error?.code]).toEqual([9, 'moved']);
  });

  it('finds out that a lost refund was carried out, and sends nothing', async () => {
    const { paymentId } = await desk.paid();
    await desk.fault({ kind: 'latency', route: 'refund', next: 1, delayMs: 2_500 });
    const lost = await run('refund', [paymentId], { onStart: desk.onceFaultHit });
    expect([lost.code, lost.json.outcome]).toEqual([6, 'unknown']);
    expect(lost.json.error?.next?.[0]).toBe(`paydesk payments check ${paymentId}`);
    const checked = await run('check', [paymentId, '--wait']);
    expect([checked.code, checked.json.outcome, checked.json.operation]).toEqual([0, 'done', 'refund']);
    expect(checked.json).toMatchObject({ before: 'Captured', after: 'Refunded' });
    expect(await desk.sandbox.books(paymentId)).toMatchObject({ refund: '1/1' });
  });

  it('stays at 6 while nothing proves anything', async () => {
    const { paymentId } = await desk.paid();
    await desk.fault({ kind: 'drop-before-commit', route: 'refund', next: 1 });
    await run('refund', [paymentId]);
    desk.requests();
    const checked = await run('check', [paymentId]);
    expect([checked.code, checked.json.outcome, checked.json.error?.code]).toEqual([
      6,
      'unknown',
      'still-open',
    ]);
    expect(instructions()).toEqual([]);
  });

  it('says what is open while the service is gone', async () => {
    const payment = await desk.paid();
    await desk.fault({ kind: 'drop-before-commit', route: 'refund', next: 1 });
    await run('refund', [payment.paymentId]);
    const { paymentId: id, referenceId: reference } = payment;
    const gone = { env: { PAYDESK_HOME: home, PAYDESK_BASE_URL: 'http://127.0.0.1:1' } };
    for (const [verb, name] of [
      ['refund', reference],
      ['check', id],
    ] as const) {
      const open = await run(verb, [name], gone);
      expect([open.code, open.json.outcome, open.json.operation]).toEqual([6, 'unknown', 'refund']);
      expect([open.json.before, open.json.after, open.json.payment]).toEqual(['Captured', null, null]);
      expect(open.json.error).toMatchObject({
        code: 'still-open',
        next: [`paydesk payments check ${id}`, 'paydesk doctor'],
      });
      expect(open.json.error?.message).toMatch(
        /is still unknown, and the payment cannot be read now.*refused/s,
      );
    }
    const other = await run('cancel', [id, '--force'], gone);
    expect([other.code, other.json.error?.code]).toEqual([9, 'intent-open']);
    const unknown = await run('refund', ['inv-of-nobody'], gone);
    expect([unknown.code, unknown.json.error?.code]).toEqual([5, 'refused']);
  });

  it('shows a person what the ledger knows of the payment while the service is gone', async () => {
    const { paymentId: id, referenceId: reference } = await desk.paid();
    await desk.fault({ kind: 'provider-silent', route: 'refund', next: 1 });
    await run('refund', [id]);
    const gone = { env: { PAYDESK_HOME: home, PAYDESK_BASE_URL: 'http://127.0.0.1:1' } };
    const line = await desk.run('check', [reference], { ...gone, terminal: true });
    expect(line.stdout).toBe(`  ${id}  ${reference}   EUR 10.50   Captured → ?   accepted\n`);
    const piped = await desk.run('check', [reference], gone);
    expect(piped.stdout).toBe([id, reference, '10.50', 'EUR', 'Captured', '', 'accepted'].join('\t') + '\n');
  });

  it.each([
    ['refused', 'refused', undefined],
    ['lost its answer', 'done', { kind: 'drop-before-commit', route: 'capture', next: 1 }],
  ])(
    'frees a payment whose capture was forced while one was under way, and %s: it is captured',
    async (_what, outcome, fault) => {
      const { paymentId } = await desk.authorised();
      await desk.fault({ kind: 'provider-silent', route: 'capture', next: 1 });
      expect((await run('capture', [paymentId])).json.after).toBe('Capturing');
      if (fault) await desk.fault(fault);
      // At another desk, which does not know of the first.
      const env = { PAYDESK_HOME: mkdtempSync(join(home, 'other-')) };
      const forced = await desk.run('capture', [paymentId, '--force', '--json'], { env });
      expect([forced.json.outcome, forced.json.after]).toEqual([outcome, 'Captured']);
      if (!fault) expect(forced.json.error?.message).toMatch(/The payment shows Captured now\.$/);
      expect((await desk.run('refund', [paymentId, '--json'], { env })).json.outcome).toBe('accepted');
    },
  );

  it('tells a refund that was forced while one was under way as failed when the payment is back, and sends it --again', async () => {
    const { paymentId } = await desk.paid();
    await desk.fault({ kind: 'provider-silent', route: 'refund', next: 1 });
    expect((await run('refund', [paymentId])).json.after).toBe('Refunding');
    await desk.fault({ kind: 'drop-before-commit', route: 'refund', next: 1 });
    // At another desk, which does not know of the first.
    const env = { PAYDESK_HOME: mkdtempSync(join(home, 'other-')), PAYDESK_QUIET_PERIOD: '1s' };
    const other = (verb: string, ...more: string[]) =>
      desk.run(verb, [paymentId, ...more, '--json'], { env });
    // A service without rechecks: nobody finds out by them what the provider did.
    await desk.fault({ kind: 'error-before-commit', route: 'recheck', status: 404 });
    expect((await other('refund', '--force')).json.outcome).toBe('unknown');
    await desk.sandbox.control('DELETE', '/faults');
    await desk.sandbox.control('POST', `/payments/${paymentId}/provider`, { answer: 'decline' });
    // Within the quiet period: that one was under way says nothing of the one whose answer was lost.
    const early = { env: { ...env, PAYDESK_QUIET_PERIOD: '10m' } };
    expect((await desk.run('check', [paymentId, '--json'], early)).json.outcome).toBe('unknown');
    await expect.poll(async () => (await other('check')).json.outcome).toBe('failed');
    expect((await other('refund')).json.error?.code).toBe('failed-before');
    expect((await other('refund', '--again')).json.outcome).toBe('accepted');
    expect(await desk.sandbox.books(paymentId)).toMatchObject({ refund: '2/1' });
  });

  it('tells once why a refund was not accepted, and that it can be sent again once the quiet period is over', async () => {
    const { paymentId } = await desk.paid();
    await desk.fault({ kind: 'rate-limit', route: 'refund', next: 1, retryAfterS: 1 });
    const env = { PAYDESK_HOME: home, PAYDESK_QUIET_PERIOD: '1s' };
    const sent = await desk.run('refund', [paymentId], { env });
    expect([sent.code, sent.stderr]).toEqual([5, expect.stringMatching(/retry after +1\.0 s/)]);
    expect(sent.stderr).not.toMatch(/retryAfterMs|heldMs/);
    await eventually(async () => {
      const { code, json: checked } = await run('check', [paymentId], { env });
      expect([code, String(checked.error?.message).match(/was not accepted/g)]).toEqual([
        5,
        [expect.anything()],
      ]);
      expect(checked.error?.message).toContain('The same refund can be sent again.');
    });
  });

  it('says of a refused capture that it was refused, and of one that took effect all the same that it is done', async () => {
    const refused = await desk.paid();
    expect((await run('cancel', [refused.paymentId, '--force'])).code).toBe(1);
    expect(await run('check', [refused.paymentId])).toMatchObject({ code: 1 });

    const { paymentId } = await desk.authorised();
    await desk.fault({ kind: 'error-before-commit', route: 'capture', next: 1, status: 422 });
    expect((await run('capture', [paymentId])).json.outcome).toBe('refused');
    // The gateway said 422 and carried it out late.
    await desk.sandbox.call('POST', `/payments/${paymentId}/capture`);
    await desk.sandbox.settle();
    desk.requests();
    const checked = await run('check', [paymentId]);
    expect([checked.code, checked.json.outcome]).toEqual([0, 'done']);
    expect(instructions()).toEqual([]);
  });

  it('has nothing to check where nothing was sent, and tells what is done', async () => {
    const { paymentId } = await desk.paid();
    const none = await run('check', [paymentId]);
    expect([none.code, none.json.operation, none.json.outcome]).toEqual([0, null, null]);
    const { stdout } = await desk.run('check', [paymentId], { terminal: true });
    expect(stdout).toContain('Every outcome is known: there is nothing to check.');
    await run('refund', [paymentId, '--wait']);
    const done = await run('check', [paymentId]);
    expect(done.code).toBe(0);
    expect(done.json).toMatchObject({
      operation: 'refund',
      before: 'Captured',
      after: 'Refunded',
      outcome: 'done',
    });
    expect((await run('check', ['id:999999'])).code).toBe(1);
  });
});

describe('what was refused', () => {
  it('is not sent again before the quiet period has passed, and then only when nothing has changed', async () => {
    const { paymentId } = await desk.paid();
    await desk.fault({ kind: 'error-before-commit', route: 'refund', next: 1, status: 422 });
    expect((await run('refund', [paymentId])).json.outcome).toBe('refused');
    desk.requests();
    const early = await run('refund', [paymentId]);
    expect([early.code, early.json.error?.code]).toEqual([9, 'quiet-period']);
    expect(instructions()).toEqual([]);
    // The sandbox's quiet period is two seconds.
    await expect
      .poll(async () => (await run('refund', [paymentId, '--wait'])).json.outcome, {
        timeout: 60_000,
        interval: 500,
      })
      .toBe('done');
    expect(await desk.sandbox.books(paymentId)).toMatchObject({ refund: '1/1' });
  });
});
