import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { faultKindNames, type FaultKind } from '../../../src/sandbox/domain/fault-kinds.js';
import { SCHEMA } from '../../../src/sandbox/engine.js';
import { migrations } from '../../../src/sandbox/migrations.js';
import { openStore } from '../../../src/store/store.js';
import {
  eventually,
  hostedBody,
  newReference,
  type Receiver,
  type TestSandbox,
} from '../../helpers/sandbox.js';
import { onEveryStore } from './stores.js';

const HOSTED = '/payments/hosted-page';

const addFault = async (sandbox: TestSandbox, fault: object): Promise<number> => {
  const { status, body, text } = await sandbox.control<{ id: number }>('POST', '/faults', fault);
  expect({ status, text }).toMatchObject({ status: 201 });
  return body.id;
};

/** What the client sees of a create, and whether the payment is there afterwards. */
async function tryCreate(sandbox: TestSandbox): Promise<{ seen: string; committed: boolean }> {
  const body = hostedBody();
  const seen = await sandbox.call('POST', HOSTED, body).then(
    (answer) => String(answer.status),
    (error: Error) => `cut: ${error.message}`,
  );
  const { status } = await sandbox.call('GET', `/payments/referenceId:${body.referenceId as string}`);
  return { seen, committed: status === 200 };
}

async function capturable(sandbox: TestSandbox): Promise<number> {
  const { paymentId } = await sandbox.create({ autoCapture: false });
  await sandbox.pay(paymentId);
  return paymentId;
}

/** One payment whose five changes are told to the receiver, under a webhook fault. */
async function tell(sandbox: TestSandbox, receiver: Receiver, fault: object): Promise<number> {
  await addFault(sandbox, { next: 1, ...fault });
  const { paymentId } = await sandbox.create({ webhookUrl: receiver.url });
  await sandbox.pay(paymentId);
  await sandbox.settle();
  return paymentId;
}

type Trial = (sandbox: TestSandbox, receiver: Receiver) => Promise<void>;
const all = ['Created', 'Authorised', 'Capturing', 'Captured'];

