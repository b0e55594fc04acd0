import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startReceiver, type Receiver } from '../../helpers/sandbox.js';
import { createPerson, type Person } from './person.js';
import { createHome, createPayment } from './processes.js';

let person: Person;
beforeAll(async () => {
  const home = await createHome();
  person = createPerson(home, await home.serve('--memory', '--seed', '7'));
});
afterAll(() => person.home.remove());
beforeEach(async () => {
  await person.control('POST', '/reset');
  await createPayment(person.sandbox.ready, 'inv-1');
});

interface Story {
  events: Array<{ id: number; to_state: string; via: string | null }>;
}

async function story(): Promise<Story> {
  const { url, controlToken } = person.sandbox.ready;
  const answer = await fetch(`${url}/_sandbox/payments/inv-1/story`, {
    headers: { authorization: `Bearer ${controlToken}` },
  });
  return (await answer.json()) as Story;
}

describe('provider', () => {
  test('confirms what waits, and shows where it came from', async () => {
    await person.json('pay', 'inv-1', '--card', 'slow-approved');
    expect(await person.terminal('provider', 'inv-1', 'confirm')).toMatch(
      /^Payment 100001 {3}inv-1 +Captured\n[\s\S]+\n {2}Processing → Captured\n$/,
    );
    expect((await story()).events.map(({ to_state, via }) => [to_state, via])).toEqual([
      ['Created', 'api node'],
      ['Processing', 'control'],
      ['Authorised', 'control'],
      ['Capturing', 'control'],
      ['Captured', 'control'],
    ]);
    expect(await person.json('books', 'inv-1')).toMatchObject({ authorize: { told: 1, done: 1 } });
  });

  test('declines what waits, whatever the card would have said', async () => {
    await person.json('pay', 'inv-1', '--card', 'slow-approved');
    expect(await person.pipe('provider', '100001', 'decline')).toMatch(
      /^payment\t100001\nreference\tinv-1\nstate\tDeclined\n/,
    );
    expect(await person.json('books', 'inv-1')).toMatchObject({ authorize: { told: 1, done: 0 } });
  });

  test('holds a payment that is not paid yet', async () => {
    expect(await person.json('provider', 'ref:inv-1', 'hold')).toMatchObject({ paymentState: 'Held' });
  });

  test('answers nothing where nothing waits, and takes no other answer', async () => {
    expect(await person.failure(1, 'provider', 'inv-1', 'confirm')).toMatchObject({
      code: 'operation-not-allowed',
      message: 'Payment 100001 is Created; nothing waits there.',
    });
    expect(await person.failure(2, 'provider', 'inv-1', 'maybe')).toMatchObject({
      details: [{ problem: expect.stringContaining('confirm') }],
    });
  });
});

describe('resend', () => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterAll(() => receiver.close());

  async function paid(): Promise<void> {
    await person.control('PATCH', `/apps/${person.sandbox.ready.apps[0]!.appId}`, {
      webhookUrl: receiver.url,
    });
    await createPayment(person.sandbox.ready, 'inv-2');
    await person.json('pay', 'inv-2');
    await person.control('POST', '/clock', { action: 'advance', value: 0 });
    receiver.requests.splice(0);
  }

  test('sends the last webhook again, and says what came back', async () => {
    await paid();
    expect(await person.terminal('resend', 'inv-2')).toMatch(
      new RegExp(
        `^ {2}webhook \\d+ {2}100002 {2}Captured {2}200 {2}(\\d+ ms|\\d\\.\\d s)\\n {2}${receiver.url}\\n$`,
      ),
    );
    expect(receiver.states()).toEqual(['Captured']);
  });

  test('sends the one that is named', async () => {
    await paid();
    const { webhookId } = await person.json<{ webhookId: number }>('resend', 'inv-2');
    receiver.requests.splice(0);
    const first = webhookId - 3;
    expect(await person.json('resend', '100002', '--webhook', String(first))).toMatchObject({
      webhookId: first,
      paymentId: 100002,
      state: 'Created',
      url: receiver.url,
      status: 200,
      error: null,
    });
    expect(receiver.states()).toEqual(['Created']);
    expect(await person.failure(2, 'resend', '100002', '--webhook', '1')).toMatchObject({
      code: 'no-webhook',
      message: expect.stringContaining(`${first} (Created)`),
      next: [`paydesk sandbox resend 100002 --webhook ${webhookId}`],
    });
  });

  test('exits with 3 when the receiver does not take it', async () => {
    await paid();
    receiver.next({ status: 500 }, 'drop');
    const { stdout, stderr, code } = await person.home.run(['sandbox', 'resend', 'inv-2']);
    expect({ stdout, stderr, code }).toMatchObject({
      stdout: expect.stringMatching(/\t500\n$/),
      stderr: expect.stringMatching(
        /The webhook was answered with 500\. Fix the receiver, .*paydesk sandbox resend 100002 --webhook \d+\n/s,
      ),
      code: 3,
    });
    const dropped = await person.home.json<object>(['sandbox', 'resend', 'inv-2'], 3);
    expect(dropped).toMatchObject({ status: null, error: expect.any(String) });
  });

  test('of a payment without an address says so', async () => {
    expect(await person.failure(2, 'resend', 'inv-1')).toMatchObject({ code: 'no-webhook' });
  });
});
