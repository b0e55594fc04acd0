import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { APP, httpServer, json, KEY } from '../../helpers/servers.js';
import { runTyped } from '../../helpers/desk.js';
import { homeWithLedger } from '../../helpers/in-process.js';

// What the answer to a charge says is evidence; the payment that its reference shows is what counts.

interface FakeCharges {
  /** Answers a POST of this reference, and makes its payment. */
  answer: (payment: Payment) => FakeAnswer;
  /** Whether reads show what was made. */
  isShown: boolean;
  /** Answers the reads of a payment in place of it. */
  answerRead?: (() => FakeAnswer) | undefined;
  /** Whether the key may not read customers. */
  hidesCustomer?: boolean;
}

interface FakeAnswer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

interface Payment {
  paymentId: number;
  referenceId: string;
  amount: number;
  currency: string;
  customerId: string;
  paymentState: string;
}

function reply(response: ServerResponse, { status, body, headers }: FakeAnswer): void {
  if (typeof body === 'string') response.writeHead(status, headers).end(body);
  else json(response, status, body, headers);
}

/** A service with one customer, whose charges are answered and carried out as the test says. */
async function fakeDesk(fake: FakeCharges) {
  const made = new Map<string, Payment>();
  let posts = 0;
  const { url } = await httpServer(({ method, url: path, body }, response) => {
    if (method === 'POST') {
      posts += 1;
      const asked = JSON.parse(body) as { referenceId: string; amount: number };
      const payment: Payment = {
        paymentId: 7 + made.size,
        referenceId: asked.referenceId,
        amount: asked.amount,
        currency: 'EUR',
        customerId: 'c',
        paymentState: 'Captured',
      };
      made.set(asked.referenceId, payment);
      return reply(response, fake.answer(payment));
    }
    if (path.includes('payment-methods')) {
      return json(response, 200, [{ paymentMethodId: 1, customerAutomaticProfileId: 2, currency: 'EUR' }]);
    }
    if (path.includes('customers')) {
      return fake.hidesCustomer
        ? json(response, 403, { message: 'not you' })
        : json(response, 200, { customerId: 'c' });
    }
    if (fake.answerRead) return reply(response, fake.answerRead());
    const name = decodeURIComponent(path.slice(path.lastIndexOf('/') + 1));
    const found = [...made.values()].find(
      ({ paymentId, referenceId }) => name === String(paymentId) || name === `referenceId:${referenceId}`,
    );
    if (!found || !fake.isShown) return json(response, 404, { message: 'there is no such payment' });
    return json(response, 200, found);
  });
  const home = await homeWithLedger();
  const env = {
    PAYDESK_BASE_URL: url,
    PAYDESK_APP_ID: APP,
    PAYDESK_API_KEY: KEY,
    PAYDESK_KIND: 'sandbox',
  };
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runTyped([...args, '--json'], { home, env });
    return { code, stderr, json: (stdout === '' ? undefined : JSON.parse(stdout)) as never };
  };
  return {
    home,
    env,
    made,
    run,
    posts: () => posts,
    charge: (...more: string[]) =>
      run('payments', 'charge', '--reference', 'inv-1', '--amount', '3.00', '--customer', 'c', ...more),
    history: async () => (await run('history')).json as Array<Record<string, unknown>>,
  };
}

