import { checkWebhooks, must } from './invariants.js';
import { create, again, charge, customer, endMethod, flood } from './creating.js';
import { createDesk, isOver, type Desk } from './desk.js';
import { burst, challenge, goOn, move, pay, provider } from './play.js';
import type { Step } from './steps.js';
import { createWorld, type Place } from './world.js';

/** Carries out the steps against a sandbox of their own, and checks it on the way and at the end. */
export async function runSteps(place: Place, steps: Step[]): Promise<void> {
  const world = await createWorld(place);
  try {
    const { body } = await world.control('GET', '/clock');
    const desk = createDesk(world, Date.parse((body as { now: string }).now));
    for (const step of steps) {
      await desk.look();
      await take(desk, step);
    }
    await settle(desk);
    must(world.errors.length === 0, `the sandbox failed: ${world.errors.map(String).join('; ')}`);
  } finally {
    await world.close();
  }
}

async function take(desk: Desk, step: Step): Promise<void> {
  switch (step.do) {
    case 'create':
      return create(desk, step);
    case 'charge':
      return charge(desk, step);
    case 'flood':
      return flood(desk, step);
    case 'customer':
      return customer(desk, step);
    case 'end-method':
      return endMethod(desk, step);
    case 'app-policy': {
      const id = step.policy === undefined ? null : desk.world.policyIds[step.policy];
      await desk.world.changeApp({ fraudPolicyId: id });
      desk.policyOfApp = step.policy;
      return;
    }
    case 'advance':
      await desk.advance(step.ms);
      return desk.absorbTime();
    case 'fault': {
      const { do: _, ...fault } = step;
      const { status } = await desk.world.control('POST', '/faults', fault);
      must(status === 201, `the fault was answered with ${status}`);
      desk.mayDrop ||= step.kind === 'webhook-drop';
      desk.mayReorder ||= step.kind === 'webhook-reorder';
      return;
    }
    case 'clear':
      await desk.world.control('DELETE', '/faults');
      return;
    case 'restart':
      if (await desk.world.restart()) await unchanged(desk);
      return;
    default:
      return onPayment(desk, step);
  }
}

type PaymentStep = Extract<Step, { pick: number; customer?: never }>;

async function onPayment(desk: Desk, step: PaymentStep): Promise<void> {
  const live = step.do === 'go-on' ? desk.entries.filter((entry) => !isOver(entry)) : desk.entries;
  const entry = live[step.pick % live.length];
  if (!entry) return;
  switch (step.do) {
    case 'again':
      return again(desk, entry, step.differs);
    case 'pay':
      return pay(desk, entry, step);
    case 'challenge':
      return challenge(desk, entry, step.passed);
    case 'move':
      return move(desk, entry, step.move);
    case 'go-on':
      return goOn(desk, entry, step.choice);
    case 'provider':
      return provider(desk, entry, step.answer);
    case 'burst':
      return burst(desk, entry, step.card, step.members);
  }
}

async function unchanged(desk: Desk): Promise<void> {
  await desk.advance(0);
  for (const entry of desk.entries) await desk.absorb(entry, [[]]);
}

const LONG = 30 * 86_400_000;

/** The end of a run: no faults any more, everything has been delivered, and the whole is looked at again. */
async function settle(desk: Desk): Promise<void> {
  const { world } = desk;
  await world.control('DELETE', '/faults');
  await desk.look();
  await desk.advance(LONG);
  await desk.absorbTime();
  for (const entry of desk.entries) await desk.absorb(entry, [[]]);
  const { body } = await world.control('GET', '/status');
  const status = body as { payments: number; webhooksWaiting: number };
  must(
    status.payments === desk.entries.length,
    `${status.payments} payments, ${desk.entries.length} expected`,
  );
  must(status.webhooksWaiting === 0, `${status.webhooksWaiting} webhooks still wait`);
  for (const { story, known } of desk.entries) {
    checkWebhooks(story, world.receiver, desk);
    for (const key of [
      String(story.payment.paymentId),
      `referenceId:${encodeURIComponent(known.reference)}`,
    ]) {
      const found = (await desk.read(`/payments/${key}`)).body as Record<string, unknown>;
      must(found['paymentState'] === story.payment.paymentState, 'a read shows another state', story);
      must(found['capturedAmount'] === story.payment.capturedAmount, 'a read shows another amount', story);
    }
    const { status: answer } = await desk.read(`/customers/${known.customer}`);
    must(answer === 200, `the customer ${known.customer} is not there`, story);
  }
  for (const name of desk.methods.keys()) await desk.refreshMethods(name);
}
