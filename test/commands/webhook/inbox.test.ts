import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import Create from '../../../src/commands/payments/create.js';
import Events from '../../../src/commands/webhook/events.js';
import Replay from '../../../src/commands/webhook/replay.js';
import Send from '../../../src/commands/webhook/send.js';
import Show from '../../../src/commands/webhook/show.js';
import {
  addFault,
  createFlags,
  type DeskOptions,
  envOf,
  runCommand,
  temporaryHome,
} from '../../helpers/desk.js';
import { unprintable } from '../../helpers/printable.js';
import {
  eventually,
  newReference,
  type Receiver,
  startReceiver,
  startTestSandbox,
  type TestSandbox,
} from '../../helpers/sandbox.js';
import { type HookDesk, openHookDesk, postTo, type TestListener } from '../../webhooks/hook-desk.js';

const commands = { events: Events, show: Show, replay: Replay, send: Send, create: Create };

let sandbox: TestSandbox;
let handler: Receiver;
let desk: HookDesk;
let home: string;

beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());
beforeEach(async () => {
  handler = await startReceiver();
  home = temporaryHome();
  mkdirSync(join(home, 'data'), { mode: 0o700 });
  desk = await openHookDesk(sandbox, join(home, 'data', 'desk.db'));
});
afterEach(async () => {
  await desk.close();
  await handler.close();
});

const run = (name: keyof typeof commands, args: Array<string | number>, options: DeskOptions = {}) =>
  runCommand(commands[name], args, {
    now: new Date(),
    ...options,
    env: { ...envOf(sandbox), PAYDESK_HOME: home, ...options.env },
  });

/** Three deliveries: of a paid payment, of one that only its reference names, and of none. */
async function filled(listener: TestListener) {
  const paid = await sandbox.create();
  await sandbox.pay(paid.paymentId);
  await sandbox.settle();
  const open = await sandbox.create();
  await listener.post(JSON.stringify({ paymentId: paid.paymentId, paymentState: 'Captured' }));
  await listener.waitFor(1);
  await listener.post('', { rest: `/${open.referenceId}?a=1` });
  await listener.waitFor(2);
  await listener.post(Buffer.from([0, 1, 2, 0xff]), {
    headers: { 'content-type': 'application/octet-stream', referer: listener.url },
  });
  await listener.waitFor(3);
  return { paid, open };
}

