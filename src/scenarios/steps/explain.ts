import { parsePayment } from '../../payments/named-payments.js';
import { followPayment } from '../../payments/follow-payment.js';
import { idOf, stateOf } from '../../payments/named-payments.js';
import { explainAll, type Explanation } from '../../support/explain.js';
import { createRecords } from '../../support/records.js';
import type { Inputs } from '../schema.js';
import type { World } from '../world.js';
import type { StepResult } from './result.js';

/** Where a payment stands, by the service and by the desk of the scenario. */
export async function explainPayment(
  { desk, database, steady }: World,
  payment: string,
): Promise<Explanation> {
  const { client, app, clock, quietMs, sandboxQuietMs } = desk;
  const records = createRecords(database.store, app, () => clock.now());
  const [explained] = await explainAll(client, [parsePayment(payment)], Promise.resolve(records), {
    now: clock.now(),
    quietMs,
    sandboxQuietMs,
    profile: app.profile,
    checkBoth: true,
    ...(steady && { steady: steady() }),
  });
  if (!explained || 'error' in explained) throw explained?.error ?? new Error(`${payment} was not explained`);
  return explained.explanation;
}

export async function explainStep(world: World, { payment }: Inputs['explain']): Promise<StepResult> {
  const explanation = await explainPayment(world, String(payment));
  return {
    payments: [String(payment)],
    value: explanation.payment,
    explanation,
    summary: explanation.verdict,
  };
}

export async function watchStep({ desk }: World, { payment, until }: Inputs['watch']): Promise<StepResult> {
  const { key } = parsePayment(String(payment));
  const start = await desk.client.getPayment(key);
  const { read, error } = await followPayment(desk, start, until);
  return {
    payments: [`id:${idOf(read)}`],
    value: read.object,
    error,
    summary: `${stateOf(start)} → ${stateOf(read)}`,
  };
}