/** Each kind of fault, tried on a real socket. */
const trials: Record<FaultKind, Trial> = {
  async latency(sandbox) {
    await addFault(sandbox, { kind: 'latency', route: 'create', next: 1, delayMs: 150 });
    const began = performance.now();
    expect(await tryCreate(sandbox)).toEqual({ seen: '201', committed: true });
    expect(performance.now() - began).toBeGreaterThanOrEqual(145);

    await addFault(sandbox, { kind: 'latency', route: 'create', next: 1, delayMs: 1500, afterCommit: true });
    const body = hostedBody();
    let answered = false;
    const create = sandbox.call('POST', HOSTED, body).then((answer) => {
      answered = true;
      return answer.status;
    });
    const path = `/payments/referenceId:${body.referenceId as string}`;
    while ((await sandbox.call('GET', path)).status !== 200);
    expect(answered).toBe(false);
    expect(await create).toBe(201);
  },
  async 'error-before-commit'(sandbox) {
    await addFault(sandbox, { kind: 'error-before-commit', route: 'createHostedPayment', next: 1 });
    expect(await tryCreate(sandbox)).toEqual({ seen: '500', committed: false });
    await addFault(sandbox, { kind: 'error-before-commit', route: 'create', next: 1, status: 503 });
    const { status, body } = await sandbox.call('POST', HOSTED, hostedBody());
    // The problem must not contradict the status line.
    expect({ status, body }).toMatchObject({ status: 503, body: { status: 503 } });
  },
  async 'error-after-commit'(sandbox) {
    await addFault(sandbox, { kind: 'error-after-commit', route: 'create', next: 1, status: 502 });
    expect(await tryCreate(sandbox)).toEqual({ seen: '502', committed: true });
    const paymentId = await capturable(sandbox);
    await addFault(sandbox, { kind: 'error-after-commit', route: 'capture', next: 1 });
    expect((await sandbox.call('POST', `/payments/${paymentId}/capture`)).status).toBe(500);
    await sandbox.settle();
    expect((await sandbox.read(paymentId)).paymentState).toBe('Captured');
  },
  async 'drop-before-commit'(sandbox) {
    await addFault(sandbox, { kind: 'drop-before-commit', route: 'create', next: 1 });
    expect(await tryCreate(sandbox)).toEqual({ seen: 'cut: other side closed', committed: false });
  },
  async 'drop-after-commit'(sandbox) {
    await addFault(sandbox, { kind: 'drop-after-commit', route: 'create', next: 1 });
    expect(await tryCreate(sandbox)).toEqual({ seen: 'cut: other side closed', committed: true });
  },
  async truncate(sandbox) {
    await addFault(sandbox, { kind: 'truncate', route: 'create', next: 1 });
    const { seen, committed } = await tryCreate(sandbox);
    expect(seen).toMatch(/^cut: /);
    expect(committed).toBe(true);
    expect(sandbox.lines.find((line) => line.status === 0)).toMatchObject({ method: 'POST' });
  },
  async 'rate-limit'(sandbox) {
    await addFault(sandbox, { kind: 'rate-limit', route: 'create', next: 1, retryAfterS: 7 });
    const limited = await sandbox.call('POST', HOSTED, hostedBody());
    expect(limited).toMatchObject({
      status: 429,
      headers: { 'retry-after': '7' },
      body: { code: 'rate-limited' },
    });
    await addFault(sandbox, { kind: 'rate-limit', route: 'create', next: 1, retryAfterS: 0 });
    const silent = await sandbox.call('POST', HOSTED, hostedBody());
    expect(silent.status).toBe(429);
    expect(silent.headers).not.toHaveProperty('retry-after');
    await addFault(sandbox, { kind: 'rate-limit', route: 'create', next: 1 });
    expect(await tryCreate(sandbox)).toEqual({ seen: '429', committed: false });
  },
  async 'stale-read'(sandbox) {
    const { paymentId, referenceId } = await sandbox.create();
    await sandbox.pay(paymentId);
    await addFault(sandbox, { kind: 'stale-read', route: 'get', next: 2 });
    for (const path of [`/payments/${paymentId}`, `/payments/referenceId:${referenceId}`]) {
      expect((await sandbox.call('GET', path)).body).toMatchObject({
        paymentState: 'Capturing',
        paymentStateId: 6,
        capturedAmount: 0,
      });
    }
    expect((await sandbox.call('GET', `/payments/${paymentId}`)).body).toMatchObject({
      paymentState: 'Captured',
      capturedAmount: 10.5,
    });
  },
  async 'provider-silent'(sandbox) {
    await addFault(sandbox, { kind: 'provider-silent', route: 'authorize', next: 1 });
    const unsure = await sandbox.create({ autoCapture: false });
    expect((await sandbox.pay(unsure.paymentId)).paymentState).toBe('Processing');
    expect(await sandbox.books(unsure.paymentId)).toEqual({ authorize: '1/1' });
    const recheck = (id: number) => sandbox.call('POST', `/payments/${id}/recheck`);
    expect((await recheck(unsure.paymentId)).body).toMatchObject({
      paymentState: 'Authorised',
      changed: true,
    });

    const operations = [
      ['capture', 'capture', 'Capturing', 'Captured'],
      ['refund', 'refund', 'Refunding', 'Refunded'],
      ['cancel', 'void', 'Cancelling', 'Cancelled'],
    ] as const;
    for (const [operation, instruction, during, end] of operations) {
      const paymentId = await capturable(sandbox);
      if (operation === 'refund') {
        await sandbox.call('POST', `/payments/${paymentId}/capture`);
        await sandbox.settle();
      }
      await addFault(sandbox, { kind: 'provider-silent', route: instruction, next: 1 });
      await sandbox.call('POST', `/payments/${paymentId}/${operation}`);
      await sandbox.settle();
      expect((await sandbox.read(paymentId)).paymentState).toBe(during);
      expect((await sandbox.books(paymentId))[instruction]).toBe('1/1');
      expect((await recheck(paymentId)).body).toMatchObject({ paymentState: end, changed: true });
      expect((await sandbox.books(paymentId))[instruction]).toBe('1/1');
    }
  },
  async 'provider-fails'(sandbox) {
    await addFault(sandbox, { kind: 'provider-fails', route: 'authorize', next: 1 });
    const { paymentId } = await sandbox.create();
    expect(await sandbox.pay(paymentId)).toMatchObject({ paymentState: 'Declined' });
    expect(await sandbox.books(paymentId)).toEqual({ authorize: '1/0' });

    const authorised = await capturable(sandbox);
    for (const [operation, instruction] of [
      ['capture', 'capture'],
      ['cancel', 'void'],
    ]) {
      await addFault(sandbox, { kind: 'provider-fails', route: instruction, next: 1 });
      await sandbox.call('POST', `/payments/${authorised}/${operation}`);
      await sandbox.settle();
      expect((await sandbox.read(authorised)).paymentState).toBe('Authorised');
    }
    expect(await sandbox.books(authorised)).toEqual({ authorize: '1/1', capture: '1/0', void: '1/0' });
  },
  async 'webhook-duplicate'(sandbox, receiver) {
    await tell(sandbox, receiver, { kind: 'webhook-duplicate', route: 'Authorised' });
    expect(receiver.states()).toEqual(['Created', 'Authorised', 'Authorised', 'Capturing', 'Captured']);
    const ids = receiver.requests.map(({ body }) => body.eventId);
    expect(ids[1]).toBe(ids[2]);
    expect(new Set(ids).size).toBe(4);
  },
  async 'webhook-delay'(sandbox, receiver) {
    await sandbox.control('POST', '/clock', { action: 'stop' });
    await tell(sandbox, receiver, { kind: 'webhook-delay', route: 'Authorised', delayMs: 10_000 });
    expect(receiver.states()).toEqual(['Created']);
    await sandbox.advance(9_999);
    expect(receiver.states()).toEqual(['Created']);
    await sandbox.advance(1);
    expect(receiver.states()).toEqual(all);
  },
  async 'webhook-reorder'(sandbox, receiver) {
    await tell(sandbox, receiver, { kind: 'webhook-reorder', route: 'Authorised' });
    expect(receiver.states()).toEqual(['Created', 'Capturing', 'Authorised', 'Captured']);
  },
  async 'webhook-drop'(sandbox, receiver) {
    const paymentId = await tell(sandbox, receiver, { kind: 'webhook-drop', route: 'Capturing' });
    expect(receiver.states()).toEqual(['Created', 'Authorised', 'Captured']);
    const { body } = await sandbox.control('GET', `/payments/${paymentId}/story`);
    expect(body.events).toMatchObject([
      { outcome: 'delivered' },
      { outcome: 'delivered' },
      { outcome: 'dropped', deliveries: [] },
      { outcome: 'delivered' },
    ]);
  },
};

