import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { describeWithPostgres } from '../../helpers/postgres.js';
import {
  eventually,
  hostedBody,
  sandboxProcess,
  startReceiver,
  type Receiver,
  type SandboxProcess,
} from '../../helpers/sandbox.js';

const HOSTED = '/payments/hosted-page';
const all = ['Created', 'Authorised', 'Capturing', 'Captured'];

async function receiving(): Promise<Receiver> {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  return receiver;
}

describeWithPostgres('two sandbox processes on one PostgreSQL', (postgres) => {
  let started: SandboxProcess[];
  let one: SandboxProcess;
  let two: SandboxProcess;
  let three: SandboxProcess;
  beforeAll(async () => {
    const location = await postgres().createDatabase();
    started = await Promise.all([1, 2, 3].map(() => sandboxProcess({ location })));
    [one, two, three] = started as [SandboxProcess, SandboxProcess, SandboxProcess];
  });
  afterAll(() => Promise.all(started.map((sandbox) => sandbox.kill())));
  const reset = () => one.control('POST', '/reset');

  test('start at the same moment on an empty database and have the same apps', async () => {
    for (const { app, live } of started) {
      expect([app, live]).toEqual([one.app, one.live]);
    }
    const added = await Promise.all(
      started.map((sandbox, index) => sandbox.control('POST', '/apps', { friendlyName: `App ${index}` })),
    );
    expect(added.map((answer) => answer.status)).toEqual([201, 201, 201]);
    expect(new Set(added.map((answer) => answer.body.appId)).size).toBe(3);
  });

  describe('that go on', () => {
    test('show the same payments and customers, and change them in turn', async () => {
      const { paymentId } = await one.create({ autoCapture: false });
      await two.pay(paymentId);
      expect((await one.read(paymentId)).paymentState).toBe('Authorised');
      expect((await two.call('POST', `/payments/${paymentId}/capture`)).status).toBe(200);
      await one.settle();
      expect((await one.read(paymentId)).paymentState).toBe('Captured');
      expect((await two.call('GET', '/customers/c1')).status).toBe(200);
      await one.control('PATCH', `/apps/${one.live.appId}`, { isBlocked: true });
      const asLive = { appId: two.live.appId, key: two.live.apiKey };
      expect((await two.call('GET', '/customers', undefined, asLive)).body).toMatchObject({
        code: 'app-blocked',
      });
    });

    test('are of one generation, and see at once that the other was reset', async () => {
      const generationOf = async (sandbox: SandboxProcess) =>
        (await sandbox.call('GET', '/customers')).headers['x-paydesk-generation'];
      const before = await generationOf(one);
      expect(await generationOf(two)).toBe(before);
      await reset();
      const after = await generationOf(two);
      expect(after).not.toBe(before);
      expect(await generationOf(one)).toBe(after);
    });

    test('make one payment and one webhook of forty creates split over both', async () => {
      const receiver = await receiving();
      const body = hostedBody({ webhookUrl: receiver.url });
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, index) => (index % 2 ? one : two).call('POST', HOSTED, body)),
      );
      expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
      expect(answers.filter((answer) => answer.status === 200)).toHaveLength(39);
      expect(new Set(answers.map((answer) => answer.body.paymentId)).size).toBe(1);
      await Promise.all([one.settle(), two.settle()]);
      expect(receiver.states()).toEqual(['Created']);
    });

    test('carry an operation out once, whichever of them is asked', async () => {
      const { paymentId } = await one.create({ autoCapture: false });
      await one.pay(paymentId);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (index % 2 ? one : two).call('POST', `/payments/${paymentId}/capture`),
        ),
      );
      expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
      await one.settle();
      expect(await two.books(paymentId)).toEqual({ authorize: '1/1', capture: '1/1' });
    });

    test('do what falls due once, and send its webhooks once and in order', async () => {
      const receiver = await receiving();
      await one.control('POST', '/clock', { action: 'stop' });
      const ids = await Promise.all(
        Array.from({ length: 8 }, async (_, index) => {
          const { paymentId } = await (index % 2 ? one : two).create({ webhookUrl: receiver.url });
          await (index % 2 ? two : one).pay(paymentId, 'slow-approved');
          return paymentId;
        }),
      );
      await Promise.all([one.advance(30_000), two.advance(30_000)]);
      await Promise.all([one.settle(), two.settle()]);
      for (const id of ids) {
        expect(receiver.states(id)).toEqual(['Created', 'Processing', 'Authorised', 'Capturing', 'Captured']);
        expect(await one.books(id)).toEqual({ authorize: '1/1', capture: '1/1' });
      }
      expect(receiver.requests).toHaveLength(ids.length * 5);
      expect((await one.control('GET', '/clock')).body).toEqual((await two.control('GET', '/clock')).body);
    });

    test('a fault that is set in one hits in the other, once for both together', async () => {
      await one.control('POST', '/faults', { kind: 'error-before-commit', route: 'create', next: 5 });
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, index) => (index % 2 ? one : two).call('POST', HOSTED, hostedBody())),
      );
      expect(answers.filter((answer) => answer.status === 500)).toHaveLength(5);
      await two.control('DELETE', '/faults');
      expect((await one.control('GET', '/faults')).body).toEqual([]);
    });
  });

  test('when one is stopped, another sends at once what it left', async () => {
    await reset();
    const receiver = await receiving();
    receiver.next('hang');
    const { paymentId } = await three.create({ webhookUrl: receiver.url });
    await receiver.waitFor(1);
    await three.kill('SIGTERM');
    await eventually(() => expect(receiver.states(paymentId)).toEqual(['Created', 'Created']));
    expect((await two.call('GET', `/payments/${paymentId}`)).status).toBe(200);
  });

  test('when one is killed, another does the work and sends the webhooks that it left', async () => {
    await reset();
    const receiver = await receiving();
    // The first delivery is under way when its process dies.
    receiver.next('hang');
    const { paymentId } = await one.create({ webhookUrl: receiver.url });
    await one.pay(paymentId);
    await receiver.waitFor(1);
    const slow = await one.create({ webhookUrl: receiver.url });
    await one.control('PATCH', `/apps/${one.app.appId}`, {
      profile: { paymentProfileId: one.app.profiles[4]?.paymentProfileId, delayMs: 1000 },
    });
    await one.pay(slow.paymentId, 'approved', { paymentProfileId: one.app.profiles[4]?.paymentProfileId });
    await one.kill('SIGKILL');
    // Where the killed process was sending one, its lease has to run out first, and the webhook may arrive a second time.
    const expected = ['Created', 'Processing', 'Authorised', 'Capturing', 'Captured'];
    await eventually(() => {
      const states = receiver.states(slow.paymentId);
      expect(states.filter((state, index) => state !== states[index - 1])).toEqual(expected);
      expect(states.length).toBeLessThanOrEqual(expected.length + 1);
    });
    expect(await two.books(slow.paymentId)).toEqual({ authorize: '1/1', capture: '1/1' });
    await eventually(() => expect(receiver.states(paymentId)).toEqual(['Created', ...all]));
  });
});
