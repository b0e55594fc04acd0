import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createFlags, openTestDesk, type TestDesk } from '../../helpers/desk.js';
import { newReference } from '../../helpers/sandbox.js';
import { httpServer } from '../../helpers/servers.js';

let desk: TestDesk;
beforeAll(async () => {
  desk = await openTestDesk();
});
afterEach(() => desk.sandbox.control('DELETE', '/faults'));
afterAll(() => desk.sandbox.close());

// A recheck asks the provider and moves no money.
const posts = () =>
  desk.requests().filter((line) => line.startsWith('POST /api') && !line.includes('/recheck'));

describe('a lost answer', () => {
  it.each(['drop-after-commit', 'truncate', 'error-after-commit'])(
    'to a refund that was carried out (%s) is settled by a read, and the provider is told once',
    async (kind) => {
      const { paymentId } = await desk.paid();
      await desk.fault({ kind, route: 'refund', next: 1 });
      desk.requests();
      const { code, json } = await desk.run('refund', [paymentId, '--json']);
      expect(code).toBe(0);
      expect(['accepted', 'done']).toContain(json.outcome);
      expect(posts()).toHaveLength(1);
      expect(await desk.sandbox.books(paymentId)).toMatchObject({ refund: '1/1' });
    },
  );

  it.each(['drop-before-commit', 'error-before-commit'])(
    'to a refund that was not carried out (%s) stays unknown, and nothing is sent again',
    async (kind) => {
      const { paymentId } = await desk.paid();
      await desk.fault({ kind, route: 'refund', next: 1 });
      desk.requests();
      const { code, stdout, stderr } = await desk.run('refund', [paymentId], { terminal: true });
      expect(code).toBe(6);
      expect(stdout).toContain('Captured → ?   outcome unknown');
      expect(stderr).toContain('It may or may not have been carried out. It was not sent again.');
      expect(stderr).toMatch(/reads since then show Captured\./);
      expect(stderr).toContain(`paydesk payments explain ${paymentId}`);
      expect(posts()).toHaveLength(1);
      expect(await desk.sandbox.books(paymentId)).not.toHaveProperty('refund');
    },
  );

  it.each(['capture', 'cancel', 'unhold'] as const)('to a %s is settled by a read', async (verb) => {
    const { paymentId } = verb === 'unhold' ? await desk.held() : await desk.authorised();
    await desk.fault({ kind: 'drop-after-commit', route: verb, next: 1 });
    desk.requests();
    const { code, json } = await desk.run(verb, [paymentId, '--wait', '--json']);
    expect(code).toBe(0);
    expect(json.outcome).toBe('done');
    expect(posts()).toHaveLength(1);
  });

  it('is settled by another read when Ctrl-C comes in the middle of the first one', async () => {
    const { paymentId } = await desk.paid();
    let interrupt = () => {};
    let isSent = false;
    let isStopped = false;
    const service = await httpServer(async ({ method, url, headers }, response) => {
      if (isSent && !isStopped) {
        // This read is never answered.
        isStopped = true;
        return interrupt();
      }
      const { authorization = '' } = headers;
      const answer = await fetch(desk.sandbox.url + url, { method, headers: { authorization } });
      isSent ||= method === 'POST';
      if (method === 'POST') response.destroy();
      else response.writeHead(answer.status).end(await answer.text());
    });
    const { code, json } = await desk.run('refund', [paymentId, '--json'], {
      env: { PAYDESK_BASE_URL: service.url },
      onStart: (stop) => (interrupt = stop),
    });
    expect(json).toMatchObject({ after: expect.stringMatching(/^Refund/) as string });
    expect([code, json.outcome]).toEqual([0, json.after === 'Refunded' ? 'done' : 'accepted']);
    expect(await desk.sandbox.books(paymentId)).toMatchObject({ refund: '1/1' });
  });

  it('is still unknown when Ctrl-C comes before its answer', async () => {
    const one = await desk.paid();
    await desk.fault({ kind: 'drop-before-commit', route: 'refund', next: 1 });
    await desk.fault({ kind: 'latency', route: 'refund', next: 1, delayMs: 20_000 });
    const stopped = await desk.run('refund', [one.paymentId, '--json'], { onStart: desk.onceFaultHit });
    expect(stopped.code).toBe(6);
    expect(stopped.json.error?.message).toContain('interrupted');
    expect(stopped.json).toMatchObject({ outcome: 'unknown', before: 'Captured', after: 'Captured' });
  });
});

describe('too many requests', () => {
  it('leave a refund unsent: 5, and safe to run again', async () => {
    const { paymentId } = await desk.paid();
    await desk.fault({ kind: 'rate-limit', route: 'refund', next: 1, retryAfterS: 1 });
    const { code, json } = await desk.run('refund', [paymentId, '--json']);
    expect(code).toBe(5);
    expect(json).toMatchObject({ outcome: 'unsent', error: { httpStatus: 429 } });
    expect(await desk.sandbox.books(paymentId)).not.toHaveProperty('refund');
  });
});

describe('a create', () => {
  it.each([
    'error-before-commit',
    'drop-before-commit',
    'error-after-commit',
    'drop-after-commit',
    'truncate',
  ])('is sent again with its reference after %s, and makes one payment', async (kind) => {
    const reference = newReference();
    await desk.fault({ kind, route: 'create', next: 1 });
    const { code, json } = await desk.run('create', [...createFlags(reference), '--json']);
    expect(code).toBe(0);
    expect(json).toMatchObject({ created: true, payment: { referenceId: reference } });
    expect(await desk.sandbox.states(Number(json.payment?.paymentId))).toEqual(['Created']);
  });

  it('that never gets through ends with 6 and the reference to try again with', async () => {
    await desk.fault({ kind: 'error-before-commit', route: 'create' });
    const { code, stderr } = await desk.run('create', createFlags('').slice(0, -2));
    const [, reference] = /^Reference (pd-\d{8}-\w{10}) /.exec(stderr) ?? [];
    expect(code).toBe(6);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
      `Running it again with --reference ${reference} is safe`,
    );
  });
});

describe('a charge', () => {
  it.each([
    ['drop-after-commit', 'is found by its reference, and not sent again', 1],
    ['error-after-commit', 'is found by its reference, and not sent again', 1],
    ['drop-before-commit', 'is sent again with its reference when nothing is found', 2],
  ])('whose answer was lost (%s) %s', async (kind, _, sent) => {
    const customer = await desk.stored();
    await desk.fault({ kind, route: 'charge', next: 1 });
    desk.requests();
    const args = ['--customer', customer, '--amount', '5', '--reference', newReference(), '--json'];
    const { code, json } = await desk.run('charge', args);
    expect(code).toBe(0);
    expect(json).toMatchObject({ created: true, payment: { paymentState: 'Captured' } });
    expect(posts()).toHaveLength(sent);
    expect(await desk.sandbox.books(Number(json.payment?.paymentId))).toMatchObject({ capture: '1/1' });
  });
});
