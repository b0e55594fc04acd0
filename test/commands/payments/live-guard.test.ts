import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFlags, envOf, openTestDesk, payments, type TestDesk } from '../../helpers/desk.js';
import { newReference } from '../../helpers/sandbox.js';

let desk: TestDesk;
let live: Record<string, string>;
beforeAll(async () => {
  desk = await openTestDesk();
  live = envOf(desk.sandbox, 'live');
});
afterAll(() => desk.sandbox.close());

const sent = () => desk.requests().filter((line) => line.includes(' /api/'));

/** A captured payment of the app that poses as live. */
async function livePayment(): Promise<number> {
  const { live: app } = desk.sandbox;
  const { paymentId } = await desk.sandbox.create({}, { key: app.apiKey, appId: app.appId });
  await desk.sandbox.pay(paymentId);
  await desk.sandbox.settle();
  return paymentId;
}

const calls: Array<[string, (paymentId: number) => string[]]> = [
  ['create', () => createFlags(newReference())],
  ['charge', () => ['--customer', 'c', '--amount', '1', '--reference', newReference()]],
  ['capture', (id) => [String(id)]],
  ['cancel', (id) => [String(id)]],
  ['refund', (id) => [String(id)]],
  ['unhold', (id) => [String(id)]],
];

describe('on a live app', () => {
  it.each(calls)(
    '%s without a terminal needs --confirm, and sends not even a read before it',
    async (verb, args) => {
      const paymentId = await livePayment();
      desk.requests();
      const missing = await payments(live, verb, args(paymentId));
      expect(missing.code).toBe(9);
      expect(missing.stderr).toContain(`LIVE  environment (app ${desk.sandbox.live.appId})`);
      expect(missing.stderr).toContain(`--confirm ${desk.sandbox.live.appId}`);
      // It is said with --no-input on a terminal too.
      expect(missing.stderr).not.toContain('terminal');
      const wrong = await payments(live, verb, [...args(paymentId), '--confirm', 'another', '--json']);
      expect(wrong.code).toBe(9);
      expect(wrong.json.error?.code).toBe('confirmation-wrong');
      expect(sent()).toEqual([]);
    },
  );

  it('the command to type next is the one that was typed', async () => {
    const words = ['id:7', '--reason', "it's lost", '--json'];
    const { json } = await payments(live, 'refund', words);
    const typed = String.raw`paydesk fixture id:7 --reason 'it'\''s lost' --json`;
    expect(json.error?.next).toEqual([`${typed} --confirm ${desk.sandbox.live.appId}`]);
  });

  it('the command to type next has --confirm before --, and succeeds', async () => {
    const paymentId = await livePayment();
    const { json } = await payments(live, 'refund', ['--json', '--', paymentId]);
    const { appId } = desk.sandbox.live;
    expect(json.error?.next).toEqual([`paydesk fixture --json --confirm ${appId} -- ${paymentId}`]);
    const typed = json.error!.next![0]!.split(' ').slice(2);
    expect((await payments(live, 'refund', typed)).code).toBe(0);
  });

  it('--confirm with the App ID lets it through, and --force does not replace it', async () => {
    const paymentId = await livePayment();
    expect((await payments(live, 'refund', [paymentId, '--force'])).code).toBe(9);
    const { code, json } = await payments(live, 'refund', [
      paymentId,
      '--confirm',
      desk.sandbox.live.appId,
      '--json',
    ]);
    expect(code).toBe(0);
    expect(json.outcome).toBe('accepted');
    const made = await payments(live, 'create', [
      ...createFlags(newReference()),
      '--confirm',
      desk.sandbox.live.appId,
    ]);
    expect(made.code).toBe(0);
  });

  it('a dry run, a read and a recheck need no confirmation', async () => {
    const paymentId = await livePayment();
    desk.requests();
    expect((await payments(live, 'refund', [paymentId, '--dry-run'])).code).toBe(0);
    expect((await payments(live, 'create', [...createFlags(newReference()), '--dry-run'])).code).toBe(0);
    expect((await payments(live, 'get', [paymentId])).code).toBe(0);
    expect(sent().filter((line) => line.startsWith('POST'))).toEqual([]);
    expect((await payments(live, 'recheck', [paymentId])).code).toBe(0);
  });
});

describe('on a sandbox app', () => {
  it('nothing is asked, but an App ID that is not meant stops it', async () => {
    const { paymentId } = await desk.paid();
    const { code, stderr } = await desk.run('refund', [paymentId, '--confirm', desk.sandbox.live.appId]);
    expect(code).toBe(9);
    expect(stderr).not.toContain('LIVE');
    expect((await desk.run('refund', [paymentId, '--confirm', desk.sandbox.app.appId])).code).toBe(0);
  });
});

it.each(calls)('%s stops when the profile says sandbox and the app is live', async (verb, args) => {
  const paymentId = await livePayment();
  const { live: app } = desk.sandbox;
  await desk.sandbox.call(
    'POST',
    '/customers',
    { customerId: 'c_881' },
    { key: app.apiKey, appId: app.appId },
  );
  await desk.sandbox.call('POST', '/customers', { customerId: 'c' }, { key: app.apiKey, appId: app.appId });
  desk.requests();
  const forced = ['create', 'charge'].includes(verb) ? [] : ['--force'];
  const { code, json } = await payments({ ...live, PAYDESK_KIND: 'sandbox' }, verb, [
    ...args(paymentId),
    ...forced,
    '--json',
  ]);
  expect(code).toBe(4);
  expect(json.error?.message).toContain('is sandbox, but the service says live');
  expect(sent().filter((line) => line.startsWith('POST'))).toEqual([]);
});