onEveryStore((bench) => {
  test.each(bench.sample(faultKindNames))('%s does what its name says', async (kind) => {
    const sandbox = await bench.start();
    await trials[kind](sandbox, await bench.receiver());
    expect(sandbox.errors).toEqual([]);
  });

  describe('a fault', () => {
    const sandbox = bench.shared();
    const clear = () => sandbox().control('DELETE', '/faults');
    const statuses = async (count: number) => {
      const seen: number[] = [];
      for (let n = 0; n < count; n++) seen.push((await sandbox().call('POST', HOSTED, hostedBody())).status);
      return seen;
    };

    test('for the next N hits N calls and no more', async () => {
      await addFault(sandbox(), { kind: 'error-before-commit', route: 'create', next: 2 });
      expect(await statuses(4)).toEqual([500, 500, 201, 201]);
      expect((await sandbox().control('GET', '/faults')).body).toMatchObject([{ remaining: 0, seen: 2 }]);
      await clear();
    });

    test('for the next N hits exactly N of thirty calls at once', async () => {
      await addFault(sandbox(), { kind: 'error-before-commit', route: 'create', next: 7 });
      const answers = await Promise.all(
        Array.from({ length: 30 }, () => sandbox().call('POST', HOSTED, hostedBody())),
      );
      expect(answers.filter((answer) => answer.status === 500)).toHaveLength(7);
      await clear();
    });

    test('without a number hits every call until it is cleared', async () => {
      const id = await addFault(sandbox(), { kind: 'error-before-commit', route: '*' });
      expect(await statuses(3)).toEqual([500, 500, 500]);
      expect((await sandbox().call('GET', '/customers')).status).toBe(500);
      expect((await sandbox().control('DELETE', `/faults/${id}`)).body).toEqual({ cleared: 1 });
      expect((await sandbox().control('DELETE', `/faults/${id}`)).status).toBe(404);
      expect(await statuses(1)).toEqual([201]);
    });

    test('hits its route alone', async () => {
      await addFault(sandbox(), { kind: 'error-before-commit', route: 'listCustomers', next: 1 });
      expect(await statuses(1)).toEqual([201]);
      expect((await sandbox().call('GET', '/customers')).status).toBe(500);
      await clear();
    });

    test('does not hit who is not let in', async () => {
      await addFault(sandbox(), { kind: 'error-before-commit', route: 'create', next: 1 });
      const stranger = await sandbox().call('POST', HOSTED, hostedBody(), { key: 'nobody' });
      expect(stranger.status).toBe(401);
      expect(await statuses(1)).toEqual([500]);
      await clear();
    });

    test('after the commit hides a refusal too, under one request id', async () => {
      const { paymentId } = await sandbox().create();
      await addFault(sandbox(), { kind: 'error-after-commit', route: 'capture', next: 1 });
      const { status, headers, body } = await sandbox().call('POST', `/payments/${paymentId}/capture`);
      expect(status).toBe(500);
      expect(body).toMatchObject({ requestId: headers['x-request-id'] });
    });

    test.each([
      ['an unknown kind', { kind: 'meteor' }, 'kind'],
      ['a route that is none', { kind: 'latency', route: 'nowhere' }, 'route'],
      ['a route of another kind', { kind: 'webhook-drop', route: 'create' }, 'route'],
      ['next and a probability', { kind: 'latency', next: 1, probability: 0.5 }, 'probability'],
      ['a probability above 1', { kind: 'latency', probability: 1.1 }, 'probability'],
      ['a status that is no failure', { kind: 'error-before-commit', status: 302 }, 'status'],
    ])('with %s is refused', async (_name, fault, path) => {
      const { status, body } = await sandbox().control('POST', '/faults', fault);
      expect({ status, body }).toMatchObject({ status: 400, body: { errors: [{ path }] } });
    });
  });

  describe('a stale read', () => {
    const sandbox = bench.shared();
    const get = async (paymentId: number) => (await sandbox().call('GET', `/payments/${paymentId}`)).body;
    const getStale = async (paymentId: number) => {
      await addFault(sandbox(), { kind: 'stale-read', route: 'get', next: 1 });
      return get(paymentId);
    };
    /** The change, and that a stale read after it is the read before it. */
    const expectStale = async (paymentId: number, change: () => Promise<unknown>) => {
      const before = await get(paymentId);
      await change();
      expect(await get(paymentId)).not.toEqual(before);
      expect(await getStale(paymentId)).toEqual(before);
    };
    const move = (paymentId: number, operation: string) =>
      sandbox().call('POST', `/payments/${paymentId}/${operation}`);

    test('is a read before the payment was paid', async () => {
      const fields = { autoCapture: false, registerAutoPayment: true };
      for (const card of ['approved', 'declined', 'held', 'slow-approved', 'three-d-secure']) {
        const { paymentId } = await sandbox().create(fields);
        await expectStale(paymentId, () => sandbox().pay(paymentId, card));
      }
    });

    test('is a read before each instruction, and before each answer of the provider', async () => {
      await sandbox().control('POST', '/clock', { action: 'stop' });
      const slowbank = sandbox().app.profiles.find(({ delayMs }) => delayMs > 0);
      const answer = () => sandbox().advance(slowbank?.delayMs ?? 0);
      const authorisable = async () => {
        const { paymentId } = await sandbox().create({ autoCapture: false });
        await sandbox().pay(paymentId, 'approved', { paymentProfileId: slowbank?.paymentProfileId });
        return paymentId;
      };
      const refunded = await authorisable();
      await expectStale(refunded, answer);
      for (const operation of ['capture', 'refund']) {
        await expectStale(refunded, () => move(refunded, operation));
        await expectStale(refunded, answer);
      }
      const cancelled = await authorisable();
      await expectStale(cancelled, () => move(cancelled, 'cancel'));
      await expectStale(cancelled, answer);
      expect(await sandbox().states(refunded)).toHaveLength(7);
      expect((await get(cancelled)).paymentState).toBe('Cancelled');
    });

    test('is a read before a recheck, and before a payment that was declined is tried again', async () => {
      const lost = await sandbox().create({ autoCapture: false });
      await sandbox().pay(lost.paymentId, 'unknown-charged');
      await expectStale(lost.paymentId, () => move(lost.paymentId, 'recheck'));

      const { paymentId } = await sandbox().create({ autoCapture: false });
      await sandbox().pay(paymentId, 'declined');
      await expectStale(paymentId, () => sandbox().pay(paymentId, 'insufficient-funds'));
      await expectStale(paymentId, () => sandbox().pay(paymentId, 'approved'));
    });

    test.skipIf(bench.store === 'memory')(
      'is the state before also for a payment that an older sandbox left',
      async () => {
        const location = await bench.location();
        const older = await bench.start({ location });
        const captured = await older.create();
        const refunding = await older.create();
        for (const { paymentId } of [captured, refunding]) await older.pay(paymentId);
        await addFault(older, { kind: 'provider-silent', route: 'refund' });
        await older.call('POST', `/payments/${refunding.paymentId}/refund`);
        await older.close();
        const store = await openStore({ location, schema: SCHEMA, migrations });
        await store.transaction(async (tx) => {
          await tx.schema.alterTable('payments').dropColumn('before_change').execute();
          await sql`delete from store_migration where name = 'stale reads'`.execute(tx);
        });
        await store.close();

        const newer = await bench.start({ location });
        await addFault(newer, { kind: 'stale-read', route: 'get', next: 2 });
        const shown = [captured, refunding].map(({ paymentId }) =>
          newer.call('GET', `/payments/${paymentId}`),
        );
        expect((await Promise.all(shown)).map(({ body }) => body)).toMatchObject([
          { paymentState: 'Capturing', capturedAmount: 0 },
          { paymentState: 'Captured', capturedAmount: 10.5 },
        ]);
      },
    );

    test('of a payment that has not changed is a read of it as it is', async () => {
      const { paymentId } = await sandbox().create();
      expect(await getStale(paymentId)).toEqual(await get(paymentId));
    });
  });

  describe('a delayed webhook', () => {
    test('waits for a minute when no delay is given', async () => {
      const [sandbox, receiver] = [await bench.start(), await bench.receiver()];
      await sandbox.control('POST', '/clock', { action: 'stop' });
      await tell(sandbox, receiver, { kind: 'webhook-delay', route: 'Authorised' });
      expect(receiver.states()).toEqual(['Created']);
      await sandbox.advance(59_999);
      expect(receiver.states()).toEqual(['Created']);
      await sandbox.advance(1);
      expect(receiver.states()).toEqual(all);
    });

    test('with a delay of 0 is sent at once, and once', async () => {
      const [sandbox, receiver] = [await bench.start(), await bench.receiver()];
      await sandbox.control('POST', '/clock', { action: 'stop' });
      await tell(sandbox, receiver, { kind: 'webhook-delay', next: undefined, delayMs: 0 });
      expect(receiver.states()).toEqual(all);
      expect((await sandbox.control('GET', '/faults')).body).toMatchObject([{ seen: all.length }]);
    });
  });

  test('a probability hits a share of the calls, and the same ones under the same seed', async () => {
    const hits = async (seed: number) => {
      const sandbox = await bench.start({ seed });
      await addFault(sandbox, { kind: 'error-before-commit', route: 'create', probability: 0.4 });
      const seen: boolean[] = [];
      for (let n = 0; n < 25; n++) {
        const body = hostedBody({ referenceId: newReference() });
        seen.push((await sandbox.call('POST', HOSTED, body)).status === 500);
      }
      return seen;
    };
    const [first, again, other] = [await hits(1), await hits(1), await hits(2)];
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
    const share = first.filter(Boolean).length / first.length;
    expect(share).toBeGreaterThan(0.1);
    expect(share).toBeLessThan(0.7);
  });

  describe('a rate limit', () => {
    test('answers 429 with the seconds to wait, for each app by itself', async () => {
      const sandbox = await bench.start({ rateLimit: 3 });
      const { live } = sandbox;
      const started = performance.now();
      const answers = await Promise.all(Array.from({ length: 40 }, () => sandbox.call('GET', '/customers')));
      const seconds = (performance.now() - started) / 1000;
      const limited = answers.filter((answer) => answer.status === 429);
      expect(answers.length - limited.length).toBeLessThanOrEqual(3 + 3 * seconds);
      expect(limited[0]).toMatchObject({ headers: { 'retry-after': '1' }, body: { code: 'rate-limited' } });
      const other = await sandbox.call('GET', '/customers', undefined, {
        appId: live.appId,
        key: live.apiKey,
      });
      expect(other.status).toBe(200);
      await eventually(async () => expect((await sandbox.call('GET', '/customers')).status).toBe(200));
    });

    test('says nothing of the wait where the service is said not to', async () => {
      const sandbox = await bench.start({ rateLimit: 1, answers: { 'retry-after': 'absent' } });
      const answers = await Promise.all(Array.from({ length: 5 }, () => sandbox.call('GET', '/customers')));
      const limited = answers.find((answer) => answer.status === 429);
      expect(limited?.headers).not.toHaveProperty('retry-after');
    });
  });
});
