// The one table of what becomes of an instruction. The matrix test holds the program to it, and docs/outcomes.md is
// made from it.

import type { SettleOperation } from '../../../src/contract/states.js';
import type { Outcome } from '../../../src/ledger/moves/operations.js';
import { answers, namings, recheckKinds, type AnswerKind, type Treatment } from './odd-service.js';

/** What the reads after the answer show. */
export type Shows = 'proof' | 'difference' | 'nothing';

export interface Ending {
  outcome: Outcome;
  exit: number;
}

/** How the same instruction is sent again, after the quiet period and for a payment exactly as it was. */
export type Way = 'plain' | 'resend';

interface Rule {
  answers: readonly AnswerKind[];
  /** Where the reads show no difference. */
  nothing: Ending;
  way: Way;
}

const accepted: Ending = { outcome: 'accepted', exit: 0 };
const done: Ending = { outcome: 'done', exit: 0 };
const unknown: Ending = { outcome: 'unknown', exit: 6 };

/** What proves it or differs says the same whatever the answer was. */
export const endingOfReads: Record<Exclude<Shows, 'nothing'>, (verb: SettleOperation) => Ending> = {
  proof: (verb) => (verb === 'unhold' ? done : accepted),
  difference: () => unknown,
};

export const rules: readonly Rule[] = [
  { answers: ['200 with the payment', '204'], nothing: accepted, way: 'resend' },
  { answers: ['400', '404', '422'], nothing: { outcome: 'refused', exit: 1 }, way: 'plain' },
  { answers: ['401', '403'], nothing: { outcome: 'refused', exit: 4 }, way: 'plain' },
  { answers: ['425', '429'], nothing: { outcome: 'unsent', exit: 5 }, way: 'plain' },
  {
    answers: ['200 that says failed', '408', '409', '500', '503', 'cut connection', 'timeout'],
    nothing: unknown,
    way: 'resend',
  },
];

export function ruleFor(answer: AnswerKind): Rule {
  return rules.find((rule) => rule.answers.includes(answer)) as Rule;
}

export function showsOf(cell: Treatment): Shows {
  return isShown(cell) ? (cell.names === 'ours' ? 'proof' : 'difference') : 'nothing';
}

function isShown({ verb, names, committed, lagging, recheck, answer }: Treatment): boolean {
  if (!committed) return false;
  if (!lagging) return true;
  // The answer itself shows the payment under way, or in a state that nobody knows. That it is at its end, as after an
  // unhold, only a read proves.
  if (answer === '200 with the payment') return verb !== 'unhold' || names !== 'ours';
  // A success is believed without a recheck.
  return answer !== '204' && recheck === 'fresh';
}

export function endingOf(cell: Treatment): Ending & { shows: Shows } {
  const shows = showsOf(cell);
  const ending = shows === 'nothing' ? ruleFor(cell.answer).nothing : endingOfReads[shows](cell.verb);
  return { ...ending, shows };
}

export const verbs: readonly SettleOperation[] = ['capture', 'cancel', 'refund', 'unhold'];

export function allCells(): Treatment[] {
  const both = [true, false];
  return verbs.flatMap((verb) =>
    answers.flatMap((answer) =>
      both.flatMap((committed) =>
        both.flatMap((lagging) =>
          recheckKinds.flatMap((recheck) =>
            namings.map((names) => ({ verb, answer, committed, lagging, recheck, names })),
          ),
        ),
      ),
    ),
  );
}

/**
 * An eighth of them: every combination of answer, commit, lag and recheck, which decide the outcome, and whatever three
 * of the six things are chosen, a cell that has them all.
 */
export function eighthOfTheCells(): Treatment[] {
  const isEven = (...numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0) % 2 === 0;
  return allCells().filter((cell) => {
    const answer = answers.indexOf(cell.answer);
    const many = [verbs.indexOf(cell.verb), answer, recheckKinds.indexOf(cell.recheck)];
    const [committed, lagging] = [Number(cell.committed), Number(cell.lagging)];
    const names = namings.indexOf(cell.names);
    return (
      isEven(...many, committed, lagging) &&
      isEven(...many.map((place) => place >> 1), committed, names) &&
      isEven(answer >> 2, committed, lagging, names)
    );
  });
}
