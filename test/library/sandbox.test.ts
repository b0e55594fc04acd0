import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { startSandbox } from '../../src/library/index.js';
import type { Sandbox, StartOptions } from '../../src/library/types.js';
import { controlRoutes } from '../../src/sandbox/control/api.js';
import { startReceiver } from '../helpers/sandbox.js';

const started: Sandbox[] = [];
afterEach(async () => {
  for (const sandbox of started.splice(0)) await sandbox.stop();
});

async function open(options?: StartOptions): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  started.push(sandbox);
  return sandbox;
}

async function create(sandbox: Sandbox, referenceId: string): Promise<number> {
  const answer = await fetch(`${sandbox.url}/api/apps/${sandbox.appId}/payments/hosted-page`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      referenceId,
      amount: 49.9,
      currency: 'EUR',
      customerOrder: { customer: { customerId: 'c_1' } },
      autoCapture: true,
      returnUrl: 'https://shop.example/done',
      showPayRecurringInCheckout: true,
    }),
  });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { paymentId: number }).paymentId;
}

const refund = (sandbox: Sandbox, paymentId: number) =>
  fetch(`${sandbox.url}/api/apps/${sandbox.appId}/payments/${paymentId}/refund`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' },
    body: '{}',
  });

describe('startSandbox', () => {
  test('plays the customer, moves the clock and shows the books', async () => {
    const sandbox = await open({ seed: 7, clock: '2026-01-01T00:00:00Z' });
    await create(sandbox, 'r-1');
    expect(await sandbox.pay('r-1', { card: 'declined' })).toMatchObject({
      paymentState: 'Declined',
      amount: 49.9,
    });
    const id = await create(sandbox, 'r-2');
    expect(await sandbox.pay('r-2')).toMatchObject({ paymentState: 'Captured', paymentId: id });
    await refund(sandbox, id);
    expect(await sandbox.clock.advance('7d')).toEqual({ now: '2026-01-08T00:00:00.000Z', stopped: true });
    expect(await sandbox.payment('ref:r-2')).toMatchObject({ paymentState: 'Refunded' });
    expect(await sandbox.books(id)).toMatchObject({ refund: { told: 1, done: 1 } });
  });

  test('writes a settlement file with defects to find', async () => {
    const sandbox = await open({ seed: 7, clock: '2026-01-01T00:00:00Z' });
    for (const reference of ['r-1', 'r-2', 'r-3']) {
      await create(sandbox, reference);
      await sandbox.pay(reference);
    }
    const { text, lines, planted } = await sandbox.settlement({ defects: ['missing', 'amount'], seed: 4 });
    expect(text.trimEnd().split('\n')).toHaveLength(lines + 1);
    expect(planted.map(({ kind }) => kind).toSorted()).toEqual(['amount', 'missing']);
    const [missing] = planted.filter(({ kind }) => kind === 'missing');
    expect(text).not.toContain(`,${missing!.referenceId},`);
    const camt = await sandbox.settlement({
      format: 'camt',
      since: '2025-01-01T00:00:00Z',
      until: '2026-01-02T00:00:00Z',
    });
    expect(camt.text).toMatch(/^<\?xml [\s\S]+<EndToEndId>r-3</);
    await expect(sandbox.settlement({ provider: 'nobody' })).rejects.toThrow(
      'provider must be one of Northbank',
    );
  });

  test('finds a payment by its reference right after everything was forgotten', async () => {
    const sandbox = await open();
    await create(sandbox, 'r-1');
    await sandbox.clock.stop();
    expect(await sandbox.pay('r-1')).toMatchObject({ paymentState: 'Captured' });
  });

  test('several run at once, and one seed gives the same twice', async () => {
    const [first, second, other] = await Promise.all([
      open({ seed: 7 }),
      open({ seed: 7 }),
      open({ seed: 8 }),
    ]);
    expect(new Set([first.url, second.url, other.url]).size).toBe(3);
    expect([second.appId, second.apiKey]).toEqual([first.appId, first.apiKey]);
    expect(other.appId).not.toBe(first.appId);
    await create(first, 'only-here');
    await expect(second.payment('only-here')).rejects.toThrow('The sandbox has no payment only-here.');
  });

  test('a fault loses the answer, and is counted', async () => {
    const sandbox = await open();
    const id = await create(sandbox, 'r-1');
    await sandbox.pay('r-1');
    const { id: fault } = await sandbox.faults.add({ kind: 'drop-after-commit', route: 'refund', next: 1 });
    expect(await sandbox.faults.list()).toMatchObject([{ id: fault, remaining: 1, seen: 0 }]);
    await expect(refund(sandbox, id)).rejects.toThrow();
    expect(await sandbox.books('r-1')).toMatchObject({ refund: { told: 1 } });
    expect(await sandbox.faults.list()).toMatchObject([{ id: fault, remaining: 0, seen: 1 }]);
    await sandbox.faults.add({ kind: 'latency', delayMs: 1 });
    expect([await sandbox.faults.clear(fault), await sandbox.faults.clear()]).toEqual([1, 1]);
  });

  test('waits for a webhook until it was delivered', async () => {
    const receiver = await startReceiver();
    try {
      const sandbox = await open();
      await sandbox.apps.change(sandbox.appId, { webhookUrl: receiver.url });
      await create(sandbox, 'r-1');
      const coming = sandbox.webhooks.waitFor('r-1', 'Captured');
      await sandbox.pay('r-1');
      expect(await coming).toMatchObject({
        from: 'Capturing',
        state: 'Captured',
        finished: true,
        deliveries: [{ status: 200 }],
      });
      const [first] = await sandbox.webhooks.list('r-1');
      expect(await sandbox.webhooks.resend(first!.id)).toMatchObject({ status: 200, error: null });
    } finally {
      await receiver.close();
    }
  });

  test('says which webhooks came when the one that is waited for does not', async () => {
    const sandbox = await open();
    await create(sandbox, 'r-1');
    await expect(sandbox.webhooks.waitFor('r-1', 'Captured', { timeout: '50ms' })).rejects.toThrow(
      'No webhook for Captured of payment r-1 came within 50 ms. So far: Created.',
    );
  });

  test('does not wait for a state that does not exist', async () => {
    const sandbox = await open();
    await create(sandbox, 'r-1');
    const wait = (state: string) => sandbox.webhooks.waitFor('r-1', state, { timeout: '50ms' });
    await expect(wait('Bogus')).rejects.toThrow(
      /^Unknown state: Bogus\. States: Created, .*, Captured, .*, Expired\.$/,
    );
    await expect(wait('captred')).rejects.toThrow('Unknown state: captred. Did you mean Captured?');
  });

  test('is exported, reset and imported', async () => {
    const sandbox = await open({ clock: new Date('2026-01-01T00:00:00Z') });
    const seeded = await sandbox.seed();
    expect(seeded.length).toBeGreaterThan(10);
    const contents = await sandbox.export();
    await sandbox.reset();
    await expect(sandbox.payment(seeded[0]!.paymentId)).rejects.toThrow('has no payment');
    const other = await open({ contents });
    expect(await other.payment(`id:${seeded[0]!.paymentId}`)).toMatchObject({
      paymentState: seeded[0]!.state,
    });
    await sandbox.import(contents);
    expect(await sandbox.payment(seeded[0]!.referenceId)).toMatchObject({ paymentState: seeded[0]!.state });
  });

  test('has apps, and plays the provider', async () => {
    const sandbox = await open();
    const { appId } = await sandbox.apps.create({ friendlyName: 'Another shop' });
    expect((await sandbox.apps.list()).map((app) => app.appId)).toContain(appId);
    await create(sandbox, 'r-1');
    expect(await sandbox.pay('r-1', { card: 'slow-approved' })).toMatchObject({ paymentState: 'Processing' });
    expect(await sandbox.provider('r-1', 'confirm')).toMatchObject({ paymentState: 'Captured' });
  });

  test.each([
    [{ answers: { errors: 'nonsense' } }, 'errors is answered as one of problem'],
    [{ answers: { nonsense: 'html' } }, 'There is no answer nonsense'],
    [{ answers: { constructor: 'html' } }, 'There is no answer constructor'],
    [{ clock: 'tomorrow' }, '"tomorrow" is no time'],
    [{ contents: '{}' }, /export/],
    [{ sed: 7 }, 'sed is not an option of startSandbox. Did you mean seed?'],
    [{ colour: 'red' }, /^colour is not an option of startSandbox\.$/],
    [{ seed: -1 }, 'seed must be a whole number, 0 or more.'],
    [{ seed: 7.5 }, 'seed must be a whole number, 0 or more.'],
    [{ seed: '7' }, 'seed must be a whole number, 0 or more.'],
    [{ port: 'x' }, 'port must be a whole number up to 65535.'],
    [{ port: 70_000 }, 'port must be a whole number up to 65535.'],
    [{ clock: 7 }, 'clock must be an ISO time or a Date.'],
    [{ answers: ['errors=html'] }, 'answers must be an object'],
    [{ contents: {} }, 'contents must be the text of an export.'],
    [{ database: '' }, 'database must be a file'],
    [{ host: 4010 }, 'host must be an address'],
    [{ allowRemote: 'yes' }, 'allowRemote must be true or false.'],
    [{ rateLimit: 0 }, 'rateLimit must be a number of requests per second, more than 0.'],
    [{ webhookHosts: 'hooks.example' }, 'webhookHosts must be a list of host names.'],
  ])('%j is refused', async (options, message) => {
    await expect(startSandbox(options as StartOptions)).rejects.toThrow(message);
  });

  test.each([
    [
      (sandbox: Sandbox) => sandbox.pay('r-1', { card: 'nonsense' as 'approved' }),
      'card must be one of approved',
    ],
    [(sandbox: Sandbox) => sandbox.clock.advance('tomorrow'), '"tomorrow" is no duration: use'],
    [(sandbox: Sandbox) => sandbox.faults.add({ kind: 'nonsense' }), 'kind must be one of'],
  ])('says what is wrong with a value (%#)', async (call, message) => {
    const sandbox = await open();
    await create(sandbox, 'r-1');
    await expect(call(sandbox)).rejects.toThrow(message);
  });
});

