import { describe, expect, test } from 'vitest';
import { RETRY_DELAYS_MS } from '../../../src/sandbox/outbox/outbox.js';
import { eventually, type TestSandbox } from '../../helpers/sandbox.js';
import { inMemory, onEveryStore } from './stores.js';

interface Delivery {
  time: number;
  status: number | null;
  error: string | null;
  answer: string | null;
  url: string;
}
interface Event {
  id: number;
  to_state: string;
  outcome: string | null;
  attempts: number;
  url: string | null;
  deliveries: Delivery[];
}

const MINUTE = 60_000;
const all = ['Created', 'Authorised', 'Capturing', 'Captured'];

async function eventsOf(sandbox: TestSandbox, paymentId: number): Promise<Event[]> {
  const { body } = await sandbox.control<{ events: Event[] }>('GET', `/payments/${paymentId}/story`);
  return body.events;
}

onEveryStore((bench) => {
  const sandbox = bench.shared();
  const stopped = async () => {
    const own = await bench.start();
    await own.control('POST', '/clock', { action: 'stop' });
    return own;
  };

  test('one is sent for each change, in order, without being asked', async () => {
    const receiver = await bench.receiver();
    const { paymentId } = await sandbox().create({ webhookUrl: receiver.url });
    await sandbox().pay(paymentId);
    await sandbox().call('POST', `/payments/${paymentId}/refund`);
    const expected = [...all, 'Refunding', 'Refunded'];
    await receiver.waitFor(expected.length);
    expect(receiver.states(paymentId)).toEqual(expected);
    expect(new Set(receiver.requests.map(({ body }) => body.eventId)).size).toBe(expected.length);
    expect(receiver.requests[0]).toMatchObject({ method: 'POST', path: '/hook' });
    await eventually(async () => {
      const events = await eventsOf(sandbox(), paymentId);
      expect(events.map((event) => event.outcome)).toEqual(expected.map(() => 'delivered'));
    });
  });

  test('those of many payments each arrive once and in the order of their payment', async () => {
    const receiver = await bench.receiver();
    const ids = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const { paymentId } = await sandbox().create({ webhookUrl: receiver.url });
        await sandbox().pay(paymentId);
        return paymentId;
      }),
    );
    await sandbox().settle();
    expect(receiver.requests).toHaveLength(ids.length * all.length);
    for (const id of ids) expect(receiver.states(id)).toEqual(all);
  });

  test('no change, no webhook: a refused operation and a read send none', async () => {
    const receiver = await bench.receiver();
    const { paymentId } = await sandbox().create({ webhookUrl: receiver.url });
    await sandbox().call('POST', `/payments/${paymentId}/capture`);
    await sandbox().call('GET', `/payments/${paymentId}`);
    await sandbox().call('POST', `/payments/${paymentId}/recheck`);
    await sandbox().settle();
    expect(receiver.states()).toEqual(['Created']);
  });

  describe('the target', () => {
    test('is the payment’s own address, else that of the app, else there is none', async () => {
      const own = await bench.start();
      const [ofPayment, ofApp] = [await bench.receiver(), await bench.receiver()];
      const nowhere = await own.create();
      await own.control('PATCH', `/apps/${own.app.appId}`, { webhookUrl: ofApp.url });
      const byPayment = await own.create({ webhookUrl: ofPayment.url });
      const byApp = await own.create();
      await own.settle();
      expect(ofPayment.requests.map(({ body }) => body.paymentId)).toEqual([byPayment.paymentId]);
      expect(ofApp.requests.map(({ body }) => body.paymentId)).toEqual([byApp.paymentId]);
      expect(await eventsOf(own, nowhere.paymentId)).toMatchObject([{ outcome: 'no-target', url: null }]);
      await own.control('PATCH', `/apps/${own.app.appId}`, { webhookUrl: null });
      await own.create();
      await own.settle();
      expect(ofApp.requests).toHaveLength(1);
    });

    test('of a charge may be its own', async () => {
      const receiver = await bench.receiver();
      const customerOrder = { customer: { customerId: 'charged' } };
      const { paymentId } = await sandbox().create({ registerAutoPayment: true, customerOrder });
      await sandbox().pay(paymentId);
      await sandbox().call('POST', '/payments/auto-payment', {
        referenceId: 'charge-hook',
        amount: 1,
        autoCapture: true,
        customerOrder,
        webhookUrl: receiver.url,
      });
      await sandbox().settle();
      expect(receiver.states()).toEqual(all);
    });

    test.each(['http://192.0.2.1/hook', 'http://example.org/hook', 'http://127.0.0.1.example.org/'])(
      'outside this machine is not spoken to: %s',
      async (webhookUrl) => {
        const { paymentId } = await sandbox().create({ webhookUrl });
        await sandbox().settle();
        expect(await eventsOf(sandbox(), paymentId)).toMatchObject([
          {
            outcome: 'failed',
            deliveries: [{ status: null, error: expect.stringContaining('--webhook-host') }],
          },
        ]);
      },
    );

    test('outside this machine is spoken to when it is allowed', async () => {
      const own = await bench.start({ webhookHosts: ['hooks.invalid'] });
      await own.control('POST', '/clock', { action: 'stop' });
      const { paymentId } = await own.create({ webhookUrl: 'http://hooks.invalid/hook' });
      await own.settle();
      const [event] = await eventsOf(own, paymentId);
      expect(event).toMatchObject({ outcome: null, attempts: 1 });
      expect(event?.deliveries[0]?.error).toMatch(/ENOTFOUND|EAI_AGAIN/);
    });

    test('that redirects is not followed', async () => {
      const own = await stopped();
      const [first, second] = [await bench.receiver(), await bench.receiver()];
      first.next({ status: 302, headers: { location: second.url } });
      const { paymentId } = await own.create({ webhookUrl: first.url });
      await own.settle();
      expect(second.requests).toEqual([]);
      expect(await eventsOf(own, paymentId)).toMatchObject([
        { outcome: null, deliveries: [{ status: 302 }] },
      ]);
    });

    test('that drops the connection gets the webhook again', async () => {
      const own = await stopped();
      const receiver = await bench.receiver();
      receiver.next('drop');
      const { paymentId } = await own.create({ webhookUrl: receiver.url });
      await own.settle();
      expect(await eventsOf(own, paymentId)).toMatchObject([
        { outcome: null, deliveries: [{ status: null, error: expect.any(String) }] },
      ]);
      await own.advance(RETRY_DELAYS_MS[0] as number);
      expect(receiver.states()).toEqual(['Created', 'Created']);
      expect(receiver.requests[0]?.body).toEqual(receiver.requests[1]?.body);
    });

    test('that nobody listens at is tried again later', async () => {
      const own = await stopped();
      const receiver = await bench.receiver();
      await receiver.close();
      const { paymentId } = await own.create({ webhookUrl: receiver.url });
      await own.settle();
      expect(await eventsOf(own, paymentId)).toMatchObject([{ deliveries: [{ error: 'ECONNREFUSED' }] }]);
    });

    test('that answers slowly keeps its own payment waiting and no other', async () => {
      const own = await bench.start();
      const [slow, quick] = [await bench.receiver(), await bench.receiver()];
      slow.answer('hang');
      // A try that takes as long as the sandbox waits for an answer proves nothing, and is made again.
      await eventually(async () => {
        const { paymentId } = await own.create({ webhookUrl: slow.url });
        await eventually(() => expect(slow.states(paymentId)).toHaveLength(1));
        const other = await own.create({ webhookUrl: quick.url });
        await own.pay(other.paymentId);
        await eventually(() => expect(quick.states(other.paymentId)).toHaveLength(all.length));
        // The slow one was not given up to get there.
        expect(await eventsOf(own, paymentId)).toMatchObject([{ deliveries: [] }]);
      });
    });

    test('may answer with much: the beginning is kept', async () => {
      const receiver = await bench.receiver();
      receiver.answer({ status: 200, body: 'x'.repeat(100_000) });
      const { paymentId } = await sandbox().create({ webhookUrl: receiver.url });
      await sandbox().settle();
      const [event] = await eventsOf(sandbox(), paymentId);
      expect(event).toMatchObject({
        outcome: 'delivered',
        deliveries: [{ status: 200, answer: 'x'.repeat(500) }],
      });
    });
  });

  describe('a webhook that fails', () => {
    test('is tried again after growing delays of the sandbox’s clock, and then given up', async () => {
      const own = await stopped();
      const receiver = await bench.receiver();
      receiver.answer({ status: 500, body: 'no' });
      const { paymentId } = await own.create({ webhookUrl: receiver.url });
      await own.settle();
      for (const [index, delay] of RETRY_DELAYS_MS.entries()) {
        await own.advance(delay - 1);
        expect(receiver.requests).toHaveLength(index + 1);
        await own.advance(1);
        expect(receiver.requests).toHaveLength(index + 2);
      }
      expect(RETRY_DELAYS_MS.toSorted((a, b) => a - b)).toEqual(RETRY_DELAYS_MS);
      const [event] = await eventsOf(own, paymentId);
      expect(event).toMatchObject({ outcome: 'failed', attempts: RETRY_DELAYS_MS.length + 1 });
      const times = event?.deliveries.map((delivery) => delivery.time) as number[];
      expect(times.slice(1).map((time, index) => time - (times[index] as number))).toEqual(RETRY_DELAYS_MS);
      expect(event?.deliveries.every(({ status, answer }) => status === 500 && answer === 'no')).toBe(true);
      await own.advance(400 * 86_400_000);
      expect(receiver.requests).toHaveLength(RETRY_DELAYS_MS.length + 1);
    });

    test('keeps the later ones of its payment waiting, so that the order holds', async () => {
      const own = await stopped();
      const receiver = await bench.receiver();
      receiver.next({ status: 503 }, { status: 503 });
      const { paymentId } = await own.create({ webhookUrl: receiver.url });
      await own.pay(paymentId);
      await own.settle();
      expect(receiver.states()).toEqual(['Created']);
      await own.advance(5_000);
      expect(receiver.states()).toEqual(['Created', 'Created']);
      await own.advance(30_000);
      expect(receiver.states()).toEqual(['Created', 'Created', ...all]);
    });

    test('that is given up lets the later ones go', async () => {
      const own = await stopped();
      const receiver = await bench.receiver();
      const { paymentId } = await own.create({ webhookUrl: receiver.url });
      await own.settle();
      receiver.next(...RETRY_DELAYS_MS.map(() => ({ status: 500 })), { status: 500 });
      await own.pay(paymentId);
      await own.advance(RETRY_DELAYS_MS.reduce((sum, delay) => sum + delay, 0));
      expect(receiver.states().slice(-3)).toEqual(['Authorised', 'Capturing', 'Captured']);
      expect((await eventsOf(own, paymentId)).map((event) => event.outcome)).toEqual([
        'delivered',
        'failed',
        'delivered',
        'delivered',
      ]);
    });
  });

  describe('sending again', () => {
    test('repeats a webhook that was delivered, as it was', async () => {
      const receiver = await bench.receiver();
      const { paymentId } = await sandbox().create({ webhookUrl: receiver.url });
      await sandbox().pay(paymentId);
      await sandbox().settle();
      const [created] = await eventsOf(sandbox(), paymentId);
      const { status } = await sandbox().control('POST', `/webhooks/${created?.id}/resend`);
      expect(status).toBe(200);
      expect(receiver.states()).toEqual([...all, 'Created']);
      expect(receiver.requests.at(-1)?.body).toEqual(receiver.requests[0]?.body);
      expect((await eventsOf(sandbox(), paymentId))[0]?.deliveries).toHaveLength(2);
    });

    test('of one that is not there or has no target is not found', async () => {
      const { paymentId } = await sandbox().create();
      const [event] = await eventsOf(sandbox(), paymentId);
      for (const id of [event?.id, 999_999, 'abc', '1.5', '99999999999999999999']) {
        const { status, body } = await sandbox().control('POST', `/webhooks/${id}/resend`);
        expect({ id, status, code: body.code }).toEqual({ id, status: 404, code: 'not-found' });
      }
    });
  });

  test('the clock moves on only when the webhooks of what became due have left', async () => {
    const own = await stopped();
    const receiver = await bench.receiver();
    receiver.answer({ status: 200, delayMs: 50 });
    const { paymentId } = await own.create({ webhookUrl: receiver.url });
    await own.pay(paymentId, 'slow-approved');
    await own.advance(MINUTE);
    expect(receiver.states()).toEqual(['Created', 'Processing', 'Authorised', 'Capturing', 'Captured']);
    const times = receiver.requests.map(({ body }) => Date.parse(String(body.occurredTime)));
    expect(times.map((time) => time - (times[0] as number))).toEqual([0, 0, 30_000, 30_000, 30_000]);
  });

  test('a sandbox that is closed in the middle of a delivery sends it when it is back', async (context) => {
    context.skip(bench.store === 'memory', 'a database in memory is gone');
    const location = await bench.location();
    const receiver = await bench.receiver();
    const first = await bench.start({ location });
    receiver.next('hang');
    const { paymentId } = await first.create({ webhookUrl: receiver.url });
    await first.pay(paymentId);
    await receiver.waitFor(1);
    await first.close();
    expect(first.errors).toEqual([]);
    const second = await bench.start({ location });
    await receiver.waitFor(1 + all.length);
    await second.settle();
    expect(receiver.states()).toEqual(['Created', ...all]);
  });
});

