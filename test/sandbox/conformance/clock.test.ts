import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { SCHEMA } from '../../../src/sandbox/engine.js';
import { migrations } from '../../../src/sandbox/migrations.js';
import { openStore } from '../../../src/store/store.js';
import { eventually, type TestSandbox } from '../../helpers/sandbox.js';
import { onEveryStore } from './stores.js';

const MINUTE = 60_000;
const DAY = 86_400_000;

interface Clock {
  now: string;
  stopped: boolean;
}

const move = (sandbox: TestSandbox, action: string, value?: number) =>
  sandbox.control<Clock>('POST', '/clock', { action, ...(value !== undefined && { value }) });
const look = async (sandbox: TestSandbox) => {
  const { body } = await sandbox.control<Clock>('GET', '/clock');
  return { now: Date.parse(body.now), stopped: body.stopped };
};

onEveryStore((bench) => {
  test('runs with the machine at first', async () => {
    let machine = Date.UTC(2026, 0, 1);
    const sandbox = await bench.start({ realNow: () => machine });
    expect(await look(sandbox)).toEqual({ now: machine, stopped: false });
    machine += 1234;
    expect((await look(sandbox)).now).toBe(machine);
  });

  test('stops, and goes on from where it stands', async () => {
    let machine = Date.UTC(2026, 0, 1);
    const sandbox = await bench.start({ realNow: () => machine });
    const begin = machine;
    await move(sandbox, 'stop');
    machine += MINUTE;
    expect(await look(sandbox)).toEqual({ now: begin, stopped: true });
    await move(sandbox, 'resume');
    machine += 5;
    expect(await look(sandbox)).toEqual({ now: begin + 5, stopped: false });
  });

  test('is set and advanced, whether it runs or not', async () => {
    const machine = Date.UTC(2026, 0, 1);
    const sandbox = await bench.start({ realNow: () => machine });
    expect((await move(sandbox, 'advance', DAY)).body).toEqual({
      now: '2026-01-02T00:00:00.000Z',
      stopped: false,
    });
    await move(sandbox, 'stop');
    expect((await move(sandbox, 'advance', MINUTE)).body).toEqual({
      now: '2026-01-02T00:01:00.000Z',
      stopped: true,
    });
    expect((await move(sandbox, 'set', Date.UTC(2030, 0, 1))).body.now).toBe('2030-01-01T00:00:00.000Z');
  });

  test.skipIf(bench.store !== 'file')('says so when work that is due cannot be done', async () => {
    const location = await bench.location();
    const store = await openStore({ location, schema: SCHEMA, migrations });
    await store.transaction((tx) =>
      sql`create trigger keep before delete on jobs begin select raise(abort, 'kept'); end`.execute(tx),
    );
    await store.close();
    const sandbox = await bench.start({ location });
    await move(sandbox, 'stop');
    const slow = sandbox.app.profiles.find(({ delayMs }) => delayMs > 0);
    const { paymentId } = await sandbox.create();
    await sandbox.pay(paymentId, 'approved', { paymentProfileId: slow?.paymentProfileId });
    expect(await move(sandbox, 'advance', DAY)).toMatchObject({
      status: 500,
      body: { code: 'internal', detail: 'Work that is due failed; the log of the sandbox says why.' },
    });
    expect(sandbox.errors[0]).toMatchObject({ message: expect.stringContaining('kept') as string });
    expect((await sandbox.read(paymentId)).paymentState).toBe('Processing');
  });

  test('stands again after a reset where the sandbox was started', async () => {
    const machine = Date.UTC(2026, 0, 1);
    for (const clock of [Date.UTC(2020, 1, 29), Date.UTC(2030, 0, 1)]) {
      const sandbox = await bench.start({ clock, realNow: () => machine });
      await move(sandbox, 'advance', DAY);
      await move(sandbox, 'resume');
      await sandbox.control('POST', '/reset');
      expect(await look(sandbox)).toEqual({ now: clock, stopped: true });
      const { createdTime } = await sandbox.create();
      expect(createdTime).toBe(new Date(clock).toISOString());
    }
  });

  test('runs with the machine again after a reset where the sandbox was started without a time', async () => {
    let machine = Date.UTC(2026, 0, 1);
    const sandbox = await bench.start({ realNow: () => machine });
    await move(sandbox, 'advance', DAY);
    await move(sandbox, 'stop');
    await sandbox.control('POST', '/reset');
    expect(await look(sandbox)).toEqual({ now: machine, stopped: false });
    machine += 5;
    expect((await look(sandbox)).now).toBe(machine);
  });

  test('is the time that payments are made at', async () => {
    const sandbox = await bench.start();
    await move(sandbox, 'stop');
    await move(sandbox, 'set', Date.UTC(2040, 5, 1));
    expect((await sandbox.create()).createdTime).toBe('2040-06-01T00:00:00.000Z');
  });

  test('never goes back', async () => {
    const sandbox = await bench.start();
    await move(sandbox, 'stop');
    const { now } = await look(sandbox);
    for (const [action, value] of [
      ['set', now - 1],
      ['advance', -1],
      ['set', Date.UTC(99_999, 0)],
      ['advance', 0.5],
      ['set', undefined],
      ['rewind', 1],
    ] as const) {
      const { status, body } = await move(sandbox, action, value);
      expect({ action, value, status, code: body }).toMatchObject({
        status: 400,
        code: { code: 'invalid-request' },
      });
    }
    expect((await look(sandbox)).now).toBe(now);
    expect((await move(sandbox, 'set', now)).status).toBe(200);
  });

  test('survives a restart, stopped or running', async (context) => {
    context.skip(bench.store === 'memory', 'a database in memory is gone');
    let machine = Date.UTC(2026, 0, 1);
    const options = { location: await bench.location(), realNow: () => machine };
    const first = await bench.start(options);
    await move(first, 'stop');
    await move(first, 'advance', DAY);
    const before = await look(first);
    await first.close();
    machine += MINUTE;
    const second = await bench.start(options);
    expect(await look(second)).toEqual(before);
    await move(second, 'resume');
    await second.close();
    machine += MINUTE;
    const third = await bench.start(options);
    expect(await look(third)).toEqual({ now: before.now + MINUTE, stopped: false });
  });

  test('what is due by it goes on after a restart', async (context) => {
    context.skip(bench.store === 'memory', 'a database in memory is gone');
    const location = await bench.location();
    const first = await bench.start({ location });
    await move(first, 'stop');
    const { paymentId } = await first.create();
    await first.pay(paymentId, 'slow-approved');
    await first.close();
    const second = await bench.start({ location });
    expect((await second.read(paymentId)).paymentState).toBe('Processing');
    await second.advance(30_000);
    expect((await second.read(paymentId)).paymentState).toBe('Captured');
  });

  test('what is due happens by itself while it runs', async () => {
    const sandbox = await bench.start();
    const slowbank = sandbox.app.profiles.find((profile) => profile.name === 'Slowbank')?.paymentProfileId;
    await sandbox.control('PATCH', `/apps/${sandbox.app.appId}`, {
      profile: { paymentProfileId: slowbank, delayMs: 30 },
    });
    const { paymentId } = await sandbox.create();
    const paid = await sandbox.pay(paymentId, 'approved', { paymentProfileId: slowbank });
    expect(paid.paymentState).toBe('Processing');
    await eventually(async () => expect((await sandbox.read(paymentId)).paymentState).toBe('Captured'));
  });

  test('what is due does not happen while it stands still', async () => {
    let machine = Date.UTC(2026, 0, 1);
    const sandbox = await bench.start({ realNow: () => machine });
    await move(sandbox, 'stop');
    const { paymentId } = await sandbox.create();
    await sandbox.pay(paymentId, 'slow-approved');
    machine += DAY;
    await sandbox.settle();
    expect((await sandbox.read(paymentId)).paymentState).toBe('Processing');
    await move(sandbox, 'resume');
    machine += 30_000;
    await sandbox.settle();
    expect((await sandbox.read(paymentId)).paymentState).toBe('Captured');
  });

  describe('what became due on the way', () => {
    test('happens in order and at its own time, across payments', async () => {
      const sandbox = await bench.start();
      await move(sandbox, 'stop');
      const { now } = await look(sandbox);
      const receiver = await bench.receiver();
      const webhookUrl = receiver.url;
      const link = await sandbox.create({
        webhookUrl,
        expirationTime: new Date(now + 2 * DAY).toISOString(),
      });
      const window = await sandbox.create({ webhookUrl, autoCapture: false });
      await sandbox.pay(window.paymentId);
      const slow = await sandbox.create({ webhookUrl, autoCapture: false });
      await sandbox.pay(slow.paymentId, 'slow-approved');
      await sandbox.settle();
      receiver.requests.length = 0;
      await sandbox.advance(30 * DAY);
      const told = receiver.requests.map(({ body }) => [
        body.paymentId,
        body.paymentState,
        Date.parse(String(body.occurredTime)) - now,
      ]);
      expect(told).toEqual([
        [slow.paymentId, 'Authorised', 30_000],
        [link.paymentId, 'Expired', 2 * DAY],
        [window.paymentId, 'Expired', 7 * DAY],
        [slow.paymentId, 'Expired', 7 * DAY + 30_000],
      ]);
    });

    test('includes webhooks that are tried again, each at its own time and before what comes later', async () => {
      const sandbox = await bench.start();
      await move(sandbox, 'stop');
      const { now } = await look(sandbox);
      const receiver = await bench.receiver();
      receiver.next({ status: 500 }, { status: 500 });
      const { paymentId } = await sandbox.create({ webhookUrl: receiver.url });
      await sandbox.pay(paymentId, 'slow-approved');
      await sandbox.advance(DAY);
      const { body } = await sandbox.control<{
        events: Array<{ to_state: string; deliveries: Array<{ time: number }> }>;
      }>('GET', `/payments/${paymentId}/story`);
      expect(
        body.events.map(({ to_state, deliveries }) => [to_state, deliveries.map(({ time }) => time - now)]),
      ).toEqual([
        ['Created', [0, 5_000, 35_000]],
        ['Processing', [35_000]],
        ['Authorised', [35_000]],
        ['Capturing', [35_000]],
        ['Captured', [35_000]],
      ]);
    });

    test('happens once when the clock is advanced by two at the same time', async () => {
      const sandbox = await bench.start();
      await move(sandbox, 'stop');
      const { now } = await look(sandbox);
      const { paymentId } = await sandbox.create();
      await sandbox.pay(paymentId, 'slow-approved');
      await Promise.all([sandbox.advance(MINUTE), sandbox.advance(MINUTE)]);
      expect(await sandbox.states(paymentId)).toEqual([
        'Created',
        'Processing',
        'Authorised',
        'Capturing',
        'Captured',
      ]);
      expect((await look(sandbox)).now).toBeGreaterThanOrEqual(now + MINUTE);
    });
  });
});