// Many of them wait for what a service may still show, so they do that at the same time.
describe.concurrent('a charge that was carried out', () => {
  it('is done although its answer shows it as failed', async () => {
    const desk = await fakeDesk({
      isShown: true,
      answer: (payment) => ({ status: 200, body: { ...payment, paymentState: 'Failed' } }),
    });
    expect(await desk.charge()).toMatchObject({ code: 0, json: { created: true } });
    expect(await desk.history()).toMatchObject([{ operation: 'charge', outcome: 'done', paymentId: 7 }]);
  });

  it.each([true, false])(
    'is on record with everything that was said of it; shown at once: %s',
    async (isShown) => {
      const desk = await fakeDesk({ isShown, answer: (payment) => ({ status: 200, body: payment }) });
      const why = { description: 'Renewal May', reason: 'contract', ticket: 'T-1' };
      await desk.charge(...Object.entries(why).flatMap(([name, text]) => [`--${name}`, text]));
      expect(await desk.history()).toMatchObject([{ operation: 'charge', ...why }]);
    },
  );

  it.each([
    ['a page', { status: 200, body: '<html>' }],
    ['nothing', { status: 204, body: '' }],
    ['a redirect', { status: 307, body: '', headers: { location: 'https://elsewhere.example/x' } }],
    ['a conflict', { status: 409, body: { message: 'in use' } }],
    ['another payment', { status: 200, body: { paymentId: 99, referenceId: 'other' } }],
    ['no id', { status: 200, body: { referenceId: 'inv-1', amount: 3, paymentState: 'Captured' } }],
    ['an id that is none', { status: 200, body: { paymentId: 'x-7', referenceId: 'inv-1', amount: 3 } }],
  ])('is unknown when it is answered with %s and reads are late, and is found later', async (_, answer) => {
    const fake: FakeCharges = { isShown: false, answer: () => answer };
    const desk = await fakeDesk(fake);
    expect(await desk.charge()).toMatchObject({ code: 6 });
    expect(await desk.history()).toMatchObject([{ outcome: 'unknown', referenceId: 'inv-1' }]);
    expect((await desk.run('payments', 'list', '--stuck')).stderr).toContain('payments check ref:inv-1');
    const sent = desk.posts();
    fake.isShown = true;
    expect(await desk.charge()).toMatchObject({ code: 0, json: { created: false } });
    expect(await desk.history()).toMatchObject([{ outcome: 'done', paymentId: 7 }]);
    expect((await desk.run('payments', 'list', '--stuck')).stderr).not.toContain('inv-1');
    expect(desk.posts()).toBe(sent);
  });

  it.each([
    ['amount', { amount: 300 }],
    ['customer', { customerId: 'C' }],
  ])('is told and recorded when it was made with another %s', async (field, other) => {
    const desk = await fakeDesk({
      isShown: true,
      answer: (payment) => ({ status: 200, body: Object.assign(payment, other) }),
    });
    const { code, json: told } = await desk.charge();
    expect([code, told]).toEqual([
      6,
      expect.objectContaining({
        error: expect.objectContaining({
          code: 'made-differently',
          message: expect.stringMatching(/Payment 7.*was made with other details/),
          details: [expect.objectContaining({ field })],
        }),
      }),
    ]);
    expect(await desk.history()).toMatchObject([{ outcome: 'unknown', paymentId: 7, after: 'Captured' }]);
    const again = await desk.charge();
    expect([again.code, again.json]).toMatchObject([6, { error: { code: 'made-differently' } }]);
    expect(again.stderr).toMatch(/Captured.*other details than those asked for.*do not charge again/);
    expect(again.stderr).not.toContain('Nothing');
    expect(await desk.history()).toMatchObject([{ outcome: 'unknown', paymentId: 7 }]);
    expect(desk.posts()).toBe(1);
  });

  it.each(['HostedPage', 'Direct', 'Subscription'])(
    'is done, and found again, when the service calls its flow %s',
    async (paymentFlow) => {
      const desk = await fakeDesk({
        isShown: true,
        answer: (payment) => ({ status: 200, body: Object.assign(payment, { paymentFlow }) }),
      });
      expect(await desk.charge()).toMatchObject({ code: 0, json: { created: true } });
      expect(await desk.charge()).toMatchObject({ code: 0, json: { created: false } });
      expect(await desk.history()).toMatchObject([{ outcome: 'done', paymentId: 7 }]);
      expect(desk.posts()).toBe(1);
    },
  );

  it('is done when a conflict answers it and its payment is there, whatever its flow is called', async () => {
    const desk = await fakeDesk({
      isShown: true,
      answer: (payment) => {
        Object.assign(payment, { paymentFlow: 'HostedPage' });
        return { status: 409, body: { message: 'seen before' } };
      },
    });
    expect(await desk.charge()).toMatchObject({ code: 0 });
    expect(await desk.history()).toMatchObject([{ outcome: 'done', paymentId: 7 }]);
    expect(desk.posts()).toBe(1);
  });

  it('is not sent again after a 429 when its payment is there', async () => {
    const desk = await fakeDesk({
      isShown: true,
      answer: () => ({ status: 429, body: { message: 'slow down' }, headers: { 'retry-after': '0' } }),
    });
    expect(await desk.charge()).toMatchObject({ code: 0 });
    expect(await desk.history()).toMatchObject([{ outcome: 'done', paymentId: 7 }]);
    expect(desk.posts()).toBe(1);
  });

  it('is unknown when its answer was lost and its payment has other details', async () => {
    const fake: FakeCharges = { isShown: false, answer: () => ({ status: 503, body: {} }) };
    const desk = await fakeDesk(fake);
    expect(await desk.charge()).toMatchObject({ code: 6 });
    Object.assign(desk.made.get('inv-1')!, { amount: 3.5 });
    const sent = desk.posts();
    fake.isShown = true;
    expect(await desk.charge()).toMatchObject({ code: 6, json: { error: { code: 'made-differently' } } });
    const { paymentId } = desk.made.get('inv-1')!;
    expect(await desk.history()).toMatchObject([{ outcome: 'unknown', paymentId, after: 'Captured' }]);
    expect(desk.posts()).toBe(sent);
    const other = ['--reference', 'inv-1', '--amount', '9.00', '--customer', 'c'];
    expect(await desk.run('payments', 'charge', ...other)).toMatchObject({
      code: 1,
      json: { error: { code: 'reference-in-use' } },
    });
  });

  it('is unknown when it is sent again, and the service has made it with other details meanwhile', async () => {
    const fake: FakeCharges = { isShown: false, answer: () => ({ status: 503, body: {} }) };
    const desk = await fakeDesk(fake);
    expect(await desk.charge()).toMatchObject({ code: 6 });
    fake.answer = (payment) => {
      Object.assign(payment, { amount: 3.5 });
      fake.isShown = true;
      return { status: 409, body: { message: 'in use' } };
    };
    expect(await desk.charge()).toMatchObject({ code: 6, json: { error: { code: 'made-differently' } } });
    const { paymentId } = desk.made.get('inv-1')!;
    expect(await desk.history()).toMatchObject([{ outcome: 'unknown', paymentId }]);
  });

  it.each([{}, { autoCapture: true }, { autoCapture: false }])(
    'is told and recorded when it was captured, and --no-auto-capture was asked for: shows %j',
    async (shown) => {
      const desk = await fakeDesk({
        isShown: true,
        answer: (payment) => ({ status: 200, body: Object.assign(payment, shown) }),
      });
      const args = ['--reference', 'inv-1', '--amount', '3.00', '--customer', 'c', '--no-auto-capture'];
      expect(await desk.run('payments', 'charge', ...args)).toMatchObject({
        code: 6,
        json: {
          error: {
            code: 'made-differently',
            message: expect.stringContaining('auto-capture true instead of false') as unknown,
          },
        },
      });
      expect(await desk.history()).toMatchObject([{ outcome: 'unknown', paymentId: 7, after: 'Captured' }]);
    },
  );

  it('is unknown when its payment is Declined and shows captured money', async () => {
    const declined = { paymentState: 'Declined', capturedAmount: 3 };
    const desk = await fakeDesk({
      isShown: true,
      answer: (payment) => ({ status: 200, body: Object.assign(payment, declined) }),
    });
    expect(await desk.charge()).toMatchObject({ code: 6, json: { error: { code: 'captured-anyway' } } });
    expect(await desk.history()).toMatchObject([{ outcome: 'unknown', paymentId: 7 }]);
    const { json } = await desk.run('payments', 'explain', '7');
    expect(json).toMatchObject({
      severity: 'urgent',
      verdict:
        'Conflict: the service shows Declined, and EUR 3.00 captured. The customer may have been charged.',
      actions: [{ operation: 'recheck', recommended: true }],
    });
    const reply = await runTyped(['payments', 'explain', '7', '--as-reply'], desk);
    expect(reply.stdout).not.toContain('not been charged');
    expect(reply.stdout).toContain('Please do not pay again');
  });

  it('is unknown when its payment is shown without an id', async () => {
    const desk = await fakeDesk({
      isShown: true,
      answer: (payment) => ({ status: 200, body: Object.assign(payment, { paymentId: null }) }),
    });
    expect(await desk.charge()).toMatchObject({ code: 6 });
    expect(await desk.history()).toMatchObject([{ outcome: 'unknown', referenceId: 'inv-1' }]);
  });

  it('is the same in another spelling of its currency', async () => {
    const desk = await fakeDesk({
      isShown: true,
      answer: (payment) => ({ status: 201, body: Object.assign(payment, { currency: 'eur' }) }),
    });
    const words = ['--amount', '3.00', '--currency', 'EUR', '--return-url', 'https://shop.example'];
    const create = ['payments', 'create', '--reference', 'inv-1', '--customer', 'c', ...words];
    expect(await desk.run(...create)).toMatchObject({ code: 0, json: { created: true } });
  });

  it('corrects the history when it is declined first and checked later', async () => {
    const desk = await fakeDesk({
      isShown: true,
      answer: (payment) => ({ status: 200, body: Object.assign(payment, { paymentState: 'Declined' }) }),
    });
    expect(await desk.charge()).toMatchObject({ code: 3, json: { error: { code: 'charge-failed' } } });
    expect(await desk.history()).toMatchObject([{ outcome: 'failed' }]);
    desk.made.get('inv-1')!.paymentState = 'Captured';
    expect(await desk.run('payments', 'check', '7')).toMatchObject({ code: 0 });
    expect(await desk.history()).toMatchObject([{ outcome: 'done', after: 'Captured' }]);
    desk.made.get('inv-1')!.paymentState = 'Refunded';
    await desk.charge();
    expect(await desk.history()).toMatchObject([{ outcome: 'done' }]);
  });
});

