import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  eventually,
  type Receiver,
  startReceiver,
  startTestSandbox,
  type TestSandbox,
} from '../../helpers/sandbox.js';
import { describeWithPostgres } from '../../helpers/postgres.js';
import { addFault, waitForFaults } from '../../helpers/desk.js';
import { createHookHome, type HookHome } from './processes.js';

let sandbox: TestSandbox;
let handler: Receiver;
let home: HookHome;

beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());
beforeEach(async () => {
  handler = await startReceiver();
  home = createHookHome(sandbox);
});
afterEach(async () => {
  await home.close();
  await handler.close();
});

const body = (fields: Record<string, unknown>) => JSON.stringify(fields);

async function paid(webhookUrl: string, card = 'approved') {
  const { paymentId } = await sandbox.create({ webhookUrl });
  await sandbox.pay(paymentId, card);
  await sandbox.settle();
  return paymentId;
}

describe('webhook listen --json', () => {
  it('says where it is, then one line for each delivery, and stops cleanly on SIGTERM', async () => {
    const listener = await home.listen('--forward-to', handler.url);
    expect(listener.lines()).toEqual([
      {
        event: 'ready',
        url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/wh\/[\w-]{32}$/),
        localUrl: listener.url,
      },
    ]);
    const { paymentId, referenceId } = await sandbox.create({ webhookUrl: listener.url });
    const [first] = await listener.waitFor(1);
    expect(first).toEqual({
      event: 'delivery',
      id: 1,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.+Z$/),
      kind: 'received',
      paymentId,
      referenceId,
      namedBy: 'json',
      saidState: 'Created',
      state: 'Created',
      previousState: null,
      verdict: 'changed',
      duplicate: false,
      why: null,
      readTime: expect.stringMatching(/Z$/),
      forwards: [
        {
          to: handler.url,
          status: 200,
          ms: expect.any(Number),
          error: null,
          attempts: 1,
          outcome: 'delivered',
          replay: false,
          chaos: null,
        },
      ],
    });
    await listener.post(handler.requests[0]?.text ?? '');
    const [, second] = await listener.waitFor(2);
    expect(second).toMatchObject({ id: 2, duplicate: true, state: 'Created', previousState: 'Created' });
    listener.kill('SIGTERM');
    expect(await listener.ended).toBe(0);
    expect(listener.stderr()).not.toContain('Error');
  });

  it('gives a delivery that it still works on as it is when it ends', async () => {
    const { paymentId } = await sandbox.create();
    const listener = await home.listen('--forward-to', 'http://127.0.0.1:9');
    await listener.post(body({ paymentId }));
    listener.kill('SIGTERM');
    expect(await listener.ended).toBe(0);
    expect(listener.deliveries()).toMatchObject([
      { event: 'delivery', id: 1, paymentId, forwards: [{ to: 'http://127.0.0.1:9/', outcome: 'waiting' }] },
    ]);
  });

  it('goes on after a webhook that the --jq filter fails for, and says so', async () => {
    const filter = 'if .id == 1 then .id.x else tojson end';
    const listener = await home.listen('--forward-to', handler.url, '--jq', filter);
    await listener.post('{"n":1}');
    await listener.post('{"n":2}');
    await listener.waitFor(1);
    listener.kill('SIGTERM');
    expect(await listener.ended).toBe(0);
    expect(listener.deliveries()).toMatchObject([{ id: 2, forwards: [{ outcome: 'delivered' }] }]);
    const why = 'Cannot index number with string "x"';
    expect(listener.stderr()).toContain(`The --jq filter failed for webhook 1: ${why}\n`);
    expect(handler.requests.map(({ text }) => text)).toEqual(['{"n":1}', '{"n":2}']);
  });

  it('shows a webhook that holds the key without it, and passes it on as it came', async () => {
    const { apiKey } = sandbox.app;
    const listener = await home.listen('--forward-to', handler.url);
    const escaped = apiKey.replace('s', '\\u0073');
    const sent = `{"referenceId":"${apiKey}","paymentState":"${escaped}","key":"${btoa(`user:${apiKey}`)}"}`;
    await listener.post(sent, { headers: { 'x-echo': `Bearer ${apiKey}` } });
    await listener.waitFor(1);
    listener.kill('SIGTERM');
    await listener.ended;
    expect(handler.requests[0]?.text).toBe(sent);
    const shown = [
      listener,
      ...(await Promise.all([
        home.run('webhook', 'show', '1', '--json'),
        home.run('webhook', 'show', '1'),
        home.run('webhook', 'events', '--json'),
        home.run('webhook', 'events'),
      ])),
    ].map(({ stdout, stderr }) =>
      typeof stdout === 'string' ? `${stdout}${stderr as string}` : stdout() + (stderr as () => string)(),
    );
    for (const text of shown) {
      expect(text).toContain('[redacted]');
      for (const form of [apiKey, escaped, btoa(`user:${apiKey}`)]) expect(text).not.toContain(form);
    }
  });

  it('keeps ids beyond 2^53 exact', async () => {
    const listener = await home.listenHere();
    await listener.post('{"paymentId":90071992547409931234}');
    await listener.waitFor(1);
    expect(listener.stdout()).toContain('"paymentId":90071992547409931234,');
    listener.interrupt();
    expect(await listener.ended).toBe(130);
  });

  it('shows and passes on only what the filters say, and keeps the rest', async () => {
    const one = await sandbox.create();
    const listener = await home.listenHere('--forward-to', handler.url, '--payment', one.referenceId);
    await listener.post(body({ paymentId: 4_000_000 }));
    await listener.post(body({ paymentId: one.paymentId }));
    await listener.waitFor(1);
    expect(listener.deliveries()).toMatchObject([{ id: 2 }]);
    expect(handler.requests).toHaveLength(1);
    const events = await home.run('webhook', 'events', '--json');
    expect((JSON.parse(events.stdout) as unknown[]).length).toBe(2);
  });

  it('hides its secret in what is said to people, and not in what programs read', async () => {
    const listener = await home.listen('--debug');
    const [ready] = listener.lines();
    expect(ready).toMatchObject({ event: 'ready', url: listener.url, localUrl: listener.url });
    const secret = listener.url.split('/').at(-1);
    expect(secret).toMatch(/^[\w-]{32}$/);
    await sandbox.create({ webhookUrl: listener.url });
    await listener.waitFor(1);
    expect(listener.stderr()).toContain(`"webhookUrl":"${new URL(listener.url).origin}/[redacted]"`);
    expect(listener.stderr()).not.toContain(secret);
    listener.kill('SIGTERM');
    await listener.ended;
  });
});

