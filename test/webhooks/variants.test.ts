import { describe, expect, it } from 'vitest';
import { answerVariants } from '../../src/sandbox/answers.js';
import { startReceiver, startTestSandbox } from '../helpers/sandbox.js';
import { openHookDesk } from './hook-desk.js';

/** What a body says beyond which payment it is about. */
const saysState = (variant: string) => ['full', 'nested', 'form'].includes(variant);

describe.each(answerVariants['webhook-body'])('with webhooks of the kind %s', (variant) => {
  it('payments are found, read and passed on as they came', async () => {
    const sandbox = await startTestSandbox({ answers: { 'webhook-body': variant } });
    const handler = await startReceiver();
    const desk = await openHookDesk(sandbox);
    const listener = await desk.listen({ to: [handler.url] });
    const { paymentId, referenceId } = await sandbox.create({ webhookUrl: listener.url });
    await sandbox.pay(paymentId);
    await sandbox.settle();
    const all = await listener.waitFor(4);
    expect(all.map((delivery) => [delivery.paymentId, delivery.referenceId])).toEqual(
      all.map(() => [String(paymentId), referenceId]),
    );
    expect(all.at(-1)).toMatchObject({
      state: 'Captured',
      saidState: saysState(variant) ? 'Captured' : null,
      forwards: [{ status: 200 }],
    });
    expect(all.some(({ verdict }) => verdict === 'duplicate')).toBe(false);
    expect(handler.requests).toHaveLength(4);
    await desk.close();
    await handler.close();
    await sandbox.close();
  });
});

it('a state that only the service knows is shown by its own name, and nothing is guessed of it', async () => {
  const sandbox = await startTestSandbox({ answers: { states: 'other' } });
  const desk = await openHookDesk(sandbox);
  const listener = await desk.listen();
  const { paymentId } = await sandbox.create({ webhookUrl: listener.url, autoCapture: false });
  await listener.waitFor(1);
  await sandbox.pay(paymentId);
  await sandbox.settle();
  const all = await listener.waitFor(2);
  expect(all.at(-1)).toMatchObject({ state: 'Authorized', saidState: 'Authorized', verdict: 'changed' });
  await desk.close();
  await sandbox.close();
});