const processing = (payment: Payment) => ({
  status: 200,
  body: Object.assign(payment, { paymentState: 'Processing' }),
});

describe.concurrent('a charge that was accepted', () => {
  it.each([404, 401, 400])('is still accepted when the reads of --wait answer %i', async (status) => {
    const fake: FakeCharges = {
      isShown: true,
      answer: (payment) => {
        fake.answerRead = () => ({ status, body: { message: 'not here' } });
        return processing(payment);
      },
    };
    const desk = await fakeDesk(fake);
    const { code, json: told } = await desk.charge('--wait', '--timeout', '3s');
    expect([code, told]).toMatchObject([
      8,
      {
        payment: { paymentId: 7, paymentState: 'Processing' },
        error: {
          code: 'time-up',
          message: expect.stringMatching(/payment 7 .*was Processing.* cannot be read now: /) as unknown,
        },
      },
    ]);
    expect(await desk.history()).toMatchObject([{ outcome: 'accepted', paymentId: 7 }]);
  });

  it('is followed to its end when only the first read fails', async () => {
    const fake: FakeCharges = {
      isShown: true,
      answer: (payment) => {
        fake.answerRead = () => {
          fake.answerRead = undefined;
          payment.paymentState = 'Captured';
          return { status: 404, body: { message: 'not here' } };
        };
        return { status: 200, body: { ...payment, paymentState: 'Processing' } };
      },
    };
    const desk = await fakeDesk(fake);
    expect(await desk.charge('--wait')).toMatchObject({
      code: 0,
      json: { payment: { paymentState: 'Captured' } },
    });
  });
});