describe('for jobs', () => {
  it('ends with 0 when so many payments are there', async () => {
    const listener = await home.listenHere(
      '--until',
      'Captured',
      '--count',
      '2',
      '--timeout',
      '60s',
      '--max-duplicates',
      '0',
    );
    await paid(listener.url);
    await paid(listener.url);
    expect(await listener.ended).toBe(0);
    expect(new Set(listener.deliveries().map(({ paymentId }) => paymentId)).size).toBe(2);
  });

  it('ends with 0 for a state that was passed through, when the service is further on', async () => {
    const listener = await home.listenHere('--until', 'Authorised', '--timeout', '30s');
    await paid(listener.url);
    expect(await listener.ended).toBe(0);
  });

  it('ends with 0 after so many webhooks', async () => {
    const listener = await home.listenHere('--count', '2', '--timeout', '30s');
    await listener.post(body({ eventId: 'e1', n: 1 }));
    await listener.post(body({ eventId: 'e2', n: 2 }));
    expect(await listener.ended).toBe(0);
  });

  it('ends with 8 when nothing arrives', async () => {
    const listener = await home.listenHere('--until', 'Captured', '--timeout', '2s');
    expect(await listener.ended).toBe(8);
    expect(listener.lines().at(-1)?.error).toMatchObject({ code: 'nothing-came', exit: 8 });
  });

  it('does not count a webhook that an earlier listener forwarded and left unread', async () => {
    const first = await home.listen('--forward-to', handler.url);
    const paymentId = await paid(first.url);
    await first.waitFor(4);
    await addFault(sandbox, { kind: 'latency', delayMs: 60_000, next: 1 });
    expect(await first.post(body({ paymentId, paymentState: 'Captured', n: 5 }))).toBe(200);
    await handler.waitFor(5);
    // The read that is stuck is the first listener's, and not one of the next.
    await waitForFaults(sandbox);
    first.kill('SIGTERM');
    await first.ended;

    const next = await home.listenHere('--until', 'Captured', '--count', '1', '--timeout', '60s');
    // It is read all the same, and goes to nobody a second time.
    await eventually(async () => {
      const events = await home.run('webhook', 'events', '--limit', '1', '--json');
      expect(JSON.parse(events.stdout)).toMatchObject([{ paymentId, state: 'Captured' }]);
    });
    const other = await paid(next.url);
    expect(await next.ended).toBe(0);
    expect(new Set(next.deliveries().map((each) => each.paymentId))).toEqual(new Set([other]));
    expect(handler.requests).toHaveLength(5);
  });

  it('does not count what it forwards to its own target after a crash', async () => {
    handler.answer('hang');
    const first = await home.listen('--forward-to', handler.url);
    const paymentId = await paid(first.url);
    await handler.waitFor(1);
    first.kill('SIGKILL');
    await first.ended;
    handler.answer({ status: 200 });
    handler.requests.splice(0);

    const next = await home.listenHere(
      '--until',
      'Captured',
      '--forward-to',
      handler.url,
      '--timeout',
      '60s',
    );
    await handler.waitFor(4);
    const other = await paid(next.url);
    expect(await next.ended).toBe(0);
    expect(new Set(next.deliveries().map((each) => each.paymentId))).toEqual(new Set([other]));
    expect(handler.states(paymentId)).toEqual(['Created', 'Authorised', 'Capturing', 'Captured']);
  });

  it('ends with 8 when too little came', async () => {
    const listener = await home.listenHere('--until', 'Captured', '--count', '2', '--timeout', '5s');
    await paid(listener.url);
    expect(await listener.ended).toBe(8);
  });

  it('ends with 3 when a webhook came and the service says another state', async () => {
    const listener = await home.listenHere('--until', 'Captured', '--timeout', '6s');
    const { paymentId } = await sandbox.create();
    await listener.post(body({ paymentId, paymentState: 'Captured' }));
    expect(await listener.ended).toBe(3);
    expect(listener.lines().at(-1)?.error).toMatchObject({ code: 'other-state', exit: 3 });
    expect(listener.deliveries()).toMatchObject([{ state: 'Created' }]);
  });

  it('ends with 3 when a webhook alone says that an unpaid payment is authorised', async () => {
    const listener = await home.listenHere('--until', 'Authorised', '--timeout', '6s');
    const { paymentId } = await sandbox.create();
    await listener.post(body({ paymentId, paymentState: 'Authorised' }));
    expect(await listener.ended).toBe(3);
    expect(listener.lines().at(-1)?.error).toMatchObject({ code: 'other-state', exit: 3 });
    expect(listener.deliveries()).toMatchObject([{ state: 'Created', verdict: 'unconfirmed' }]);
  });

  it('ends with 3 at once when a payment that it waits for can no longer get there', async () => {
    const { paymentId } = await sandbox.create();
    const listener = await home.listenHere('--until', 'Captured', '--payment', String(paymentId));
    await sandbox.call('POST', `/payments/${paymentId}/cancel`);
    await sandbox.settle();
    expect((await sandbox.read(paymentId)).paymentState).toBe('Cancelled');
    await listener.post(body({ paymentId }));
    expect(await listener.ended).toBe(3);
  });

  it.each(['SIGTERM', 'SIGHUP'] as const)(
    'ends with 130 when %s comes before what it waits for, and with 0 where it waits for nothing',
    async (signal) => {
      const [until, count, neither] = await Promise.all([
        home.listen('--until', 'Captured'),
        home.listen('--count', '2'),
        home.listen('--max-duplicates', '0'),
      ]);
      const listeners = [until, count, neither];
      for (const { kill } of listeners) kill(signal);
      expect(await Promise.all(listeners.map(({ ended }) => ended))).toEqual([130, 130, 0]);
      expect(until.lines().at(-1)?.error).toMatchObject({ code: 'interrupted', exit: 130 });
    },
  );

  it('ends with 3 when more duplicates come than may', async () => {
    const listener = await home.listenHere('--until', 'Captured', '--max-duplicates', '0');
    const { paymentId } = await sandbox.create();
    const event = body({ eventId: 'evt_1', paymentId });
    await listener.post(event);
    await listener.waitFor(1);
    await listener.post(event);
    expect(await listener.ended).toBe(3);
    expect(listener.lines().at(-1)?.error).toMatchObject({ code: 'too-many-duplicates' });
  });

  const listenToFailingHandler = (timeout: string) => {
    handler.answer({ status: 500 });
    return home.listenHere('--until', 'Captured', '--forward-to', handler.url, '--timeout', timeout);
  };

  it('ends with 1 when the handler does not answer 2xx within its retries', async () => {
    const listener = await listenToFailingHandler('60s');
    await paid(listener.url);
    expect(await listener.ended).toBe(1);
    const [first] = handler.requests;
    // A slow machine makes fewer attempts in the five seconds that there are for them.
    const attempts = handler.requests.filter(({ text }) => text === first?.text).length;
    expect([2, 3, 4]).toContain(attempts);
    expect(listener.lines().at(-1)?.error).toMatchObject({ code: 'handler-failed', exit: 1 });
  });

  it('ends with 1 when the handler refuses the webhook of a state that a webhook before it showed already', async () => {
    const listener = await home.listenHere('--until', 'Captured', '--forward-to', handler.url);
    const { paymentId } = await sandbox.create({});
    await sandbox.pay(paymentId);
    await sandbox.settle();
    await listener.post(body({ eventId: 'e1', paymentId, paymentState: 'Capturing' }));
    await listener.waitFor(1);
    handler.answer({ status: 500 });
    await listener.post(body({ eventId: 'e2', paymentId, paymentState: 'Captured' }));
    expect(await listener.ended).toBe(1);
    expect(listener.lines().at(-1)?.error).toMatchObject({ code: 'handler-failed', exit: 1 });
  });

  it('ends with 0 when the service shows the state and no webhook says so', async () => {
    const listener = await home.listenHere('--until', 'Captured', '--timeout', '60s');
    const { paymentId } = await sandbox.create({});
    await sandbox.pay(paymentId);
    await sandbox.settle();
    await listener.post(body({ paymentId, paymentState: 'Capturing' }));
    expect(await listener.ended).toBe(0);
    expect(listener.deliveries()).toHaveLength(1);
  });

  it('ends with 1 and not with 8 when the time is up while the handler still fails', async () => {
    const listener = await listenToFailingHandler('3s');
    await listener.post(body({ n: 1 }));
    expect(await listener.ended).toBe(1);
  });

  it('refuses what cannot be used, before it listens', async () => {
    const bad = await home.run('webhook', 'listen', '--until', 'Captred', '--json');
    expect([bad.code, bad.stdout]).toEqual([2, expect.stringMatching(/^.*Did you mean Captured.*\n$/)]);
    const usage = await home.run('webhook', 'listen', '--port', 'x', '--json');
    expect([usage.code, usage.stdout]).toEqual([2, expect.stringMatching(/^\{"error":.*--port.*\}\n$/)]);
    const never = await home.run('webhook', 'listen', '--until', 'Refunded', '--state', 'Captured', '--json');
    expect([never.code, never.stdout]).toEqual([2, expect.stringContaining('add --state Refunded')]);
    const nowhere = ['--chaos=drop', '--header=X-Env:test', '--skip-verify'];
    const calm = await home.run('webhook', 'listen', ...nowhere);
    expect(calm.code).toBe(2);
    for (const flag of ['--chaos', '--header', '--skip-verify']) {
      expect(calm.stderr).toMatch(new RegExp(`${flag} +can only be used together with --forward-to`));
    }
    const target = await home.run('webhook', 'listen', '--forward-to', 'shop.example', '--chaos', 'fire');
    expect([target.code, target.stderr]).toEqual([2, expect.stringContaining('add the scheme')]);
    expect(target.stderr).toContain('duplicate,delay,reorder,drop');
  });
});