describe('webhook events', () => {
  it('says with one line of JSON what is wrong with --follow', async () => {
    const { code, stdout } = await run('events', ['--follow', '--json', '--since', 'foo']);
    expect([code, stdout]).toEqual([2, expect.stringMatching(/^\{"error":.*--since.*\}\n$/)]);
  });

  it('refuses a state that there is not, with the one that was meant', async () => {
    const { code, stderr } = await run('events', ['--state', 'Captred']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Did you mean Captured?')]);
  });

  it('lists the newest first, and finds by payment, state and failure', async () => {
    const listener = await desk.listen({ to: [handler.url] });
    const { paid, open } = await filled(listener);
    handler.answer({ status: 418 });
    await listener.post(JSON.stringify({ paymentId: open.paymentId, n: 4 }));
    await listener.waitFor(4);
    const ids = async (...args: string[]) =>
      ((await run('events', [...args, '--json'])).json as unknown as Array<{ id: number }>).map(
        ({ id }) => id,
      );
    expect(await ids()).toEqual([4, 3, 2, 1]);
    expect(await ids('--limit', '2')).toEqual([4, 3]);
    expect(await ids('--payment', String(paid.paymentId))).toEqual([1]);
    expect(await ids('--payment', open.referenceId)).toEqual([4, 2]);
    expect(await ids('--state', 'Captured')).toEqual([1]);
    expect(await ids('--failed')).toEqual([4]);
    expect(await ids('--since', '1h')).toEqual([4, 3, 2, 1]);
    expect(await ids('--since', '2999-01-01T00:00:00Z')).toEqual([]);
    const [failed] = (await run('events', ['--failed', '--json'])).json;
    expect(failed).toMatchObject({
      id: 4,
      kind: 'received',
      paymentId: open.paymentId,
      verdict: 'same',
      state: 'Created',
      forwards: [{ to: handler.url, status: 418, attempts: 4, outcome: 'failed', replay: false }],
    });
  });

  it('is a table on a terminal, rows in a pipe, and says when there is nothing', async () => {
    const none = await run('events', []);
    expect([none.code, none.stdout, none.stderr]).toEqual([
      0,
      '',
      expect.stringContaining('No matching webhooks'),
    ]);
    const { paid } = await filled(await desk.listen({ to: [handler.url] }));
    const table = await run('events', [], { terminal: true });
    expect(table.stdout).toMatch(/id +time +payment +reference +state +handler/);
    expect(table.stdout).toContain('? (no payment named)');
    expect(table.stdout.split('\n').every((line) => line.length <= 80)).toBe(true);
    const rows = (await run('events', [])).stdout.trim().split('\n');
    expect(rows.at(-1)?.split('\t')).toEqual([
      '1',
      expect.stringMatching(/^\d{4}-.*Z$/),
      String(paid.paymentId),
      paid.referenceId,
      'Captured',
      'changed',
      '200',
    ]);
  });

  it('shows what a stale webhook said, within 80 columns', async () => {
    const listener = await desk.listen({ to: [handler.url] });
    const { paid } = await filled(listener);
    await listener.post(JSON.stringify({ paymentId: paid.paymentId, paymentState: 'Capturing' }));
    await listener.waitFor(4);
    const { stdout } = await run('events', ['--state', 'Captured'], { terminal: true });
    expect(stdout).toMatch(/Captured \(stale: Capturing\) +200/);
    expect(stdout.split('\n').every((line) => line.length <= 80)).toBe(true);
  });

  it('follows what comes, whoever receives it', async () => {
    const listener = await desk.listen();
    let interrupt = () => {};
    let seen = '';
    const running = run('events', ['--follow', '--json'], {
      onStart: (callback) => (interrupt = callback),
      onWrite: (text) => (seen += text),
    });
    const { paymentId } = await sandbox.create();
    // It follows from when it looked first: what comes before is not told.
    await eventually(async () => {
      await listener.post(JSON.stringify({ paymentId }));
      await eventually(() => expect(seen).toContain(`"paymentId":${paymentId}`), 500);
    });
    interrupt();
    expect((await running).code).toBe(130);
    expect(JSON.parse(seen.split('\n')[0]!)).toMatchObject({ state: 'Created', kind: 'received' });
  });

  it('follows after the ones that --limit asks for, and ends with one line', async () => {
    const listener = await desk.listen();
    const { paid } = await filled(listener);
    let interrupt = () => {};
    let seen = '';
    const running = run('events', ['--follow', '--limit', '2', '--json'], {
      onStart: (callback) => (interrupt = callback),
      onWrite: (text) => (seen += text),
    });
    await eventually(() => expect(seen.trim().split('\n')).toHaveLength(2));
    await listener.post(JSON.stringify({ paymentId: paid.paymentId, n: 9 }));
    await eventually(() => expect(seen.trim().split('\n')).toHaveLength(3));
    interrupt();
    expect((await running).code).toBe(130);
    const [older, newer, fresh, end] = seen
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id?: number; error?: unknown });
    expect([newer?.id, fresh?.id]).toEqual([older!.id! + 1, older!.id! + 2]);
    expect(end?.error).toMatchObject({ code: 'interrupted', exit: 130 });
  });

  it('ends with one line of JSON when nothing came', async () => {
    const { code, stdout } = await run('events', ['--follow', '--timeout', '2s', '--json']);
    expect([code, stdout.trim().split('\n')]).toEqual([8, [expect.stringContaining('"exit":8')]]);
  });
});

