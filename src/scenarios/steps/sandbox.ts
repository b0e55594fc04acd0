import type { Inputs } from '../schema.js';
import type { Actors, OwnSandbox, World } from '../world.js';
import type { StepResult } from './result.js';

/** A world without these was refused before the first step. */
function actorsOf({ actors }: World): Actors {
  if (!actors) throw new Error('This world has no sandbox: its needs were not checked.');
  return actors;
}

function ownOf({ own }: World): OwnSandbox {
  if (!own) throw new Error('This world has no sandbox of its own: its needs were not checked.');
  return own;
}

const nothing = (summary: string): StepResult => ({ payments: [], summary });

export async function payStep(world: World, { payment, ...input }: Inputs['pay']): Promise<StepResult> {
  const name = String(payment);
  await actorsOf(world).pay(name, input);
  const object = await world.look(name);
  const how = input.challenge === undefined ? (input.card ?? 'approved') : `challenge ${input.challenge}`;
  return { payments: [name], value: object, summary: how };
}

export async function providerStep(
  world: World,
  { payment, answer }: Inputs['provider'],
): Promise<StepResult> {
  const name = String(payment);
  await actorsOf(world).provider(name, answer);
  return { payments: [name], value: await world.look(name), summary: answer };
}

export async function clockStep(world: World, input: Inputs['clock']): Promise<StepResult> {
  await ownOf(world).clock(input);
  return nothing(input.set === undefined ? `advance ${input.advance}` : `set ${input.set}`);
}

export async function faultStep(world: World, input: Inputs['fault']): Promise<StepResult> {
  await ownOf(world).fault(input);
  const { add, route = '*', next } = input;
  return nothing(
    add === undefined ? 'cleared' : `${add} on ${route}${next === undefined ? '' : `, next ${next}`}`,
  );
}

export async function appStep(world: World, input: Inputs['app']): Promise<StepResult> {
  await ownOf(world).app(input);
  return nothing(
    Object.entries(input)
      .map(([key, value]) => `${key} ${value}`)
      .join(', '),
  );
}

export async function webhookStep(world: World, { handler }: Inputs['webhook']): Promise<StepResult> {
  await ownOf(world).sendWebhooksTo(handler);
  return nothing(`to ${handler}`);
}

export async function seedStep(world: World): Promise<StepResult> {
  await ownOf(world).seed();
  return nothing('sample payments');
}