describe.concurrent('a charge that is being cancelled or refunded', () => {
  const shown = (state: string): FakeCharges => ({
    isShown: true,
    answer: (payment) => ({ status: 200, body: Object.assign(payment, { paymentState: state }) }),
  });

  it.each(['Cancelling', 'Refunding'])('has not failed while it is %s: that can bounce', async (state) => {
    const desk = await fakeDesk(shown(state));
    const { code, json: told, stderr } = await desk.charge();
    expect([code, told]).toEqual([0, expect.not.objectContaining({ error: expect.anything() })]);
    expect(stderr).toContain(`not final: it is ${state}`);
    expect(stderr).toContain('paydesk payments watch 7');
    expect(await desk.history()).toMatchObject([
      { outcome: state === 'Cancelling' ? 'accepted' : 'done', after: state },
    ]);
  });

  it.each([
    ['Cancelling', 'Cancelled', 3],
    ['Cancelling', 'Captured', 0],
    ['Refunding', 'Refunded', 3],
  ])('is followed with --wait from %s to %s: %i', async (first, last, exit) => {
    const fake = shown(first);
    const desk = await fakeDesk(fake);
    await desk.charge();
    desk.made.get('inv-1')!.paymentState = last;
    const args = ['--reference', 'inv-1', '--amount', '3.00', '--customer', 'c', '--wait'];
    expect(await desk.run('payments', 'charge', ...args)).toMatchObject({ code: exit });
  });
});

const onLiveApp = (payment: Payment) => ({ status: 200, body: { ...payment, app: { isSandbox: false } } });