describe('webhook show', () => {
  it('shows the request, the state and every attempt, without the secret', async () => {
    handler.next({ status: 500, body: 'broken\nhandler' });
    const listener = await desk.listen({ to: [handler.url] });
    const { paid } = await filled(listener);
    const one = await run('show', [1]);
    expect(one.stdout).toContain('POST /wh/[redacted]');
    expect(one.stdout).toContain(`{"paymentId":${paid.paymentId},"paymentState":"Captured"}`);
    expect(one.stdout).toMatch(/500 .*broken handler/);
    expect(one.stdout).toMatch(/200 /);
    const two = (await run('show', [2, '--json'])).json;
    expect(two).toMatchObject({ method: 'POST', query: 'a=1', body: '', namedBy: 'path', state: 'Created' });
    const three = await run('show', [3, '--json']);
    expect(three.json).toMatchObject({ bodyBase64: 'AAEC/w==', verdict: 'none' });
    expect(three.stdout).not.toContain(listener.secret);
    expect(three.json.headers).toContainEqual(['referer', expect.stringContaining('/wh/[redacted]')]);
    const shown = await run('show', [3], { terminal: true });
    expect(shown.stdout).toContain('000000  00 01 02 ff');
    expect(shown.stdout + shown.stderr).not.toContain(listener.secret);
    expect(unprintable(shown.stdout, '\n')).toEqual([]);
  });

  it('shows a hostile body safely', async () => {
    const listener = await desk.listen();
    await listener.post('{"a":"\u001B[2J\u202Eevil"}\u0007', { headers: { 'x-evil': '\u0080\u009B31m' } });
    await listener.waitFor(1);
    const shown = await run('show', [1], { terminal: true });
    expect(unprintable(shown.stdout, '\n')).toEqual([]);
  });

  it('says when there is no such webhook', async () => {
    const { code, json } = await run('show', [99, '--json']);
    expect([code, json.error]).toEqual([2, expect.objectContaining({ code: 'no-such-webhook' })]);
  });
});

