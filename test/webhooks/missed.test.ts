import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type AddressInfo, createServer, type Server, type Socket, connect } from 'node:net';
import { createGivenTunnel, createNoTunnel } from '../../src/webhooks/tunnels/without-program.js';
import type { Tunnel } from '../../src/webhooks/tunnels/tunnel.js';
import { systemClock } from '../../src/client/clock.js';
import { remember } from '../../src/ledger/known/remember.js';
import { eventually, startTestSandbox, type TestSandbox } from '../helpers/sandbox.js';
import { type HookDesk, openHookDesk } from './hook-desk.js';

let sandbox: TestSandbox;
let desk: HookDesk;

beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());
beforeEach(async () => {
  desk = await openHookDesk(sandbox);
});
afterEach(() => desk.close());

/** It compares what it waits for with the time of day. */
const listen: HookDesk['listen'] = (options) => desk.listen({ clock: systemClock, ...options });

/** A payment whose webhooks go to this address, as the desk remembers one that it created. */
async function created(webhookUrl: string) {
  const payment = await sandbox.create({ webhookUrl });
  const { store } = desk.database;
  const seen = { ...desk.app, paymentId: String(payment.paymentId), state: 'Created', webhookUrl };
  await store.transaction((tx) => remember(tx, store.engine, { seen, source: 'created', now: Date.now() }));
  return payment;
}

it('what changed while nobody listened is told as missed, kept, and sent by nobody', async () => {
  const first = await listen();
  const { url } = first;
  await first.stop();
  const [changed, same] = [await created(url), await created(url)];
  await created('http://127.0.0.1:9/elsewhere');
  await sandbox.pay(changed.paymentId);
  await sandbox.settle();
  const second = await listen();
  const missed = await eventually(() => {
    const found = second.events.find(({ type }) => type === 'missed');
    expect(found).toBeDefined();
    return found as { delivery: unknown };
  });
  expect(missed.delivery).toMatchObject({
    kind: 'synthetic',
    verdict: 'missed',
    paymentId: String(changed.paymentId),
    previousState: 'Created',
    state: 'Captured',
    forwards: [],
  });
  expect(second.events.filter(({ type }) => type === 'missed')).toHaveLength(1);
  const kept = await desk.inbox.ofPayment(desk.app, { paymentId: String(changed.paymentId) });
  const whole = await desk.inbox.find(desk.app, kept[0]!.id);
  expect(JSON.parse(Buffer.from(whole!.body).toString())).toMatchObject({
    paymentId: changed.paymentId,
    referenceId: changed.referenceId,
    paymentState: 'Captured',
    type: 'payment.state-changed',
  });
  expect(await desk.inbox.ofPayment(desk.app, { paymentId: String(same.paymentId) })).toEqual([]);
});

/** A door that can be shut: what stands between the service and the listener. */
async function createDoor(): Promise<{
  url: string;
  tunnel: Tunnel;
  shut(): void;
  open(): void;
  close(): Promise<void>;
}> {
  let localPort = 0;
  let isOpen = true;
  const sockets = new Set<Socket>();
  const server: Server = createServer((from) => {
    if (!isOpen) {
      from.destroy();
      return;
    }
    const to = connect(localPort, '127.0.0.1');
    for (const socket of [from, to]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    from.pipe(to).pipe(from);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const given = createGivenTunnel(new URL(url));
  return {
    url,
    tunnel: {
      ...given,
      start: (options) => {
        ({ localPort } = options);
        return given.start(options);
      },
    },
    shut() {
      isOpen = false;
      for (const socket of sockets) socket.destroy();
    },
    open: () => void (isOpen = true),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

it('after an outage of the tunnel the open payments are read, and what was lost is told', async () => {
  const door = await createDoor();
  const listener = await listen({ tunnel: door.tunnel });
  expect(listener.url.startsWith(`${door.url}/wh/`)).toBe(true);
  const { paymentId } = await created(listener.url);
  await listener.waitFor(1);
  door.shut();
  await eventually(() => expect(listener.events.some(({ type }) => type === 'down')).toBe(true));
  await sandbox.pay(paymentId);
  await sandbox.settle();
  door.open();
  await eventually(() => expect(listener.events.some(({ type }) => type === 'up')).toBe(true));
  const found = await eventually(() => {
    const missed = listener.events.find((event) => event.type === 'missed');
    expect(missed).toBeDefined();
    return missed as { delivery: { paymentId: string } };
  });
  expect(found.delivery).toMatchObject({ paymentId: String(paymentId), state: 'Captured' });
  await listener.stop();
  door.shut();
  await door.close();
});

it('a new address is told with the open payments that still point to the old one', async () => {
  const none = createNoTunnel();
  let ended: () => void = () => {};
  let starts = 0;
  const moving: Tunnel = {
    ...none,
    async start(options) {
      starts += 1;
      const connection = await none.start(options);
      const host = starts === 1 ? '127.0.0.1' : 'localhost';
      return {
        ...connection,
        url: `http://${host}:${options.localPort}`,
        ended: new Promise((resolve) => (ended = () => resolve(new Error('it moved') as never))),
      };
    },
  };
  const listener = await listen({ tunnel: moving });
  const before = listener.url;
  const { paymentId } = await created(before);
  ended();
  const event = await eventually(() => {
    const changed = listener.events.find(({ type }) => type === 'url-changed');
    expect(changed).toBeDefined();
    return changed;
  });
  expect(event).toEqual({
    type: 'url-changed',
    url: listener.url,
    previous: before,
    pointing: [String(paymentId)],
  });
  expect(listener.url).toContain('http://localhost:');
});