test('every method says that the sandbox was stopped, and stopping it again does nothing', async () => {
  const sandbox = await startSandbox();
  await sandbox.stop();
  await sandbox.stop();
  const calls: Array<() => Promise<unknown>> = [
    () => sandbox.payment('x'),
    () => sandbox.pay('x'),
    () => sandbox.provider('x', 'confirm'),
    () => sandbox.books('x'),
    () => sandbox.settlement(),
    () => sandbox.clock.read(),
    () => sandbox.clock.stop(),
    () => sandbox.clock.resume(),
    () => sandbox.clock.set(new Date()),
    () => sandbox.clock.advance('1s'),
    () => sandbox.faults.list(),
    () => sandbox.faults.add({ kind: 'latency' }),
    () => sandbox.faults.clear(),
    () => sandbox.webhooks.list('x'),
    () => sandbox.webhooks.waitFor('x', 'Captured'),
    () => sandbox.webhooks.resend(1),
    () => sandbox.apps.list(),
    () => sandbox.apps.create({ friendlyName: 'x' }),
    () => sandbox.apps.change('x', { isBlocked: true }),
    () => sandbox.seed(),
    () => sandbox.reset(),
    () => sandbox.export(),
    () => sandbox.import('{}'),
  ];
  for (const call of calls) await expect(call()).rejects.toThrow('The sandbox was stopped.');
});

test('everything that the control API can do is offered', () => {
  const source = ['index', 'webhooks']
    .map((name) => readFileSync(new URL(`../../src/library/${name}.ts`, import.meta.url), 'utf8'))
    .join('');
  const unused = controlRoutes.filter((route) => !source.includes(`'${route}'`));
  // How a sandbox of another process is looked at and ended; this one is stopped by `stop`.
  expect(unused).toEqual(['GET /status', 'POST /stop']);
});