describe('webhook replay', () => {
  it('sends the very same bytes to where they went, and says that it is a replay', async () => {
    const listener = await desk.listen({ to: [handler.url] });
    await filled(listener);
    const { code, json } = await run('replay', [1, 2, '--json', '--header', 'X-Env:test']);
    expect([code, json]).toEqual([
      0,
      [
        expect.objectContaining({ id: 1, to: handler.url, status: 200 }),
        expect.objectContaining({ id: 2, status: 200 }),
      ],
    ]);
    const again = handler.requests.at(3);
    expect(again?.text).toBe(handler.requests[0]?.text);
    expect(again?.headers).toMatchObject({ 'paydesk-replay': '1', 'x-env': 'test' });
    expect(handler.requests.at(4)?.path).toBe('/hook?a=1');
    expect(handler.requests[0]?.headers['paydesk-replay']).toBeUndefined();
    const { json: shown } = await run('show', [1, '--json']);
    expect(shown.forwards).toMatchObject([{ replay: false }, { replay: true, outcome: 'delivered' }]);
  });

  it('sends to another place, and all that failed to where they failed', async () => {
    handler.answer({ status: 500 });
    const listener = await desk.listen({ to: [handler.url] });
    await listener.post('{"n":1}');
    await listener.waitFor(1);
    handler.answer({ status: 200 });
    await listener.post('{"n":2}');
    await listener.waitFor(2);
    const other = await startReceiver();
    expect((await run('replay', [2, '--to', other.url])).code).toBe(0);
    expect(other.requests.map(({ text }) => text)).toEqual(['{"n":2}']);
    expect((await run('events', ['--failed', '--json'])).json).toMatchObject([{ id: 1 }]);
    const failed = await run('replay', ['--failed', '--json']);
    expect(failed.json).toMatchObject([{ id: 1, to: handler.url, status: 200 }]);
    // What has been taken by now has not failed any more.
    expect((await run('events', ['--failed', '--json'])).json).toEqual([]);
    expect((await run('replay', ['--failed', '--json'])).json).toEqual([]);
    expect((await run('replay', ['--since', '1h', '--to', other.url, '--json'])).json).toHaveLength(2);
    await other.close();
  });

  it('sends what was given up, since the payment could not be read, to the target that needs its state', async () => {
    const to = [`${handler.url} state=Captured`];
    const readRetries = { minPauseMs: 1, maxPauseMs: 1, withinMs: 0 };
    const listener = await desk.listen({ to, readRetries });
    const { paymentId } = await sandbox.create();
    const fault = { kind: 'error-before-commit', route: 'get', status: 503, next: 1_000 };
    await sandbox.control('POST', '/faults', fault);
    await listener.post(JSON.stringify({ paymentId }));
    await listener.waitFor(1);
    await sandbox.control('DELETE', '/faults');
    const forwards = [{ to: handler.url, outcome: 'failed', attempts: 0, error: 'payment not read' }];
    expect((await run('events', ['--failed', '--json'])).json).toMatchObject([
      { id: 1, verdict: 'unread', forwards },
    ]);
    expect((await run('events', ['--failed'], { terminal: true })).stdout).toMatch(
      /\? \(not read\) +not sent\n/,
    );
    expect(handler.requests).toEqual([]);
    const failed = await run('replay', ['--failed', '--json']);
    expect(failed.json).toMatchObject([{ id: 1, to: handler.url, status: 200 }]);
    expect((await run('events', ['--failed', '--json'])).json).toEqual([]);
    expect(handler.requests).toHaveLength(1);
  });

  it('does not take the local address of another machine for its own', async () => {
    handler.answer({ status: 500 });
    const listener = await desk.listen({ to: [handler.url], machine: 'build-1' });
    await listener.post('{"n":1}');
    await listener.waitFor(1);
    handler.answer({ status: 200 });
    handler.requests.splice(0);
    const named = await run('replay', [1, '--json']);
    expect([named.code, named.json.error]).toEqual([
      2,
      expect.objectContaining({
        code: 'no-target',
        message: `Webhook 1 was only forwarded to ${handler.url} on build-1. Nothing was sent. Run the command there, or choose a target with --to.`,
      }),
    ]);
    for (const range of [['--failed'], ['--since', '1h']]) {
      const { code, stdout, stderr } = await run('replay', [...range, '--json']);
      expect([code, stdout]).toEqual([0, '[]\n']);
      expect(stderr).toContain(
        `1 webhook was not sent to ${handler.url} on build-1. Run the command there, or choose a target with --to.`,
      );
    }
    expect(handler.requests).toEqual([]);
    expect((await run('replay', [1, '--to', handler.url])).code).toBe(0);
    expect((await run('replay', [1, '--json'])).json).toMatchObject([{ to: handler.url, status: 200 }]);
    // It was accepted here, and not on the other machine.
    expect((await run('events', ['--failed', '--json'])).json).toMatchObject([{ id: 1 }]);
  });

  it('shows what failed beside what was accepted, and counts requests', async () => {
    const listener = await desk.listen({ to: [handler.url] });
    await listener.post('{"n":1}');
    await listener.waitFor(1);
    const other = await startReceiver();
    other.answer({ status: 418 });
    expect((await run('replay', [1, '--to', other.url])).code).toBe(1);
    const failed = await run('events', ['--failed'], { terminal: true });
    expect(failed.stdout).toMatch(/\? \(no payment named\) +200 418\n/);
    const both = await run('replay', [1]);
    expect([both.code, both.stderr]).toEqual([
      7,
      expect.stringContaining(`Error: 1 of 2 requests was not accepted by ${other.url}: it`),
    ]);
    other.answer({ status: 200 });
    expect((await run('replay', ['--failed'])).code).toBe(0);
    expect((await run('events', [], { terminal: true })).stdout).toMatch(/200 +(\d+ ms|\d\.\d s)\n/);
    await other.close();
  });

  it('tells of the state now with --fresh', async () => {
    const listener = await desk.listen({ to: [handler.url] });
    const { paymentId } = await sandbox.create();
    await listener.post(JSON.stringify({ paymentId, paymentState: 'Created' }));
    await listener.waitFor(1);
    await sandbox.pay(paymentId);
    await sandbox.settle();
    expect((await run('replay', [1, '--fresh'])).code).toBe(0);
    expect(handler.requests.at(-1)?.body).toMatchObject({
      paymentId,
      paymentState: 'Captured',
      paymentStateId: 7,
      type: 'payment.state-changed',
    });
    expect(handler.requests.at(-1)?.headers).toMatchObject({
      'paydesk-replay': '1',
      'paydesk-synthetic': 'true',
    });
  });

  it('sends each webhook once, in the order of arrival', async () => {
    const listener = await desk.listen({ to: [handler.url] });
    await filled(listener);
    handler.requests.splice(0);
    const { json } = await run('replay', [3, 1, 3, '--json']);
    expect(json).toMatchObject([{ id: 1 }, { id: 3 }]);
    expect(handler.requests.map(({ headers }) => headers['paydesk-replay'])).toEqual(['1', '3']);
  });

  it('sends nothing when one of the webhooks has no target, does not exist or names no payment', async () => {
    const listener = await desk.listen({ to: [handler.url] });
    await filled(listener);
    await listener.stop();
    const bare = await desk.listen();
    await bare.post('{}');
    await bare.waitFor(1);
    handler.requests.splice(0);
    for (const [args, code] of [
      [[1, 4], 'no-target'],
      [[1, 99], 'no-such-webhook'],
      [[1, 3, '--fresh'], 'names-no-payment'],
      [['--since', '1h', '--fresh'], 'names-no-payment'],
    ] as const) {
      const { code: exit, json } = await run('replay', [...args, '--json']);
      expect([exit, json.error]).toEqual([2, expect.objectContaining({ code })]);
      expect(json.error!.message).toMatch(
        code === 'no-such-webhook' ? /no saved webhook 99/ : /Nothing was sent/,
      );
    }
    expect(handler.requests).toEqual([]);
    // Those that --fresh would have made are not saved either.
    expect(await desk.inbox.newestId(desk.app)).toBe(4);
  });

  it('shows what was sent before a payment could not be read', async () => {
    const listener = await desk.listen({ to: [handler.url] });
    const first = await sandbox.create();
    await listener.post(JSON.stringify({ paymentId: first.paymentId }));
    await listener.waitFor(1);
    await listener.post(JSON.stringify({ paymentId: 987_654_321 }));
    await listener.waitFor(2);
    const last = await sandbox.create();
    await listener.post(JSON.stringify({ paymentId: last.paymentId }));
    await listener.waitFor(3);
    const { code, json, stderr } = await run('replay', [1, 2, 3, '--fresh', '--json']);
    expect([code, json]).toEqual([
      7,
      [
        expect.objectContaining({ status: 200 }),
        expect.objectContaining({
          id: 2,
          to: handler.url,
          status: null,
          error: expect.any(String) as string,
        }),
        expect.objectContaining({ status: 200 }),
      ],
    ]);
    expect(stderr).toContain(`1 of 3 requests failed. Webhook 2 to ${handler.url}: There is no payment`);
    const alone = await run('replay', [2, '--fresh', '--json']);
    expect([alone.code, alone.json.error]).toEqual([1, expect.objectContaining({ code: 'not-found' })]);
  });

  it('shows what was sent before it was interrupted', async () => {
    const listener = await desk.listen({ to: [handler.url] });
    await filled(listener);
    handler.requests.splice(0);
    handler.next({ status: 200 }, 'hang');
    let interrupt = () => {};
    const running = run('replay', [1, 2, 3, '--json'], { onStart: (callback) => (interrupt = callback) });
    await handler.waitFor(2);
    interrupt();
    const { code, json, stderr } = await running;
    expect([code, json]).toMatchObject([
      130,
      [
        { id: 1, status: 200 },
        { id: 2, status: null },
      ],
    ]);
    expect(stderr).toContain('Stopped before the end: 1 webhook was not sent.');
    expect(handler.requests).toHaveLength(2);
  });

  it('ends with 1 when nobody took it, with 7 in part, with 2 when nothing was named', async () => {
    const listener = await desk.listen({ to: [handler.url] });
    await filled(listener);
    handler.next({ status: 500 });
    expect((await run('replay', [1])).code).toBe(1);
    handler.next({ status: 200 }, { status: 500 });
    expect((await run('replay', [1, 2])).code).toBe(7);
    expect((await run('replay', [])).code).toBe(2);
    expect((await run('replay', [1, '--failed'])).code).toBe(2);
    expect((await run('replay', [99])).code).toBe(2);
    await listener.stop();
    const bare = await desk.listen();
    await bare.post('{}');
    await bare.waitFor(1);
    expect((await run('replay', [4])).stderr).toContain('was never forwarded');
  });
});

