import { checkWebhooks, must } from './invariants.js';
import { create, again, charge, customer, endMethod, flood } from './creating.js';
import { createModelRun, isOver, type ModelRun } from './model-run.js';
import { burst, challenge, playNextStep, move, pay, provider } from './play.js';
import type { Step } from './steps.js';
import { createWorld, type Place } from './world.js';

/** Carries out the steps against a sandbox of their own, and checks it on the way and at the end. */
export async function runSteps(place: Place, steps: Step[]): Promise<void> {
  const world = await createWorld(place);
  try {
    const { body } = await world.control('GET', '/clock');
    const model = createModelRun(world, Date.parse((body as { now: string }).now));
    for (const step of steps) {
      await model.look();
      await take(model, step);
    }
    await settle(model);
    must(world.errors.length === 0, `the sandbox failed: ${world.errors.map(String).join('; ')}`);
  } finally {
    await world.close();
  }
}

async function take(model: ModelRun, step: Step): Promise<void> {
  switch (step.do) {
    case 'create':
      return create(model, step);
    case 'charge':
      return charge(model, step);
    case 'flood':
      return flood(model, step);
    case 'customer':
      return customer(model, step);
    case 'end-method':
      return endMethod(model, step);
    case 'app-policy': {
      const id = step.policy === undefined ? null : model.world.policyIds[step.policy];
      await model.world.changeApp({ fraudPolicyId: id });
      model.policyOfApp = step.policy;
      return;
    }
    case 'advance':
      await model.advance(step.ms);
      return model.absorbTime();
    case 'fault': {
      const { do: _, ...fault } = step;
      const { status } = await model.world.control('POST', '/faults', fault);
      must(status === 201, `the fault was answered with ${status}`);
      model.mayDrop ||= step.kind === 'webhook-drop';
      model.mayReorder ||= step.kind === 'webhook-reorder';
      return;
    }
    case 'clear':
      await model.world.control('DELETE', '/faults');
      return;
    case 'restart':
      if (await model.world.restart()) await unchanged(model);
      return;
    default:
      return onPayment(model, step);
  }
}

type PaymentStep = Extract<Step, { pick: number; customer?: never }>;

async function onPayment(model: ModelRun, step: PaymentStep): Promise<void> {
  const live = step.do === 'next-step' ? model.entries.filter((entry) => !isOver(entry)) : model.entries;
  const entry = live[step.pick % live.length];
  if (!entry) return;
  switch (step.do) {
    case 'again':
      return again(model, entry, step.differs);
    case 'pay':
      return pay(model, entry, step);
    case 'challenge':
      return challenge(model, entry, step.passed);
    case 'move':
      return move(model, entry, step.move);
    case 'next-step':
      return playNextStep(model, entry, step.choice);
    case 'provider':
      return provider(model, entry, step.answer);
    case 'burst':
      return burst(model, entry, step.card, step.members);
  }
}

async function unchanged(model: ModelRun): Promise<void> {
  await model.advance(0);
  for (const entry of model.entries) await model.absorb(entry, [[]]);
}

const LONG = 30 * 86_400_000;

/** The end of a run: no faults any more, everything has been delivered, and the whole is looked at again. */
async function settle(model: ModelRun): Promise<void> {
  const { world } = model;
  await world.control('DELETE', '/faults');
  await model.look();
  await model.advance(LONG);
  await model.absorbTime();
  for (const entry of model.entries) await model.absorb(entry, [[]]);
  const { body } = await world.control('GET', '/status');
  const status = body as { payments: number; webhooksWaiting: number };
  must(
    status.payments === model.entries.length,
    `${status.payments} payments, ${model.entries.length} expected`,
  );
  must(status.webhooksWaiting === 0, `${status.webhooksWaiting} webhooks still wait`);
  for (const { story, known } of model.entries) {
    checkWebhooks(story, world.receiver, model);
    for (const key of [
      String(story.payment.paymentId),
      `referenceId:${encodeURIComponent(known.reference)}`,
    ]) {
      const found = (await model.read(`/payments/${key}`)).body as Record<string, unknown>;
      must(found['paymentState'] === story.payment.paymentState, 'a read shows another state', story);
      must(found['capturedAmount'] === story.payment.capturedAmount, 'a read shows another amount', story);
    }
    const { status: answer } = await model.read(`/customers/${known.customer}`);
    must(answer === 200, `the customer ${known.customer} is not there`, story);
  }
  for (const name of model.methods.keys()) await model.refreshMethods(name);
}
