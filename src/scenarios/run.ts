// Runs one scenario to its end, or to the first step that does not end as expected.

import { isJsonObject, valueAtPath, type JsonValue } from '../contract/json.js';
import { exitCodeOf, firstLine, PaydeskError } from '../errors.js';
import { findMismatches, unexpectedEnd, type Mismatch } from './expectations.js';
import type { Position } from '../yaml/positions.js';
import type { ReadStep, Scenario } from './read.js';
import { replaceReferences, referenceText } from './references.js';
import type { Inputs, Verb } from './schema.js';
import type { StepResult } from './steps/result.js';
import { verbTable } from './steps/verbs.js';
import type { SandboxChange, World } from './world.js';

export interface ScenarioEvent {
  time: string;
  /** The step that it belongs to, from 1. */
  step: number;
  kind: 'step' | SandboxChange['kind'];
  payment?: string;
  text: string;
}

export interface StepFailure {
  step: number;
  position: Position;
  /** The verb, and what the scenario calls the result. */
  title: string;
  differences: Mismatch[];
  /** What the step ended with, where that is what went wrong. */
  error?: { code: string; message: string; exit: number };
}

export interface ScenarioResult {
  scenario: Scenario;
  seed: number;
  /** How many steps were made. */
  steps: number;
  failure: StepFailure | undefined;
  timeline: ScenarioEvent[];
}

export async function runScenario(scenario: Scenario, world: World, seed: number): Promise<ScenarioResult> {
  const timeline: ScenarioEvent[] = [];
  const names = new Map<string, JsonValue>();
  const done = (steps: number, failure?: StepFailure): ScenarioResult => ({
    scenario,
    seed,
    steps,
    failure,
    timeline,
  });
  for (const [index, step] of scenario.steps.entries()) {
    world.desk.signal.throwIfAborted();
    const number = index + 1;
    const known = withNames(step, names);
    const result = known.verb && (await makeStep(world, known, number));
    await world.settle();
    if (result) timeline.push(stepEntry(world, known, number, result));
    timeline.push(...(await world.changes()).map((entry) => changeEvent(entry, number)));
    if (step.as !== undefined) names.set(step.as, result?.value ?? null);
    // Only a step with a name of its own can refer to itself.
    const named = step.as === undefined ? known : withNames(step, names);
    const differences = await compare(world, named, result);
    if (differences.length > 0) return done(number, failureOf(known, number, differences, result));
  }
  return done(scenario.steps.length);
}

/** The step with the values of what earlier steps left behind. */
function withNames({ input, expects, ...step }: ReadStep, names: ReadonlyMap<string, JsonValue>): ReadStep {
  const lookup = (name: string, field: string | undefined) => {
    const value = names.get(name);
    return field === undefined ? nameOf(value) : valueAtPath(value, field);
  };
  return { ...step, input: replaceReferences(input, lookup), expects: replaceReferences(expects, lookup) };
}

/** A payment is named by its id, a customer by its own. */
function nameOf(value: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(value)) return value;
  const { paymentId, customerId } = value;
  if (paymentId !== undefined) return `id:${referenceText(paymentId)}`;
  return customerId ?? value;
}

async function makeStep(world: World, step: ReadStep, number: number): Promise<StepResult> {
  const { verb, input, as } = step as { verb: Verb; input: Inputs[Verb]; as: string | undefined };
  const row = verbTable[verb] as { run(world: World, input: unknown, as: string): Promise<StepResult> };
  try {
    return await row.run(world, input, as ?? `${verb}-${number}`);
  } catch (error) {
    if (!(error instanceof PaydeskError) || world.desk.signal.aborted) throw error;
    return { payments: paymentsOf(input), error, outcome: 'refused', summary: error.message };
  }
}

function paymentsOf(input: object): string[] {
  const named = 'payment' in input ? input.payment : undefined;
  if (named === undefined) return [];
  return (Array.isArray(named) ? named : [named]).map(String);
}

async function compare(
  world: World,
  { expects }: ReadStep,
  result: StepResult | undefined,
): Promise<Mismatch[]> {
  const differences = result ? unexpectedEnd(result, expects) : [];
  for (const expected of expects) differences.push(...(await findMismatches(world, result, expected)));
  return differences;
}

function titleOf({ verb, as, expects }: ReadStep): string {
  const subject = as ?? (verb === undefined ? expects[0]?.payment : undefined);
  return [verb ?? 'expect', subject].filter((word) => word !== undefined).join(' ');
}

function failureOf(
  step: ReadStep,
  number: number,
  differences: Mismatch[],
  result: StepResult | undefined,
): StepFailure {
  const error = result?.error;
  return {
    step: number,
    position: step.position,
    title: titleOf(step),
    differences,
    ...(error && { error: { code: error.code, message: error.message, exit: exitCodeOf(error) } }),
  };
}

function stepEntry(world: World, step: ReadStep, number: number, result: StepResult): ScenarioEvent {
  const exit = result.error === undefined ? '' : ` (exit ${exitCodeOf(result.error)})`;
  return {
    time: new Date(world.desk.clock.now()).toISOString(),
    step: number,
    kind: 'step',
    text: `${titleOf(step)}: ${firstLine(result.summary)}${exit}`,
  };
}

const changeEvent = ({ time, kind, payment, text }: SandboxChange, step: number): ScenarioEvent => ({
  time: new Date(time).toISOString(),
  step,
  kind,
  payment,
  text,
});