describe('webhook send', () => {
  it('sends what the service would send, and keeps it', async () => {
    const payment = await sandbox.create();
    const { code, json } = await run('send', [payment.referenceId, '--to', handler.url, '--json']);
    expect([code, json]).toEqual([0, expect.objectContaining({ to: handler.url, status: 200 })]);
    expect(handler.requests[0]?.body).toEqual({
      eventId: expect.stringMatching(/^evt_/),
      type: 'payment.state-changed',
      appId: sandbox.app.appId,
      paymentId: payment.paymentId,
      referenceId: payment.referenceId,
      paymentState: 'Created',
      paymentStateId: 1,
      occurredTime: expect.any(String),
    });
    const [kept] = (await run('events', ['--json'])).json;
    expect(kept).toMatchObject({ kind: 'synthetic', verdict: 'made', state: 'Created' });
    // Nothing but a read was asked of the service.
    const after = await sandbox.states(payment.paymentId);
    expect(after).toEqual(['Created']);
  });

  it('says what a target answered, and that there is no such payment', async () => {
    const payment = await sandbox.create();
    handler.answer({ status: 503 });
    const refused = await run('send', [payment.paymentId, '--to', handler.url]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('answered 503')]);
    const gone = await run('send', [payment.paymentId, '--to', 'http://127.0.0.1:9/']);
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining('refused')]);
    expect((await run('send', ['nobody', '--to', handler.url])).code).toBe(1);
  });
});

