import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHookHome, type HookHome, type ListenerProcess } from '../commands/webhook/processes.js';
import { runTyped } from '../helpers/desk.js';
import { type Receiver, startReceiver, startTestSandbox, type TestSandbox } from '../helpers/sandbox.js';
import { paydeskTty } from '../helpers/run.js';
import type { Explained } from './seeded.js';

// With a listener that runs, and webhooks that leave the sandbox.

let sandbox: TestSandbox;
let handler: Receiver;
let home: HookHome;
let listener: ListenerProcess;
beforeAll(async () => {
  sandbox = await startTestSandbox();
  handler = await startReceiver();
  home = createHookHome(sandbox);
  listener = await home.listen('--forward-to', handler.url);
});
afterAll(async () => {
  await home.close();
  await handler.close();
  await sandbox.close();
});

const run = (...words: string[]) => runTyped(words, { home: home.path, env: home.env });

const explain = async (paymentId: number): Promise<Explained> => {
  const { stdout } = await run('payments', 'explain', String(paymentId), '--json');
  return JSON.parse(stdout) as Explained;
};

/** Waits until the listener has told of that state of the payment. */
async function heard(paymentId: number, state: string): Promise<void> {
  await expect
    .poll(
      () =>
        listener
          .deliveries()
          .filter((line) => line.paymentId === paymentId)
          .at(-1)?.state,
      {
        timeout: 60_000,
      },
    )
    .toBe(state);
}

async function paid(card = 'approved', fields: Record<string, unknown> = {}): Promise<number> {
  const { paymentId } = await sandbox.create({ webhookUrl: listener.url, ...fields });
  await sandbox.pay(paymentId, card);
  await sandbox.settle();
  return paymentId;
}

describe('what webhooks told', () => {
  it('dates a state, and is in the timeline with where it was passed on to', async () => {
    const paymentId = await paid('held');
    await heard(paymentId, 'Held');
    // It is read and passed on after it was told.
    const ofHeld = ({ event, said }: { event: string; said?: string }) =>
      event === 'webhook' && said === 'Held';
    await expect
      .poll(async () => (await explain(paymentId)).timeline.find(ofHeld), { timeout: 60_000 })
      .toEqual({
        event: 'webhook',
        time: expect.any(String),
        said: 'Held',
        read: 'Held',
        forwards: [{ to: handler.url, status: 200 }],
      });
    const { verdict, age } = await explain(paymentId);
    expect(verdict).toMatch(/^Held by a fraud rule since \d\d:\d\d UTC\. Nothing has been charged\.$/);
    expect(age?.certainty).toBe('exact');
    const terminal = await paydeskTty(['payments', 'explain', String(paymentId)], {
      home: home.path,
      env: home.env,
    });
    await terminal.waitFor(/webhook +said Held, forwarded to 127\.0\.0\.1:\d+ \(200\)/);
    expect(await terminal.ended()).toBe(0);
  });

  it('makes a payment known to the list', async () => {
    const paymentId = await paid();
    await heard(paymentId, 'Captured');
    const { stdout } = await run('payments', 'list', '--state', 'Captured', '--json');
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({ paymentId, source: 'heard', state: 'Captured' }),
    );
  });

  it('is told where nobody has read it, and no money is moved because of it', async () => {
    const paymentId = await paid();
    const told = () => listener.deliveries().filter((line) => line.paymentId === paymentId).length;
    // Created, Authorised, Capturing, Captured.
    await expect.poll(told, { timeout: 60_000 }).toBe(4);
    // Anybody who knows the address can send this.
    const forged = { eventId: 'evt-refunding', paymentId, paymentState: 'Refunding' };
    await listener.post(JSON.stringify(forged), { headers: { 'content-type': 'application/json' } });
    await expect.poll(told, { timeout: 60_000 }).toBe(5);
    const { verdict, severity, actions } = await explain(paymentId);
    expect([severity, verdict]).toEqual([
      'attention',
      'Captured. The customer has paid EUR 10.50. A webhook reported a refund in progress. It may have failed.',
    ]);
    expect(actions).toMatchObject([{ command: `paydesk payments refund ${paymentId}`, recommended: false }]);
  });

  it('is not believed against the service', async () => {
    const paymentId = await paid('approved', { autoCapture: false });
    await heard(paymentId, 'Authorised');
    const forged = { eventId: 'evt-forged', paymentId, paymentState: 'Refunded' };
    await listener.post(JSON.stringify(forged), { headers: { 'content-type': 'application/json' } });
    await expect
      .poll(() => listener.deliveries().filter((line) => line.paymentId === paymentId).length, {
        timeout: 60_000,
      })
      .toBe(3);
    const { verdict, severity, actions } = await explain(paymentId);
    expect(severity).toBe('attention');
    expect(verdict).toMatch(
      /^Authorised .*\. The last webhook, (.* ago|just now), reported Refunded\. Trust what the service shows\.$/,
    );
    expect(actions[0]).toMatchObject({ command: `paydesk payments recheck ${paymentId}`, recommended: true });
    expect((await run('payments', 'recheck', String(paymentId))).code).toBe(0);
    expect((await explain(paymentId)).actions[0]?.command).toBe(`paydesk payments capture ${paymentId}`);
  });
});

describe('payments watch', () => {
  it('looks at once when a webhook arrives, however long its pauses are', async () => {
    const { paymentId, referenceId } = await sandbox.create({ webhookUrl: listener.url });
    await heard(paymentId, 'Created');
    const terminal = await paydeskTty(['payments', 'watch', referenceId, '--interval', '1h', '--json'], {
      home: home.path,
      env: home.env,
    });
    await terminal.waitFor('"watching"');
    await sandbox.pay(paymentId);
    await terminal.waitFor('"end"');
    expect(await terminal.ended()).toBe(0);
    const lines = terminal
      .text()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.at(-1)).toMatchObject({ state: 'Captured', result: 'reached' });
    expect(lines.slice(1, -1).map(({ by }) => by)).not.toContain('poll');
  });

  it('has a recheck --watch that ends when something changes', async () => {
    const paymentId = await paid('three-d-secure');
    await heard(paymentId, 'ActionRequired');
    const terminal = await paydeskTty(['payments', 'recheck', String(paymentId), '--watch', '--debug'], {
      home: home.path,
      env: home.env,
    });
    await terminal.waitFor('/recheck');
    await sandbox.control('POST', `/payments/${paymentId}/pay`, { challenge: 'passed' });
    await terminal.waitFor(/ActionRequired → \w+ {3}changed/);
    expect(await terminal.ended()).toBe(0);
  });
});

it('webhooks of a payment that had the same ID before a reset are not those of another', async () => {
  const before = await paid();
  await heard(before, 'Captured');
  await sandbox.control('POST', '/reset');
  let { paymentId } = await sandbox.create();
  while (paymentId < before) ({ paymentId } = await sandbox.create());
  expect(paymentId).toBe(before);
  expect((await explain(paymentId)).timeline.filter(({ event }) => event === 'webhook')).toEqual([]);
});
