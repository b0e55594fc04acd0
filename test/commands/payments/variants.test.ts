import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnswerChoices, type AnswerName, answerVariants } from '../../../src/sandbox/answers.js';
import { createFlags, envOf, openTestDesk, payments, type TestDesk } from '../../helpers/desk.js';
import { newReference } from '../../helpers/sandbox.js';

// What concerns payments; how customers are answered is tried with their commands.
const names: AnswerName[] = [
  'repeated-reference',
  'operations',
  'errors',
  'auth',
  'statuses',
  'urls',
  'values',
  'states',
  'retry-after',
];
/** So many services that each variant is answered by one of them: the first by all defaults, the others all mixed. */
const services = Array.from(
  { length: Math.max(...names.map((name) => answerVariants[name].length)) },
  (_, at) =>
    Object.fromEntries(
      names.map((name) => [name, answerVariants[name][at % answerVariants[name].length]]),
    ) as Partial<AnswerChoices>,
);

describe.each(services)('with answers %j', (answers) => {
  let desk: TestDesk;
  beforeAll(async () => {
    desk = await openTestDesk({ answers });
  });
  afterAll(() => desk.sandbox.close());

  it('every command on payments works', async () => {
    const reference = newReference();
    for (const created of [true, false]) {
      const made = await desk.run('create', [...createFlags(reference), '--json']);
      expect(made.code).toBe(0);
      expect(made.json.created).toBe(created);
    }
    const flow = ['--flow', 'provider-hosted-page', '--provider-profile', '1'];
    const hosted = await desk.run('create', [...createFlags(newReference()), ...flow, '--json']);
    expect(hosted.json.created).toBe(true);
    expect((await desk.run('get', [reference])).code).toBe(0);

    const { paymentId } = await desk.paid();
    const refund = await desk.run('refund', [paymentId, '--wait', '--json']);
    expect(refund.json).toMatchObject({ before: 'Captured', after: 'Refunded', outcome: 'done' });
    expect(await desk.sandbox.books(paymentId)).toMatchObject({ refund: '1/1' });

    const reserved = await desk.authorised();
    const capture = await desk.run('capture', [reserved.paymentId, '--json']);
    expect(capture.code).toBe(0);
    expect(['accepted', 'done']).toContain(capture.json.outcome);
    const open = await desk.authorised();
    const cancel = await desk.run('cancel', [open.paymentId, '--wait', '--json']);
    expect(cancel.json).toMatchObject({ after: 'Cancelled', outcome: 'done' });

    const held = await desk.held();
    const unhold = await desk.run('unhold', [held.paymentId, '--json']);
    expect(unhold.code).toBe(0);
    const stuck = await desk.paid('unknown-charged');
    const recheck = await desk.run('recheck', [stuck.paymentId, '--json']);
    expect(recheck).toMatchObject({ code: 0 });
    expect(recheck.json.after).not.toBe('Processing');

    const customer = await desk.stored();
    const args = ['--customer', customer, '--amount', '3', '--reference', newReference(), '--json'];
    for (const created of [true, false]) {
      const charge = await desk.run('charge', args);
      expect(charge.code).toBe(0);
      expect(charge.json).toMatchObject({ created, payment: { paymentState: 'Captured' } });
    }
  });

  it('every failure keeps its exit code', async () => {
    expect((await desk.run('get', ['nowhere', '--json'])).code).toBe(1);
    const env = { ...envOf(desk.sandbox), PAYDESK_API_KEY: 'sk_wrong' };
    // Where a wrong key is answered with 404, it cannot be told from a payment that is not there.
    const wrongKey = answers.auth === 'not-found' ? 1 : 4;
    expect((await payments(env, 'get', ['nowhere', '--json'])).code).toBe(wrongKey);
    expect((await payments(env, 'create', [...createFlags(newReference()), '--json'])).code).toBe(wrongKey);
    const { paymentId } = await desk.paid();
    const refused = await desk.run('cancel', [paymentId, '--force', '--json']);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.json.outcome).toBe('refused');
    expect((await desk.run('cancel', [paymentId])).code).toBe(9);
    const currency = await desk.run('create', [
      ...createFlags(newReference(), { currency: 'XXZ' }),
      '--json',
    ]);
    expect(currency.code).toBe(1);
    await desk.fault({ kind: 'rate-limit', route: 'refund', next: 1 });
    expect((await desk.run('refund', [paymentId])).code).toBe(5);
  });
});
