// A first scenario from a few answers: it is run once, so that it expects what really happens.

import type { cardNames } from '../sandbox/index.js';
import { readScenario } from './read.js';
import type { RecordedStep } from './record.js';
import { runScenario } from './run.js';
import { referenceText } from './references.js';
import { writeScenario } from './write.js';
import type { World } from './world.js';

export const nextMoves = ['nothing', 'capture', 'cancel', 'refund', 'unhold', 'recheck'] as const;

interface DraftAnswers {
  name: string;
  amount: string;
  currency: string;
  card: (typeof cardNames)[number];
  /** What the merchant does once the customer has paid. */
  next: (typeof nextMoves)[number];
}

const payment = '${order}';

function stepsOf({ amount, currency, card, next }: DraftAnswers): Array<Record<string, unknown>> {
  const later = next === 'capture' ? { 'auto-capture': false } : {};
  const move = next === 'recheck' ? { payment } : { payment, wait: true };
  return [
    { create: { amount: Number(amount), currency, customer: 'c_1', ...later }, as: 'order' },
    { pay: { payment, card } },
    ...(next === 'nothing' ? [] : [{ [next]: move }]),
  ];
}

/** `openWorld` opens the world in which it is tried; the file expects what happened there. */
export async function draftScenario(
  answers: DraftAnswers,
  { clock, openWorld }: { clock: number; openWorld: () => Promise<World> },
): Promise<string> {
  const steps = stepsOf(answers);
  const at = (step: Record<string, unknown>): RecordedStep => ({ time: clock, step });
  const ends: End[] = [];
  for (let length = 1; length <= steps.length; length++) {
    const text = writeScenario(answers.name, steps.slice(0, length).map(at));
    ends.push(await endAfter(text, await openWorld()));
  }
  const expecting = steps.map((step, index) => at({ ...step, expect: ends[index] }));
  return writeScenario(answers.name, expecting);
}

interface End {
  state: string;
  /** Absent where the step ends well. */
  exit?: number;
}

/** How the last of the steps ends. */
async function endAfter(text: string, world: World): Promise<End> {
  try {
    const { scenario } = readScenario('draft', text);
    if (!scenario) throw new Error('the draft cannot be read');
    const { failure } = await runScenario(scenario, world, 1);
    const { paymentState } = await world.look('order-1');
    const exit = failure?.error?.exit;
    return { state: referenceText(paymentState), ...(exit === undefined ? {} : { exit }) };
  } finally {
    await world.close();
  }
}