describe('on a live app', () => {
  it('somebody else’s tunnel has to be confirmed', async () => {
    const live = createHookHome(sandbox, {}, 'live');
    const ran = await live.run('webhook', 'listen', '--tunnel', 'ssh:localhost.run', '--json');
    expect([ran.code, ran.stdout]).toEqual([9, expect.stringContaining('--confirm')]);
    await live.close();
  });
});

describe('killed between the answer and the forward', () => {
  async function test(more: Record<string, string>): Promise<void> {
    const killed = createHookHome(sandbox, more);
    try {
      handler.answer('hang');
      const first = await killed.listen('--forward-to', handler.url);
      const { paymentId } = await sandbox.create();
      const sent = Array.from({ length: 8 }, (_, n) => body({ eventId: `e${n}`, paymentId, n }));
      for (const text of sent) expect(await first.post(text)).toBe(200);
      await handler.waitFor(1);
      first.kill('SIGKILL');
      await first.ended;
      handler.answer({ status: 200 });
      const second = await killed.listen('--forward-to', handler.url);
      await second.waitFor(sent.length);
      // The first may have reached the handler before the kill; it comes again, and all of them in order.
      expect(handler.requests.slice(-sent.length).map(({ text }) => text)).toEqual(sent);
      expect(second.deliveries().map(({ state }) => state)).toEqual(sent.map(() => 'Created'));
      second.kill('SIGTERM');
      expect(await second.ended).toBe(0);
    } finally {
      await killed.close();
    }
  }

  it('everything that was answered is forwarded after a restart, on SQLite', () => test({}));

  describeWithPostgres('on PostgreSQL', (postgres) => {
    it('everything that was answered is forwarded after a restart', async () => {
      await test({ PAYDESK_DATABASE: await postgres().createDatabase() });
    });
  });
});
