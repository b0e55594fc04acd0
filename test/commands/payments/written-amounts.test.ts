import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDesk, type TestDesk } from '../../helpers/desk.js';
import { rewriteAnswers } from '../../helpers/rewritten-answers.js';

let desk: TestDesk;
beforeAll(async () => {
  desk = await openTestDesk();
});
afterAll(() => desk.sandbox.close());

describe('a service that writes amounts with an exponent', () => {
  let env: Record<string, string>;
  beforeAll(async () => {
    const rewrite = (body: string) => body.replaceAll(/"(amount|capturedAmount)":10\.5,/g, '"$1":1.05E1,');
    env = { PAYDESK_BASE_URL: await rewriteAnswers(desk.sandbox, rewrite) };
  });

  it('has them written out for people, and left alone in JSON', async () => {
    const { paymentId } = await desk.paid();
    const run = (verb: string, ...flags: string[]) => desk.run(verb, [paymentId, ...flags], { env });
    expect((await run('get')).stdout).toContain('EUR 10.50');
    expect((await run('get', '--json')).stdout).toMatch(/"amount": ?1\.05E1,/);
    expect((await run('explain')).stdout).toContain('The customer has paid EUR 10.50.');
    expect((await run('explain', '--as-reply')).stdout).toContain('your payment of EUR 10.50 from');
    expect((await run('explain', '--as-reply', '--lang', 'de')).stdout).toContain('10,50\u{a0}€');
    const { stdout } = await run('refund', '--dry-run');
    expect(stdout).toContain('Refund EUR 10.50 of payment');
  });
});