describe('payments create --listen', () => {
  /** The payment, once the command has created it. */
  const createdPayment = (reference: string) =>
    eventually(async () => {
      const path = `/payments/referenceId:${reference}`;
      const { status, body } = await sandbox.call<{ paymentId: number; webhookUrl: string }>('GET', path);
      expect(status).toBe(200);
      return body;
    });

  it('creates with the address of its listener, passes the webhooks on, and follows it to its end', async () => {
    const reference = newReference();
    const listen = ['--listen', '--port', '0', '--forward-to', handler.url];
    const running = run('create', [...createFlags(reference), ...listen, '--json']);
    const { paymentId } = await createdPayment(reference);
    await sandbox.pay(paymentId);
    await sandbox.settle();
    const { code, json, stderr } = await running;
    expect([code, json]).toEqual([0, expect.objectContaining({ created: true })]);
    expect(stderr).toContain(`Payment ${paymentId} is created. Get its link with: paydesk payments get`);
    expect(stderr).not.toContain('/checkout/');
    expect(json.payment).toMatchObject({ paymentId, paymentState: 'Captured' });
    expect(json.payment?.webhookUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/wh\/[\w-]+$/);
    expect(json.deliveries!.at(-1)).toMatchObject({ state: 'Captured', paymentId });
    expect(handler.states(paymentId).at(0)).toBe('Created');
  });

  it('ends when a slow handler has the webhook of the last state, and shows the webhooks of its payment alone', async () => {
    const other = await sandbox.create();
    handler.answer({ status: 200, delayMs: 300 });
    const reference = newReference();
    const listen = ['--listen', '--port', '0', '--forward-to', handler.url];
    const running = run('create', [...createFlags(reference), ...listen, '--json']);
    const { paymentId, webhookUrl } = await createdPayment(reference);
    await postTo(webhookUrl, JSON.stringify({ paymentId: other.paymentId, paymentState: 'Created' }));
    await sandbox.pay(paymentId);
    await sandbox.settle();
    const { code, json } = await running;
    const states = ['Created', 'Authorised', 'Capturing', 'Captured'];
    expect([code, handler.states(paymentId)]).toEqual([0, states]);
    expect(json.deliveries).toMatchObject(states.map((saidState) => ({ paymentId, saidState })));
    // The other one is passed on and kept as ever.
    expect(handler.states(other.paymentId)).toEqual(['Created']);
    const kept = await desk.inbox.ofPayment(desk.app, { paymentId: String(other.paymentId) });
    expect(kept).toMatchObject([{ state: 'Created', forwards: [{ outcome: 'delivered' }] }]);
  });

  it('leaves what a target did not accept before to whoever only listens', async () => {
    handler.answer({ status: 500 });
    const earlier = await desk.listen({ to: [handler.url] });
    await earlier.post('{"n":1}');
    await earlier.waitFor(1);
    await earlier.stop();
    handler.answer({ status: 200 });
    handler.requests.splice(0);
    const reference = newReference();
    const listen = ['--listen', '--port', '0', '--forward-to', handler.url, '--until', 'Created'];
    const { code, stderr } = await run('create', [...createFlags(reference), ...listen]);
    expect([code, handler.requests.map(({ body: { n } }) => n)]).toEqual([0, [undefined]]);
    expect(stderr).not.toContain('again');
  });

  it('ends with 1 when the handler does not take a webhook, and shows it as it is in the end', async () => {
    handler.answer({ status: 500 });
    const reference = newReference();
    const listen = ['--listen', '--port', '0', '--forward-to', handler.url, '--until', 'Created'];
    const { code, json } = await run('create', [...createFlags(reference), ...listen, '--json']);
    expect([code, json.error]).toMatchObject([1, { code: 'handler-failed' }]);
    expect(json.payment).toMatchObject({ referenceId: reference });
    expect(json.deliveries).toMatchObject([{ saidState: 'Created', forwards: [{ status: 500 }] }]);
  });

  it('ends with 1 before the time is up when the handler does not take a webhook of a payment that nobody pays', async () => {
    handler.answer({ status: 500 });
    const reference = newReference();
    const listen = ['--listen', '--port', '0', '--forward-to', handler.url, '--timeout', '2m'];
    const started = Date.now();
    const { code, json } = await run('create', [...createFlags(reference), ...listen, '--json']);
    expect([code, json.error]).toMatchObject([1, { code: 'handler-failed' }]);
    expect(Date.now() - started).toBeLessThan(60_000);
    expect(json.payment).toMatchObject({ referenceId: reference, paymentState: 'Created' });
    expect(json.deliveries).toMatchObject([{ saidState: 'Created', forwards: [{ status: 500 }] }]);
  });

  it('ends with 8 when the handler was never called', async () => {
    await addFault(sandbox, { kind: 'webhook-drop' });
    const reference = newReference();
    const listen = ['--listen', '--port', '0', '--forward-to', handler.url, '--until', 'Created'];
    const { code, json } = await run('create', [...createFlags(reference), ...listen, '--json']);
    await sandbox.control('DELETE', '/faults');
    expect([code, json.error]).toMatchObject([8, { code: 'nothing-came' }]);
    expect(handler.requests).toEqual([]);
  });

  it('ends with 3 when it cannot be paid any more', async () => {
    const reference = newReference();
    const args = ['--listen', '--port', '0', '--columns', 'payment,state'];
    const running = run('create', [...createFlags(reference), ...args]);
    const { paymentId } = await createdPayment(reference);
    await sandbox.call('POST', `/payments/${paymentId}/cancel`);
    await sandbox.settle();
    const { code, stdout, stderr } = await running;
    expect([code, stdout]).toEqual([3, `${paymentId}\tCancelled\n`]);
    expect(stderr).toMatch(new RegExp(`\\t${paymentId}\\t${reference}\\t.*Cancelled\\t`));
  });

  it('shows a change of another payment whose webhook did not arrive', async () => {
    const earlier = newReference();
    const listen = ['--listen', '--port', '0', '--json'];
    await run('create', [...createFlags(earlier), ...listen, '--until', 'Created']);
    const missed = await createdPayment(earlier);
    await sandbox.pay(missed.paymentId);
    await sandbox.settle();
    const reference = newReference();
    const running = run('create', [...createFlags(reference), ...listen, '--until', 'Cancelled']);
    const { paymentId } = await createdPayment(reference);
    await eventually(async () => {
      const kept = await desk.inbox.ofPayment(desk.app, { paymentId: String(missed.paymentId) });
      expect(kept.at(-1)).toMatchObject({ verdict: 'missed' });
    });
    await sandbox.call('POST', `/payments/${paymentId}/cancel`);
    await sandbox.settle();
    const { code, stderr, json } = await running;
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('Missed: no webhook arrived for this change'),
    ]);
    expect(stderr).toMatch(new RegExp(`${missed.paymentId}\\t${earlier}\\tCreated → Captured\\tmissed`));
    expect(new Set(json.deliveries?.map((delivery) => delivery.paymentId))).toEqual(new Set([paymentId]));
  });

  it('takes its settings only beside --listen', async () => {
    const { code, stderr } = await run('create', [...createFlags('r'), '--forward-to', handler.url]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('can only be used together with --listen')]);
    const unused = ['--header', 'X-Env:test', '--skip-verify'];
    const nowhere = await run('create', [...createFlags('r'), '--listen', '--timeout', '1s', ...unused]);
    expect(nowhere.code).toBe(2);
    expect(nowhere.stderr.match(/can only be used together with --forward-to/g)).toHaveLength(2);
    const both = await run('create', [
      ...createFlags('r'),
      '--listen',
      '--webhook-url',
      'https://shop.example/',
    ]);
    expect(both.code).toBe(2);
  });
});
