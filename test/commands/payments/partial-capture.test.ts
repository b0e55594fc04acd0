import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDesk, temporaryHome, type TestDesk } from '../../helpers/desk.js';
import { rewriteAnswers } from '../../helpers/rewritten-answers.js';

let desk: TestDesk;
beforeAll(async () => {
  desk = await openTestDesk();
});
afterAll(() => desk.sandbox.close());

/** A desk of its own at a service that shows another captured amount of captured payments. */
async function deskShowing(captured: string) {
  const rewrite = (body: string) => body.replaceAll(/"capturedAmount":[1-9][\d.]*,/g, captured);
  const env = {
    PAYDESK_BASE_URL: await rewriteAnswers(desk.sandbox, rewrite),
    PAYDESK_HOME: temporaryHome(),
  };
  return (verb: string, ...args: Array<string | number>) => desk.run(verb, args, { env, now: new Date() });
}

describe('a payment that was captured in part', () => {
  it('is explained with the money that was taken, also once it is refunded', async () => {
    const run = await deskShowing('"capturedAmount":4,');
    const { paymentId } = await desk.paid();
    const { stdout } = await run('explain', paymentId);
    expect(stdout).toContain('Captured. The customer has paid EUR 4.00 of EUR 10.50.');
    expect(stdout).toContain('EUR 4.00 is returned to the customer.');
    expect((await run('refund', paymentId, '--dry-run')).stdout).toContain('Refund EUR 4.00 of payment');
    expect((await run('refund', paymentId, '--csv')).stdout).toMatch(/^\d+,[^,]+,4\.00,EUR,Captured,/m);
    await desk.sandbox.settle();
    await run('check', paymentId);
    expect((await run('explain', paymentId)).stdout).toContain(
      'Refunded. EUR 4.00 was returned to the customer.',
    );
  });

  it('is being refunded with the money that was taken', async () => {
    await desk.sandbox.control('POST', '/seed');
    const run = await deskShowing('"capturedAmount":4,');
    expect((await run('explain', 'seed-refunding')).stdout).toMatch(/Refunding.* the refund of EUR 4\.00/i);
  });

  it('is told to the customer with the money that was taken', async () => {
    const run = await deskShowing('"capturedAmount":4,');
    const { paymentId } = await desk.paid();
    const reply = async (...flags: string[]) =>
      (await run('explain', paymentId, '--as-reply', ...flags)).stdout;
    expect(await reply()).toContain('We have received your payment of EUR 4.00 from');
    expect(await reply('--lang', 'de')).toContain('4,00\u{a0}€');
    await run('refund', paymentId);
    await desk.sandbox.settle();
    await run('check', paymentId);
    expect(await reply()).toContain('your payment of EUR 4.00 from');
  });

  it('is another payment of the customer with the money that was taken', async () => {
    const run = await deskShowing('"capturedAmount":4,');
    const customerOrder = { customer: { customerId: `part-${crypto.randomUUID()}` } };
    const [one, other] = [
      await desk.paid('approved', { customerOrder }),
      await desk.paid('approved', { customerOrder }),
    ];
    await run('explain', one.paymentId);
    expect((await run('explain', other.paymentId)).stdout).toContain('This customer also paid EUR 4.00');
    const { stdout } = await run('explain', other.paymentId, '--as-reply');
    expect(stdout.match(/EUR [\d.]+/g)).toEqual(['EUR 4.00', 'EUR 4.00']);
  });

  it('has a failed refund of the money that was taken', async () => {
    const run = await deskShowing('"capturedAmount":4,');
    const { paymentId } = await desk.paid('refund-fails');
    await run('refund', paymentId);
    await desk.sandbox.settle();
    await run('check', paymentId);
    expect((await run('explain', paymentId)).stdout).toMatch(/refund of EUR 4\.00|not received EUR 4\.00/);
  });

  it('is captured with the whole amount', async () => {
    const run = await deskShowing('"capturedAmount":4,');
    const { paymentId } = await desk.authorised();
    expect((await run('capture', paymentId, '--dry-run')).stdout).toContain('Capture EUR 10.50 of payment');
    expect((await run('explain', paymentId)).stdout).toContain('The customer is charged EUR 10.50.');
  });
});

it.each([
  '',
  '"capturedAmount":0,',
  '"capturedAmount":0.00,',
  '"capturedAmount":-4,',
  '"capturedAmount":1e99,',
])(
  'a captured payment has taken its amount where the service shows this as captured: %j',
  async (captured) => {
    const run = await deskShowing(captured);
    const { paymentId } = await desk.paid();
    const { stdout } = await run('explain', paymentId);
    expect(stdout).toContain('The customer has paid EUR 10.50.');
    expect(stdout).toContain('EUR 10.50 is returned to the customer.');
    expect((await run('explain', paymentId, '--as-reply')).stdout).toContain(
      'your payment of EUR 10.50 from',
    );
  },
);

it('the same amount with more decimals is the whole amount', async () => {
  const run = await deskShowing('"capturedAmount":10.500,');
  const { paymentId } = await desk.paid();
  expect((await run('explain', paymentId)).stdout).toContain('The customer has paid EUR 10.50.');
});