describe.concurrent('a charge whose answer shows that the app is live, and the profile says sandbox', () => {
  it.each([true, false])('is unknown, and names the payment: reads show it: %s', async (isShown) => {
    const desk = await fakeDesk({ isShown, hidesCustomer: true, answer: onLiveApp });
    const { code, json: told } = await desk.charge();
    expect([code, told]).toMatchObject([
      6,
      {
        error: {
          code: 'wrong-app',
          httpStatus: 200,
          message: expect.stringMatching(
            /is sandbox, but the service says live.*payment 7, Captured/,
          ) as unknown,
        },
      },
    ]);
    expect(await desk.history()).toMatchObject([
      { operation: 'charge', outcome: 'unknown', referenceId: 'inv-1' },
    ]);
  });

  it('is unknown in the same way when it is a create', async () => {
    const desk = await fakeDesk({ isShown: true, hidesCustomer: true, answer: onLiveApp });
    const words = ['--amount', '3.00', '--currency', 'EUR', '--return-url', 'https://shop.example'];
    const create = ['payments', 'create', '--reference', 'inv-1', '--customer', 'c', ...words];
    expect(await desk.run(...create)).toMatchObject({ code: 6, json: { error: { code: 'wrong-app' } } });
    expect(await desk.history()).toMatchObject([{ operation: 'create', outcome: 'unknown' }]);
  });
});

describe.concurrent('a charge whose answer shows it as failed', () => {
  const failed = (payment: Payment) => ({
    status: 200,
    body: Object.assign(payment, { paymentState: 'Failed' }),
  });

  it.each([
    ['does not show it', undefined],
    ['refuses', { status: 400, body: { message: 'bad reference' } }],
    ['does not allow it', { status: 403, body: { message: 'not you' } }],
    ['cannot answer', { status: 503, body: { message: 'try later' } }],
  ])('is unknown until a read confirms it: the service %s', async (_, look) => {
    const fake: FakeCharges = {
      isShown: false,
      answer: (payment) => {
        fake.answerRead = look && (() => look);
        return failed(payment);
      },
    };
    const desk = await fakeDesk(fake);
    const { code, json: told } = await desk.charge();
    expect([code, told]).toMatchObject([
      6,
      {
        error: {
          code: 'outcome-unknown',
          message: expect.stringMatching(/answered 200 with payment 7 \(inv-1\), Failed, but /) as unknown,
        },
      },
    ]);
    expect(JSON.stringify(told)).not.toContain('use a new --reference');
    expect(await desk.history()).toMatchObject([{ outcome: 'unknown', referenceId: 'inv-1' }]);
    Object.assign(fake, { isShown: true, answerRead: undefined });
    expect(await desk.charge()).toMatchObject({ code: 3, json: { error: { code: 'charge-failed' } } });
    expect(await desk.history()).toMatchObject([{ outcome: 'failed', paymentId: 7 }]);
    expect(desk.posts()).toBe(1);
  });

  it('has failed when its payment shows the same', async () => {
    const desk = await fakeDesk({ isShown: true, answer: failed });
    expect(await desk.charge()).toMatchObject({ code: 3, json: { error: { code: 'charge-failed' } } });
    expect(await desk.history()).toMatchObject([{ outcome: 'failed', paymentId: 7 }]);
  });
});

describe.concurrent('a charge that was declined', () => {
  it.each([
    [
      'has its state twice',
      (text: string) => text.replace('"Declined"', '"Declined","paymentState":"Captured"'),
    ],
    [
      'has an error beside a state that it is not in',
      (text: string) => text.replace('"Declined"', '"Captured","error":{"code":"do-not-honour"}'),
    ],
  ])('is not told as done when its answer %s', async (_, spoil) => {
    const desk = await fakeDesk({
      isShown: true,
      answer: (payment) => {
        payment.paymentState = 'Declined';
        return {
          status: 200,
          body: spoil(JSON.stringify(payment)),
          headers: { 'content-type': 'application/json' },
        };
      },
    });
    expect(await desk.charge()).toMatchObject({ code: 3, json: { error: { code: 'charge-failed' } } });
    expect(await desk.history()).toMatchObject([{ outcome: 'failed' }]);
  });
});

