import { scalarText } from '../../contract/json.js';
import { followCharge } from '../../payments/charge-outcome.js';
import type { CreatedPayment } from '../../payments/send-create.js';
import type { RequestKind } from '../../payments/differences.js';
import { createPayment } from '../../payments/create-payment.js';
import { idOf, stateOf } from '../../payments/named-payments.js';
import { amountValue, draftRequest } from '../../payments/payment-draft.js';
import { UsageError } from '../../errors.js';
import { parseInstant } from '../../typed-values.js';
import type { Inputs } from '../schema.js';
import type { World } from '../world.js';
import type { StepResult } from './result.js';

const RETURN_URL = 'https://shop.example/thanks';

export async function createStep(world: World, input: Inputs['create'], as: string): Promise<StepResult> {
  const kind = input.flow ?? 'hosted-page';
  const { created, read } = await make(world, kind, as, {
    ...input,
    expires: input.expires && parseInstant(input.expires, new Date(world.desk.clock.now())),
    // A plain payment has no page to return from.
    'return-url': input['return-url'] ?? (kind === 'plain' ? undefined : RETURN_URL),
  });
  const id = idOf(read);
  return {
    payments: [`id:${id}`],
    value: read.object,
    created,
    outcome: 'done',
    summary: `payment ${id}, ${stateOf(read)}`,
  };
}

export async function chargeStep(world: World, input: Inputs['charge'], as: string): Promise<StepResult> {
  const { created, read } = await make(world, 'charge', as, input);
  const wanted = { autoCapture: input['auto-capture'] ?? true, wait: input.wait ?? false };
  const end = await followCharge(world.desk, read, wanted);
  const id = idOf(read);
  return {
    payments: [`id:${id}`],
    value: end.read.object,
    created,
    outcome: end.outcome,
    error: end.error,
    summary: `payment ${id}, ${stateOf(end.read)}`,
  };
}

async function make(
  { desk, newReference }: World,
  kind: RequestKind,
  as: string,
  input: Record<string, unknown> & { amount: number | string },
): Promise<CreatedPayment> {
  const flags = Object.fromEntries(
    Object.entries(input).map(([flag, value]) => [flag, numericFlags.has(flag) ? numbersOf(value) : value]),
  );
  const isNew = flags['reference'] === undefined;
  const reference = isNew ? newReference(as) : String(flags['reference']);
  const customer = String(flags['customer']);
  const amount = amountValue(String(input.amount));
  const orderId = scalarText(flags['order-id']);
  const given = { ...flags, reference, customer, amount, 'order-id': orderId };
  const { body, bad, missing } = draftRequest(kind, { flags: given });
  const details = [...bad, ...missing.map(({ input: name, problem }) => ({ input: name, problem }))];
  const problems = details.map(({ input: name, problem }) => `${name.replace(/^--/, '')} ${problem}`);
  if (details.length > 0)
    throw new UsageError(`Invalid step: ${problems.join('; ')}. Nothing was sent.`, {
      code: 'usage',
      saysNothingSent: true,
      details,
    });
  const made = await createPayment(
    desk,
    { kind, body: { ...body, referenceId: reference }, isNew, dryRun: false },
    { why: whyOf(flags), confirm: async () => {} },
  );
  return made as CreatedPayment;
}

const numericFlags = new Set(['provider-profile', 'offer-profile', 'fraud-policy', 'method-id']);

function numbersOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(Number);
  return value === undefined ? undefined : Number(value);
}

function whyOf(flags: Record<string, unknown>) {
  return {
    reason: scalarText(flags['reason']),
    ticket: scalarText(flags['ticket']),
    description: scalarText(flags['description']),
  };
}