/** A receiver's answer that waits until the test lets it go. */
function heldAnswer(status = 200) {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { behaviour: { status, until: promise }, release: () => resolve() };
}

onEveryStore((bench) => {
  describe.each(['reset', 'import'])('under way during %s', (what) => {
    /** A sandbox that can be emptied while a receiver keeps it waiting. */
    async function start() {
      const sandbox = await bench.start();
      const { text: nothing } = await sandbox.control('GET', '/export');
      return {
        sandbox,
        /** Resolves when everything is gone; `ended` also waits for the webhooks under way. */
        async empty(): Promise<{ ended: Promise<unknown> }> {
          const ended =
            what === 'reset'
              ? sandbox.control('POST', '/reset')
              : sandbox.control('POST', '/import', undefined, { raw: nothing });
          await eventually(async () => {
            expect((await sandbox.control('GET', '/status')).body).toMatchObject({ payments: 0 });
          });
          return { ended };
        },
      };
    }

    test.each([200, 500])('and answered with %i, they leave those of new payments alone', async (status) => {
      const [{ sandbox, empty }, receiver, other] = [
        await start(),
        await bench.receiver(),
        await bench.receiver(),
      ];
      const [old, late] = [heldAnswer(status), heldAnswer()];
      receiver.next(old.behaviour, old.behaviour, old.behaviour, late.behaviour);
      const create = async () => (await sandbox.create({ webhookUrl: receiver.url })).paymentId;
      const [first] = [await create(), await create(), await create()];
      await receiver.waitFor(3);
      const { ended } = await empty();
      const paymentId = await create();
      expect(paymentId).toBe(first);
      await sandbox.pay(paymentId);
      await receiver.waitFor(4);
      old.release();
      // Once this one is recorded, so are those that were answered before it.
      const { paymentId: mark } = await sandbox.create({ webhookUrl: other.url });
      await eventually(async () => {
        expect(await eventsOf(sandbox, mark)).toMatchObject([{ outcome: 'delivered' }]);
      });
      late.release();
      await ended;
      const events = await eventually(async () => {
        const found = await eventsOf(sandbox, paymentId);
        expect(found.map(({ outcome }) => outcome)).toEqual(all.map(() => 'delivered'));
        return found;
      });
      const states = receiver.states().slice(3);
      // On a slow machine, an answer that is held too long lets its webhook arrive a second time.
      expect(states.filter((state, index) => state !== states[index - 1])).toEqual(all);
      expect(events.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(states.length);
      expect(events.flatMap(({ deliveries }) => deliveries)).toHaveLength(states.length);
      expect(sandbox.errors).toEqual([]);
    });

    test('and in another order, the one that was left is not sent for a new payment', async () => {
      const [{ sandbox, empty }, receiver] = [await start(), await bench.receiver()];
      const { paymentId } = await sandbox.create({ webhookUrl: receiver.url });
      await sandbox.settle();
      await sandbox.control('POST', '/faults', { kind: 'webhook-reorder', route: 'Authorised', next: 1 });
      const held = heldAnswer();
      receiver.next(held.behaviour);
      await sandbox.pay(paymentId);
      await receiver.waitFor(2);
      const { ended } = await empty();
      expect((await sandbox.create({ webhookUrl: receiver.url })).paymentId).toBe(paymentId);
      await receiver.waitFor(3);
      held.release();
      await ended;
      await sandbox.settle();
      expect(receiver.states()).toEqual(['Created', 'Capturing', 'Created']);
      expect(sandbox.errors).toEqual([]);
    });

    test('and sent again by hand, they are recorded for nothing else', async () => {
      const [{ sandbox, empty }, receiver] = [await start(), await bench.receiver()];
      const { paymentId } = await sandbox.create({ webhookUrl: receiver.url });
      await sandbox.settle();
      const [event] = await eventsOf(sandbox, paymentId);
      const held = heldAnswer();
      receiver.next(held.behaviour);
      const resending = sandbox.control('POST', `/webhooks/${event?.id}/resend`);
      await receiver.waitFor(2);
      const { ended } = await empty();
      await sandbox.create({ webhookUrl: receiver.url });
      await receiver.waitFor(3);
      await ended;
      await sandbox.settle();
      held.release();
      expect((await resending).status).toBe(404);
      expect(await eventsOf(sandbox, paymentId)).toMatchObject([
        { id: event?.id, attempts: 1, deliveries: [{ status: 200 }] },
      ]);
    });
  });
});

inMemory((bench) => {
  test('a target that never answers is given up after five seconds and tried again', async () => {
    const own = await bench.start();
    await own.control('POST', '/clock', { action: 'stop' });
    const receiver = await bench.receiver();
    receiver.next('hang');
    const { paymentId } = await own.create({ webhookUrl: receiver.url });
    await own.settle();
    expect(await eventsOf(own, paymentId)).toMatchObject([
      { outcome: null, deliveries: [{ status: null, error: 'no answer within 5 s' }] },
    ]);
    await own.advance(5_000);
    expect(receiver.requests).toHaveLength(2);
  });
});
