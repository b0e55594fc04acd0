import { createHash, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.js';
import { parsePayment } from '../../src/payments/named-payments.js';
import { createChaos } from '../../src/webhooks/forwarding/chaos.js';
import { replayTo } from '../../src/webhooks/forwarding/replay.js';
import { createSender } from '../../src/webhooks/forwarding/sender.js';
import { findDelivery } from '../../src/webhooks/inbox/inbox.js';
import { addFault, waitForFaults } from '../helpers/desk.js';
import { deskDatabases } from '../helpers/desk-database.js';
import { describeWithPostgres, type Postgres } from '../helpers/postgres.js';
import {
  eventually,
  type Receiver,
  startReceiver,
  startTestSandbox,
  type TestSandbox,
} from '../helpers/sandbox.js';
import { everything, type HookDesk, openHookDesk, targetOn } from './hook-desk.js';

let sandbox: TestSandbox;
let handler: Receiver;
let desk: HookDesk;

beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());

const body = (fields: Record<string, unknown>) => JSON.stringify(fields);

/** Replays the first webhook as if on another machine, where the handler listens at the same local address. */
async function replayOn(machine: string): Promise<void> {
  const { inbox, app, database } = desk;
  const sender = createSender(() => Date.now());
  const replayDesk = { store: database.store, inbox, app, sender, now: () => Date.now() };
  await replayTo(replayDesk, await findDelivery(inbox, app, 1), targetOn(machine, handler.url), []);
  await sender.close();
}

const failedIds = async () =>
  (await Array.fromAsync(desk.inbox.list(desk.app, { failed: true }))).map(({ id }) => id);