describe.concurrent('a batch of charges', () => {
  const declined = (payment: Payment) => ({
    status: 200,
    body: Object.assign(payment, { paymentState: 'Declined' }),
  });

  async function applied(fake: FakeCharges, references: string[], ...more: string[]) {
    const desk = await fakeDesk(fake);
    const file = join(desk.home, 'charges.csv');
    const plan = async (names: string[], out: string) => {
      writeFileSync(file, ['reference,customer,amount', ...names.map((name) => `${name},c,3.00`)].join('\n'));
      return desk.run('batch', 'plan', file, '--action', 'charge', '--out', join(desk.home, out));
    };
    await plan(references, 'plan.json');
    const { json: told } = await desk.run('batch', 'apply', join(desk.home, 'plan.json'), ...more);
    const { id } = told as { id: string };
    return { ...desk, id, plan };
  }

  it('does not charge again what was declined first and captured after all', async () => {
    const desk = await applied({ isShown: true, answer: declined }, ['inv-1', 'inv-2']);
    expect((await desk.run('batch', 'status', desk.id)).json).toMatchObject([{ failed: 2, done: 0 }]);
    desk.made.get('inv-1')!.paymentState = 'Captured';
    const { code, json: again } = await desk.plan(['inv-1-retry-1', 'inv-2-retry-1'], 'again.json');
    expect([code, again]).toMatchObject([
      0,
      { rows: [{ verdict: 'done', why: 'inv-1 is Captured after all (payment 7)' }, { verdict: 'act' }] },
    ]);
    desk.made.get('inv-2')!.paymentState = 'Captured';
    const sent = desk.posts();
    expect((await desk.run('batch', 'apply', join(desk.home, 'again.json'))).json).toMatchObject({
      done: 0,
      skipped: 2,
    });
    expect(desk.posts()).toBe(sent);

    expect(await desk.run('batch', 'resume', desk.id)).toMatchObject({
      code: 0,
      json: { done: 2, failed: 0 },
    });
    expect(desk.posts()).toBe(sent);
    expect(await desk.history()).toMatchObject([{ outcome: 'done' }, { outcome: 'done' }]);
  });

  it.each([
    ['Cancelling', 'accepted', 'inv-1 is Cancelling, so it may still be charged (payment 7)'],
    ['Odd', 'unknown', 'inv-1 is Odd, so it may have been charged (payment 7)'],
  ])('does not charge a next attempt while the one before it is %s', async (state, outcome, why) => {
    const fake: FakeCharges = {
      isShown: true,
      answer: (payment) => ({ status: 200, body: Object.assign(payment, { paymentState: state }) }),
    };
    const desk = await applied(fake, ['inv-1']);
    expect((await desk.run('batch', 'status', desk.id)).json).toMatchObject([{ [outcome]: 1, failed: 0 }]);
    const notDone = await runTyped(['batch', 'report', desk.id, '--not-done'], desk);
    expect(notDone.stdout).not.toContain('retry');
    const { json: refused } = await desk.plan(['inv-1-retry-1'], 'early.json');
    expect(refused).toMatchObject({ rows: [{ verdict: 'conflict', why }] });

    desk.made.get('inv-1')!.paymentState = 'Declined';
    await desk.plan(['inv-1-retry-1'], 'again.json');
    desk.made.get('inv-1')!.paymentState = state;
    const sent = desk.posts();
    const { json: told } = await desk.run('batch', 'apply', join(desk.home, 'again.json'));
    expect(told).toMatchObject({ refused: 1, done: 0 });
    const { json: report } = await desk.run('batch', 'report', (told as { id: string }).id);
    expect(report).toMatchObject({ rows: [{ outcome: 'refused', why }] });
    expect(desk.posts()).toBe(sent);
  });

  it('does not charge a next attempt when the one before it was charged, and refunded since', async () => {
    const desk = await applied({ isShown: true, answer: declined }, ['inv-1', 'inv-2']);
    desk.made.get('inv-1')!.paymentState = 'Refunding';
    desk.made.get('inv-2')!.paymentState = 'Refunded';
    const { json: again } = await desk.plan(['inv-1-retry-1', 'inv-2-retry-1'], 'again.json');
    expect(again).toMatchObject({
      rows: [
        { verdict: 'done', why: 'inv-1 is Refunding after all (payment 7)' },
        { verdict: 'done', why: 'inv-2 is Refunded after all (payment 8)' },
      ],
    });
  });

  it.each([
    ['amount and customer', { customerId: 'c_other', amount: 99 }],
    ['amount', { amount: 99 }],
    ['customer', { customerId: 'c_other', paymentState: 'Processing' }],
  ])('does not take the charge of somebody else for an earlier attempt: another %s', async (which, other) => {
    const desk = await applied({ isShown: true, answer: declined }, ['inv-1']);
    await desk.plan(['inv-1-retry-1'], 'before.json');
    Object.assign(desk.made.get('inv-1')!, { paymentState: 'Captured', ...other });
    const why = `inv-1 is another charge, with another ${which} (payment 7)`;
    const { json: again } = await desk.plan(['inv-1-retry-1'], 'again.json');
    expect(again).toMatchObject({ rows: [{ verdict: 'conflict', why }] });
    const sent = desk.posts();
    const { code, json: told } = await desk.run('batch', 'apply', join(desk.home, 'before.json'));
    expect([code, told]).toMatchObject([7, { refused: 1, skipped: 0, done: 0 }]);
    expect(desk.posts()).toBe(sent);
  });

  it('keeps a charge as accepted that cannot be read with --wait', async () => {
    const desk = await applied(
      { isShown: false, answer: processing },
      ['inv-1'],
      '--wait',
      '--timeout',
      '3s',
    );
    expect((await desk.run('batch', 'status', desk.id)).json).toMatchObject([{ accepted: 1, refused: 0 }]);
  });

  const lost: FakeAnswer = { status: 503, body: { message: 'try later' } };
  const outcomes: Array<[string, FakeCharges['answer']]> = [
    ['unknown', () => lost],
    ['accepted', processing],
  ];
  const looks: Array<[string, FakeAnswer]> = [
    ['400', { status: 400, body: { message: 'bad reference' } }],
    ['410', { status: 410, body: { message: 'gone' } }],
    ['a redirect', { status: 307, body: '', headers: { location: 'https://elsewhere.example/x' } }],
    ['data that is not a payment', { status: 200, body: ['x'] }],
  ];

  it.each(outcomes.flatMap(([outcome, answer]) => looks.map((look) => [outcome, ...look, answer] as const)))(
    'keeps a row as %s when the read of resume answers with %s',
    async (outcome, _, look, answer) => {
      const fake: FakeCharges = { isShown: false, answer };
      const desk = await applied(fake, ['inv-1']);
      const kept = [{ [outcome]: 1, refused: 0 }];
      expect((await desk.run('batch', 'status', desk.id)).json).toMatchObject(kept);
      const sent = desk.posts();
      fake.answerRead = () => look;
      await desk.run('batch', 'resume', desk.id);
      expect((await desk.run('batch', 'status', desk.id)).json).toMatchObject(kept);
      fake.answerRead = undefined;
      await desk.run('batch', 'resume', desk.id);
      expect((await desk.run('batch', 'status', desk.id)).json).toMatchObject(kept);
      expect(desk.posts()).toBe(sent);
    },
  );

  it('keeps a row as unknown that --resend-unmoved cannot look for, so that a plain resume sends nothing', async () => {
    const fake: FakeCharges = { isShown: false, answer: () => lost };
    const desk = await applied(fake, ['inv-1']);
    const sent = desk.posts();
    fake.answerRead = () => lost;
    expect(await desk.run('batch', 'resume', desk.id, '--resend-unmoved')).toMatchObject({
      code: 6,
      json: { unknown: 1, pending: 0 },
    });
    fake.answerRead = undefined;
    expect(await desk.run('batch', 'resume', desk.id)).toMatchObject({ code: 6, json: { unknown: 1 } });
    expect(desk.posts()).toBe(sent);
    fake.answer = (payment) => ({ status: 200, body: payment });
    expect(await desk.run('batch', 'resume', desk.id, '--resend-unmoved')).toMatchObject({
      code: 0,
      json: { done: 1 },
    });
  });

  it('keeps a row as unknown when the attempt before it may have been charged', async () => {
    const fake: FakeCharges = { isShown: true, answer: declined };
    const desk = await applied(fake, ['inv-1']);
    fake.answer = () => {
      fake.answerRead = () => ({ status: 404, body: { message: 'not here' } });
      return lost;
    };
    await desk.plan(['inv-1-retry-1'], 'again.json');
    const { json: told } = await desk.run('batch', 'apply', join(desk.home, 'again.json'));
    expect(told).toMatchObject({ unknown: 1 });
    const { id } = told as { id: string };
    const sent = desk.posts();
    const { json: again } = await desk.run('batch', 'resume', id, '--resend-unmoved');
    expect(again).toMatchObject({ unknown: 1, refused: 0 });
    expect(desk.posts()).toBe(sent);
  });

  it('stops at the first charge whose answer shows that the app is live, and the profile says sandbox', async () => {
    const fake: FakeCharges = {
      isShown: true,
      answer: (payment) => {
        fake.hidesCustomer = true;
        return onLiveApp(payment);
      },
    };
    const desk = await applied(fake, ['inv-1', 'inv-2'], '--concurrency', '1');
    expect((await desk.run('batch', 'status', desk.id)).json).toMatchObject([{ unknown: 1, pending: 1 }]);
    expect(desk.posts()).toBe(1);
  });

  it('takes the answer to a charge that was sent again', async () => {
    const fake: FakeCharges = { isShown: false, answer: () => lost };
    const desk = await applied(fake, ['inv-1']);
    fake.answer = () => ({ status: 422, body: { message: 'no such method' } });
    expect((await desk.run('batch', 'resume', desk.id, '--resend-unmoved')).json).toMatchObject({
      unknown: 0,
      refused: 1,
    });
  });

  it('keeps a row as unknown when what is sent again is throttled, so that a plain resume sends nothing', async () => {
    const fake: FakeCharges = { isShown: false, answer: () => lost };
    const desk = await applied(fake, ['inv-1']);
    fake.answer = () => ({ status: 429, body: { message: 'slow down' } });
    const throttled = await desk.run('batch', 'resume', desk.id, '--resend-unmoved');
    expect(throttled.json).toMatchObject({ unknown: 1, pending: 0 });
    const sent = desk.posts();
    fake.answer = (payment) => ({ status: 200, body: payment });
    expect(await desk.run('batch', 'resume', desk.id)).toMatchObject({ code: 6, json: { unknown: 1 } });
    expect(desk.posts()).toBe(sent);
  });

  const withOtherAmount = (payment: Payment) => ({
    status: 200,
    body: Object.assign(payment, { amount: 3.5 }),
  });

  it('keeps a row as unknown that was made with other details, and does not advise to send it again', async () => {
    const desk = await applied({ isShown: true, answer: withOtherAmount }, ['inv-1']);
    for (const more of [[], ['--resend-unmoved']]) {
      const resumed = await desk.run('batch', 'resume', desk.id, ...more);
      expect(resumed).toMatchObject({ code: 6, json: { unknown: 1, refused: 0, state: 'unsettled' } });
      expect(JSON.stringify(resumed)).not.toContain('send it again');
    }
    const { json: report } = await desk.run('batch', 'report', desk.id);
    const why = expect.stringMatching(/amount 3\.5 instead of 3.*do not charge again/) as unknown;
    expect(report).toMatchObject({ rows: [{ outcome: 'unknown', payment: 7, after: 'Captured', why }] });
    expect(await desk.history()).toMatchObject([{ outcome: 'unknown', paymentId: 7 }]);
    desk.made.clear();
    expect(await desk.run('batch', 'resume', desk.id, '--resend-unmoved')).toMatchObject({ code: 6 });
    expect(desk.posts()).toBe(1);
  });

  it('takes an accepted row for unknown when its payment shows other details later', async () => {
    const desk = await applied({ isShown: true, answer: processing }, ['inv-1']);
    expect((await desk.run('batch', 'status', desk.id)).json).toMatchObject([{ accepted: 1 }]);
    Object.assign(desk.made.get('inv-1')!, { amount: 3.5, paymentState: 'Captured' });
    expect(await desk.run('batch', 'resume', desk.id)).toMatchObject({
      code: 6,
      json: { unknown: 1, refused: 0 },
    });
  });

  it('keeps a row as failed when its payment shows other details later', async () => {
    const desk = await applied({ isShown: true, answer: declined }, ['inv-1']);
    Object.assign(desk.made.get('inv-1')!, { amount: 3.5 });
    expect((await desk.run('batch', 'resume', desk.id)).json).toMatchObject({ failed: 1, refused: 0 });
  });

  it('is done when the service calls the flow of its charges HostedPage', async () => {
    const hosted = (payment: Payment) => ({
      status: 200,
      body: Object.assign(payment, { paymentFlow: 'HostedPage' }),
    });
    const desk = await applied({ isShown: true, answer: hosted }, ['inv-1']);
    expect((await desk.run('batch', 'status', desk.id)).json).toMatchObject([{ done: 1 }]);
    const { json: again } = await desk.plan(['inv-1'], 'again.json');
    expect(again).toMatchObject({ rows: [{ verdict: 'done' }] });
  });

  it('finds on resume what was refused and carried out', async () => {
    const fake: FakeCharges = {
      isShown: false,
      answer: () => ({ status: 422, body: { message: 'seen before' } }),
    };
    const desk = await applied(fake, ['inv-1']);
    expect((await desk.run('batch', 'status', desk.id)).json).toMatchObject([{ refused: 1 }]);
    fake.isShown = true;
    const sent = desk.posts();
    expect(await desk.run('batch', 'resume', desk.id)).toMatchObject({
      code: 0,
      json: { done: 1, refused: 0 },
    });
    expect(desk.posts()).toBe(sent);
  });
});