function tests(location: () => Promise<string | undefined>): void {
  beforeEach(async () => {
    handler = await startReceiver();
    desk = await openHookDesk(sandbox, await location());
  });
  afterEach(async () => {
    await desk.close();
    await handler.close();
  });

  it('the service’s own webhooks are kept, read, told and passed on', async () => {
    const listener = await desk.listen({ to: [handler.url] });
    const payment = await sandbox.create({ webhookUrl: listener.url });
    await listener.waitFor(1);
    await sandbox.pay(payment.paymentId);
    await sandbox.settle();
    const all = await listener.waitFor(4);
    expect(handler.states(payment.paymentId)).toEqual(['Created', 'Authorised', 'Capturing', 'Captured']);
    expect(all[0]).toMatchObject({
      paymentId: String(payment.paymentId),
      referenceId: payment.referenceId,
      kind: 'received',
      namedBy: 'json',
      state: 'Created',
      previousState: null,
      verdict: 'changed',
      forwards: [{ to: handler.url, status: 200, outcome: 'delivered', attempts: 1 }],
    });
    // Three webhooks in a row: each is judged by what the service shows, which is further on already.
    expect(all.slice(1).map(({ state }) => state)).toEqual(['Captured', 'Captured', 'Captured']);
    expect(all.slice(1).map(({ verdict }) => verdict)).toEqual(['several', 'stale', 'same']);
    const kept = await desk.inbox.ofPayment(desk.app, { paymentId: String(payment.paymentId) });
    expect(kept).toEqual(all.toSorted((a, b) => a.id - b.id));
    expect(await desk.inbox.newestId(desk.app)).toBe(kept.at(-1)?.id);
    expect(await desk.inbox.after(desk.app, kept[1]!.id)).toEqual(kept.slice(2));
  });

  it('one after a reset is no duplicate of one before it, although the payment has the same id', async () => {
    const listener = await desk.listen();
    for (const count of [1, 2]) {
      await sandbox.control('POST', '/reset');
      await sandbox.create({ webhookUrl: listener.url });
      await listener.waitFor(count);
    }
    const [before, after] = listener.settled();
    expect(after?.paymentId).toBe(before?.paymentId);
    expect(after?.verdict).not.toBe('duplicate');
  });

  it('one that came before is a duplicate, by its event or by its words', async () => {
    const listener = await desk.listen();
    const { paymentId } = await sandbox.create();
    const event = body({ eventId: 'evt_1', paymentId, paymentState: 'Created' });
    await listener.post(event);
    await listener.post(body({ paymentId, paymentState: 'Created' }));
    await listener.post(body({ paymentId }));
    await listener.waitFor(3);
    await listener.post(`${event} `);
    await listener.post(body({ paymentId, paymentState: 'Created' }));
    await listener.post(body({ paymentId }));
    await listener.waitFor(6);
    const kept = await desk.inbox.ofPayment(desk.app, { paymentId: String(paymentId) });
    expect(kept.map(({ verdict }) => verdict)).toEqual([
      'changed',
      'same',
      'same',
      'duplicate',
      'duplicate',
      // A bare id tells of nothing that could be told twice.
      'same',
    ]);
  });

  it('what a webhook claims and the service does not show is not believed', async () => {
    const listener = await desk.listen({ to: [`${handler.url} state=Captured`] });
    const { paymentId } = await sandbox.create();
    await listener.post(body({ paymentId, paymentState: 'Captured' }));
    const [delivery] = await listener.waitFor(1);
    expect(delivery).toMatchObject({
      state: 'Created',
      saidState: 'Captured',
      verdict: 'unconfirmed',
      forwards: [],
    });
    expect(handler.requests).toEqual([]);
  });

  it('a webhook that is quicker than the service’s own readers is given a moment to come true', async () => {
    const listener = await desk.listen();
    const { paymentId } = await sandbox.create();
    await listener.post(body({ paymentId, paymentState: 'Created' }));
    await listener.waitFor(1);
    await sandbox.pay(paymentId);
    await sandbox.settle();
    const fault = await sandbox.control('POST', '/faults', { kind: 'stale-read', next: 1 });
    expect(fault.status).toBeLessThan(300);
    await listener.post(body({ paymentId, paymentState: 'Captured' }));
    const [, second] = await listener.waitFor(2);
    expect(second).toMatchObject({ state: 'Captured', previousState: 'Created', verdict: 'several' });
  });

  it('a webhook of an uncaptured payment that is quicker than the read reaches the target of its state', async () => {
    const listener = await desk.listen({ to: [`${handler.url} state=Authorised`] });
    const { paymentId } = await sandbox.create({ autoCapture: false });
    await sandbox.pay(paymentId);
    await addFault(sandbox, { kind: 'stale-read', next: 1 });
    await listener.post(body({ paymentId, paymentState: 'Authorised' }));
    const [delivery] = await listener.waitFor(1);
    expect(delivery).toMatchObject({ state: 'Authorised', forwards: [{ outcome: 'delivered' }] });
    expect(handler.states(paymentId)).toEqual(['Authorised']);
  });

  it('a webhook that is late is stale, and its payment is read once', async () => {
    const listener = await desk.listen();
    const { paymentId } = await sandbox.create({ autoCapture: false });
    await sandbox.pay(paymentId);
    sandbox.lines.splice(0);
    await listener.post(body({ paymentId, paymentState: 'Authorised' }));
    await listener.waitFor(1);
    await listener.post(body({ paymentId, paymentState: 'Created' }));
    const [, late] = await listener.waitFor(2);
    expect(late).toMatchObject({ state: 'Authorised', verdict: 'stale' });
    expect(sandbox.lines.filter(({ path }) => path.endsWith(`/payments/${paymentId}`))).toHaveLength(2);
  });

  it('a key that is not accepted is told once, and webhooks are kept and passed on all the same', async () => {
    const client = createClient({
      baseUrl: sandbox.url,
      appId: sandbox.app.appId,
      kind: 'sandbox',
      apiKey: () => 'sk_wrong',
    });
    const listener = await desk.listen({ to: [handler.url], client });
    await listener.post(body({ paymentId: 1 }));
    await listener.post(body({ paymentId: 2 }));
    const all = await listener.waitFor(2);
    expect(all.map(({ verdict }) => verdict)).toEqual(['unread', 'unread']);
    expect(all[0]?.why).toContain('does not accept the API key');
    expect(listener.errors).toHaveLength(1);
    expect(handler.requests).toHaveLength(2);
    await client.close();
  });

  it('one that names no payment, or none that exists, is kept, shown and passed on', async () => {
    const listener = await desk.listen({ to: [handler.url] });
    await listener.post('{"hello":"world"}');
    await listener.post(body({ paymentId: 999_999_999 }));
    const all = await listener.waitFor(2);
    expect(all.map(({ verdict }) => verdict).toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual([
      'none',
      'unknown',
    ]);
    expect(all.map(({ state }) => state)).toEqual([null, null]);
    expect(handler.requests).toHaveLength(2);
  });

  it('a payment that was named in several ways is found by the one that is right', async () => {
    const listener = await desk.listen();
    const { paymentId, referenceId } = await sandbox.create();
    await listener.post(body({ paymentId: 987_654_321 }), { rest: `/${referenceId}` });
    const [delivery] = await listener.waitFor(1);
    expect(delivery).toMatchObject({ paymentId: String(paymentId), referenceId, state: 'Created' });
  });

  it('a payment that is named in two ways and does not exist keeps both names, and its target', async () => {
    const listener = await desk.listen({ to: [`${handler.url} payment=987654322`] });
    await listener.post(body({ paymentId: 987_654_322, referenceId: 'nobody' }));
    const [delivery] = await listener.waitFor(1);
    expect(delivery).toMatchObject({
      paymentId: '987654322',
      referenceId: 'nobody',
      verdict: 'unknown',
      why: 'the service has no payment with reference nobody',
      forwards: [{ outcome: 'delivered' }],
    });
    expect(await desk.inbox.ofPayment(desk.app, { paymentId: '987654322' })).toEqual([delivery]);
  });

  it('bodies, methods, queries and headers arrive as they came', async () => {
    const bodies = new Map<string, Buffer>();
    const { createServer } = await import('node:http');
    const seen: Array<{ url: string; headers: string[]; digest: string }> = [];
    const server = createServer((incoming, outgoing) => {
      const hash = createHash('sha256');
      incoming.on('data', (chunk: Buffer) => hash.update(chunk));
      incoming.on('end', () => {
        const { url = '', rawHeaders: headers } = incoming;
        seen.push({ url, headers, digest: hash.digest('hex') });
        outgoing.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const listener = await desk.listen({ to: [`localhost:${port}/hooks?own=1`] });
    bodies.set('1', Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)));
    bodies.set('2', randomBytes(1024 * 1024));
    bodies.set('3', Buffer.from('\uFEFF{"a": 1.0, "a" :2}\r\n', 'utf16le'));
    bodies.set('4', Buffer.alloc(0));
    for (const [name, bytes] of bodies) {
      const headers = ['CONTENT-Type', 'application/x-odd; q="\xe9"', 'x-Name', name, 'X-NAME', 'again'];
      await listener.post(bytes, { rest: `/ref-${name}?n=${name}&e=%20+%C3%A9`, headers });
    }
    await listener.waitFor(4);
    await new Promise((resolve) => server.close(resolve).closeAllConnections());
    expect(seen).toHaveLength(4);
    for (const [name, bytes] of bodies) {
      const got = seen.find(({ url }) => url.includes(`n=${name}&`));
      expect(got?.digest).toBe(createHash('sha256').update(bytes).digest('hex'));
      expect(got?.url).toBe(`/hooks?own=1&n=${name}&e=%20+%C3%A9`);
      const pairs = got?.headers ?? [];
      const at = pairs.indexOf('CONTENT-Type');
      expect(pairs.slice(at, at + 6)).toEqual([
        'CONTENT-Type',
        'application/x-odd; q="\xe9"',
        'x-Name',
        name,
        'X-NAME',
        'again',
      ]);
      expect(pairs[pairs.findIndex((key) => key.toLowerCase() === 'host') + 1]).toBe(`localhost:${port}`);
    }
  });

  it('the secret goes to no target', async () => {
    const listener = await desk.listen({ to: [handler.url] });
    await listener.post('{}', {
      rest: '/inv-1?from=/wh/' + listener.secret,
      headers: { referer: listener.url, 'x-original-url': `/wh/${listener.secret}/inv-1` },
    });
    await listener.waitFor(1);
    const [got] = handler.requests;
    expect(JSON.stringify([got?.path, got?.headers])).not.toContain(listener.secret);
    expect(got?.path).toBe('/hook?from=/wh/[redacted]');
  });

  it('webhooks of one payment are passed on in order, one after another, and payments side by side', async () => {
    const listener = await desk.listen({ to: [handler.url] });
    const [slow, quick] = [await sandbox.create(), await sandbox.create()];
    const quickOnesCame = Promise.withResolvers<void>();
    handler.next({ status: 200, until: quickOnesCame.promise });
    await listener.post(body({ paymentId: slow.paymentId, n: 0 }));
    await handler.waitFor(1);
    for (let n = 1; n <= 5; n += 1) await listener.post(body({ paymentId: slow.paymentId, n }));
    for (let n = 0; n <= 5; n += 1) await listener.post(body({ paymentId: quick.paymentId, n }));
    // The first of the slow ones is answered only then: until it is, none of the others may follow it.
    await handler.waitFor(7);
    quickOnesCame.resolve();
    await listener.waitFor(12);
    const order = (id: number) =>
      handler.requests.filter(({ body: { paymentId } }) => paymentId === id).map(({ body: { n } }) => n);
    expect(order(slow.paymentId)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(order(quick.paymentId)).toEqual([0, 1, 2, 3, 4, 5]);
    const ids = handler.requests.map(({ body: { paymentId } }) => paymentId);
    // While the slow one was thought about, all of the quick ones went by.
    expect(ids.lastIndexOf(quick.paymentId)).toBeLessThan(ids.lastIndexOf(slow.paymentId));
  });

  it('a target that does not answer 2xx is tried again, then given up; no redirect is followed', async () => {
    const listener = await desk.listen({ to: [handler.url] });
    const { paymentId } = await sandbox.create();
    handler.next({ status: 500, body: 'oh no' }, 'drop', {
      status: 307,
      headers: { location: '/elsewhere' },
    });
    await listener.post(body({ paymentId, n: 1 }));
    await listener.post(body({ paymentId, n: 2 }));
    const all = await listener.waitFor(2);
    expect(all.map(({ forwards }) => forwards[0]?.attempts)).toEqual([4, 1]);
    expect(handler.requests.map(({ path, body: { n } }) => [path, n])).toEqual([
      ['/hook', 1],
      ['/hook', 1],
      ['/hook', 1],
      ['/hook', 1],
      ['/hook', 2],
    ]);
    const whole = await desk.inbox.find(desk.app, all[0]!.id);
    expect(whole?.forwards[0]?.tries.map(({ status, answer }) => [status, answer])).toEqual([
      [500, 'oh no'],
      [null, null],
      [307, ''],
      [200, ''],
    ]);
    handler.answer({ status: 503 });
    await listener.post(body({ paymentId, n: 3 }));
    const [, , failed] = await listener.waitFor(3);
    expect(failed?.forwards).toMatchObject([{ attempts: 4, status: 503, outcome: 'failed' }]);
  });

  it('what a target did not accept is forwarded by the next listener that has it, in order', async () => {
    handler.answer({ status: 503 });
    const first = await desk.listen({ to: [handler.url] });
    const { paymentId } = await sandbox.create();
    await first.post(body({ paymentId, n: 1 }));
    await first.post(body({ paymentId, n: 2 }));
    await first.waitFor(2);
    await first.stop();
    handler.answer({ status: 200 });
    handler.requests.length = 0;

    const elsewhere = await startReceiver();
    const other = await desk.listen({ to: [elsewhere.url] });
    await other.post(body({ paymentId, n: 3 }));
    await other.waitFor(1);
    await other.stop();
    expect(elsewhere.requests.map(({ body: { n } }) => n)).toEqual([3]);
    await elsewhere.close();
    const waiting = await desk.listen({ to: [handler.url], retriesFailed: false });
    await waiting.post(body({ paymentId, n: 4 }));
    await waiting.waitFor(1);
    await waiting.stop();
    expect(handler.requests.map(({ body: { n } }) => n)).toEqual([4]);

    const notes: unknown[] = [];
    const next = await desk.listen({ to: [handler.url], note: (...lines) => notes.push(...lines) });
    await next.waitFor(2);
    expect(notes).toEqual(['Forwarding 2 webhooks again that failed before.']);
    expect(handler.requests.map(({ body: { n } }) => n)).toEqual([4, 1, 2]);
    await next.stop();
    const last = await desk.listen({ to: [handler.url], note: (...lines) => notes.push(...lines) });
    expect(notes).toHaveLength(1);
    await last.stop();
  });

  it('what another machine accepted at its own local address is still forwarded here', async () => {
    handler.answer({ status: 503 });
    const first = await desk.listen({ to: [handler.url] });
    await first.post('{"n":1}');
    await first.waitFor(1);
    await first.stop();
    handler.answer({ status: 200 });
    await replayOn('build-1');
    expect(await failedIds()).toEqual([1]);
    const next = await desk.listen({ to: [handler.url] });
    const [delivery] = await next.waitFor(1);
    expect(delivery?.forwards).toMatchObject([{ replay: false, outcome: 'delivered' }, { replay: true }]);
    expect(await failedIds()).toEqual([]);
  });

  it('what another machine accepted before the payment could be read is still forwarded here', async () => {
    const to = [`${handler.url} state=Created`];
    const readRetries = { minPauseMs: 1, maxPauseMs: 1, withinMs: 0 };
    const { paymentId } = await sandbox.create();
    await addFault(sandbox, { kind: 'error-before-commit', route: 'get', status: 503, next: 1_000 });
    const first = await desk.listen({ to, readRetries });
    await first.post(body({ paymentId, n: 1 }));
    await first.waitFor(1);
    await first.stop();
    await replayOn('build-1');
    expect(handler.requests).toHaveLength(1);
    await sandbox.control('DELETE', '/faults');
    const next = await desk.listen({ to });
    await next.waitFor(1);
    expect(handler.requests).toHaveLength(2);
  });

  it('targets get what their filters let through', async () => {
    const path = await startReceiver();
    const state = await startReceiver();
    const one = await startReceiver();
    const { paymentId, referenceId } = await sandbox.create();
    const other = await sandbox.create();
    await sandbox.pay(other.paymentId);
    await sandbox.settle();
    const listener = await desk.listen({
      to: [
        `${path.url} path=/refunds`,
        `${state.url} state=Captured,Refunded`,
        `${one.url} payment=${referenceId}`,
      ],
    });
    await listener.post(body({ paymentId }), { rest: '/refunds/1' });
    await listener.post(body({ paymentId: other.paymentId }));
    await listener.post(body({ hello: 'world' }));
    await listener.waitFor(3);
    const got = ({ requests }: Receiver) => requests.map(({ body: { paymentId: id } }) => id);
    expect(got(path)).toEqual([paymentId]);
    expect(got(state)).toEqual([other.paymentId]);
    expect(got(one)).toEqual([paymentId]);
    for (const receiver of [path, state, one]) await receiver.close();
  });

  it('a common filter holds for every target', async () => {
    const { paymentId } = await sandbox.create();
    const listener = await desk.listen({
      to: [handler.url],
      filter: { ...everything, payments: [parsePayment(String(paymentId))] },
    });
    await listener.post(body({ paymentId: 5 }));
    await listener.post(body({ paymentId }));
    await listener.waitFor(2);
    expect(handler.requests.map(({ body: { paymentId: id } }) => id)).toEqual([paymentId]);
  });

  it('with --ack forwarded the service is answered when the target has it', async () => {
    const listener = await desk.listen({ to: [handler.url], ack: 'forwarded' });
    handler.next({ status: 200, delayMs: 300 });
    let answered = false;
    const first = listener.post('{"n":1}').then((status) => {
      answered = true;
      return status;
    });
    await handler.waitFor(1);
    expect(answered).toBe(false);
    expect(await first).toBe(200);
    handler.answer({ status: 500 });
    expect(await listener.post('{"n":2}')).toBe(502);
    expect(await desk.inbox.newestId(desk.app)).toBe(2);
  });

  it('with --ack forwarded the service waits for a read only where a target depends on it', async () => {
    const byPath = `${handler.url} path=/refunds state=Created`;
    const listener = await desk.listen({ to: [handler.url, byPath], ack: 'forwarded' });
    const { paymentId } = await sandbox.create();
    await addFault(sandbox, { kind: 'latency', route: 'get', delayMs: 60_000, next: 1 });
    expect(await listener.post(body({ paymentId, n: 1 }))).toBe(200);
    expect(listener.settled()).toEqual([]);
    expect(handler.requests).toHaveLength(1);
    await waitForFaults(sandbox);
    const other = await sandbox.create();
    expect(await listener.post(body({ paymentId: other.paymentId }), { rest: '/refunds' })).toBe(200);
    expect(handler.requests).toHaveLength(3);
  });

  it('with --ack forwarded and no target the service is answered without a read', async () => {
    const listener = await desk.listen({ ack: 'forwarded' });
    const { paymentId } = await sandbox.create();
    await addFault(sandbox, { kind: 'latency', route: 'get', delayMs: 60_000, next: 1 });
    expect(await listener.post(body({ paymentId }))).toBe(200);
    expect(listener.settled()).toEqual([]);
    await waitForFaults(sandbox);
  });

  it('chaos drops, doubles, delays and reorders as its seed says', async () => {
    const listener = await desk.listen({ to: [handler.url], chaos: createChaos(['drop', 'duplicate'], 3) });
    const { paymentId } = await sandbox.create();
    for (let n = 0; n < 20; n += 1) await listener.post(body({ paymentId, n }));
    await listener.waitFor(20);
    const plan = createChaos(['drop', 'duplicate'], 3);
    const expected = Array.from({ length: 20 }, (_, n) => {
      const { done } = plan.next();
      return done.includes('drop') ? [] : done.includes('duplicate') ? [n, n] : [n];
    }).flat();
    expect(handler.requests.map(({ body: { n } }) => n)).toEqual(expected);
    expect(expected.length).not.toBe(20);
  });

  it('one that is reordered is overtaken', async () => {
    const seed = Array.from({ length: 100 }, (_, index) => index).find((index) => {
      const chaos = createChaos(['reorder'], index);
      return chaos.next().done.length === 1 && chaos.next().done.length === 0;
    }) as number;
    const listener = await desk.listen({ to: [handler.url], chaos: createChaos(['reorder'], seed) });
    const { paymentId } = await sandbox.create();
    await listener.post(body({ paymentId, n: 1 }));
    await listener.post(body({ paymentId, n: 2 }));
    await listener.waitFor(2);
    expect(handler.requests.map(({ body: { n } }) => n)).toEqual([2, 1]);
  });

  it('many at once are answered by few reads, each begun after they came', async () => {
    const listener = await desk.listen();
    const { paymentId } = await sandbox.create();
    sandbox.lines.splice(0);
    const from = performance.now();
    await Promise.all(Array.from({ length: 200 }, (_, n) => listener.post(body({ paymentId, n }))));
    await listener.waitFor(200);
    const tookMs = performance.now() - from;
    const reads = sandbox.lines.filter(({ path }) => path.endsWith(`/payments/${paymentId}`));
    expect(reads.length).toBeGreaterThan(0);
    // A pause of 50 ms follows each of them, however long the machine takes for the webhooks.
    expect(reads.length).toBeLessThanOrEqual(1 + tookMs / 45);
  });

  it('the secret of an app stays, and is of its own', async () => {
    const first = await desk.listen();
    await first.stop();
    const second = await desk.listen();
    expect(second.secret).toBe(first.secret);
    expect(second.secret).toMatch(/^[\w-]{22,}$/);
    expect(Buffer.from(second.secret, 'base64url').length * 8).toBeGreaterThanOrEqual(128);
  });

  it('what was kept and neither read nor passed on is taken up by the next listener', async () => {
    const first = await desk.listen({ to: [handler.url] });
    handler.answer('hang');
    const { paymentId } = await sandbox.create();
    const fault = await sandbox.control('POST', '/faults', { kind: 'latency', delayMs: 60_000, next: 1 });
    expect(fault.status).toBeLessThan(300);
    await first.post(body({ paymentId, n: 1 }));
    await handler.waitFor(1);
    await first.post(body({ paymentId, n: 2 }));
    expect(first.settled()).toEqual([]);
    const stopping = first.stop();
    handler.answer({ status: 200 });
    await stopping;
    const second = await desk.listen({ to: [handler.url] });
    await eventually(async () => {
      const kept = await desk.inbox.ofPayment(desk.app, { paymentId: String(paymentId) });
      expect(kept.map(({ forwards }) => forwards[0]?.outcome)).toEqual(['delivered', 'delivered']);
      expect(kept.every(({ state }) => state === 'Created')).toBe(true);
    });
    await second.stop();
  });

  it('forwards to targets that a listener does not have stay where they are', async () => {
    handler.answer({ status: 500 });
    const first = await desk.listen({ to: [handler.url] });
    await first.post('{"n":1}');
    await handler.waitFor(1);
    await first.stop();
    const second = await desk.listen();
    expect(await second.waitingElsewhere()).toEqual([{ target: handler.url, count: 1 }]);
  });

  it('several listeners share the work: each webhook is passed on once, in order', async () => {
    const listeners = [await desk.listen({ to: [handler.url] }), await desk.listen({ to: [handler.url] })];
    const payments = await Promise.all([sandbox.create(), sandbox.create(), sandbox.create()]);
    for (let n = 0; n < 8; n += 1) {
      for (const { paymentId } of payments) await listeners[n % 2]!.post(body({ paymentId, n }));
    }
    await eventually(() => expect(handler.requests).toHaveLength(24));
    await eventually(() => {
      const done = listeners.reduce((count, listener) => count + listener.settled().length, 0);
      expect(done).toBeGreaterThanOrEqual(24);
    });
    for (const { paymentId } of payments) {
      const order = handler.requests
        .filter((got) => got.body.paymentId === paymentId)
        .map((got) => got.body.n);
      expect(order).toEqual(Array.from({ length: 8 }, (_, n) => n));
    }
  });
}

describe('a listener on SQLite', () => {
  tests(async () => undefined);
});

describeWithPostgres('a listener on PostgreSQL', (postgres: () => Postgres) => {
  tests(deskDatabases(postgres));
});
