import type { PlaceProblem } from '../../ledger/place/ledger-place.js';
import type { Line } from '../lines.js';

/** What can be wrong with where a ledger is. */
export type LedgerProblem = PlaceProblem | 'ledger-locks';

/** What was found, as a sentence. */
export function problemText(problem: LedgerProblem, ledger: string): string {
  switch (problem) {
    case 'ledger-missing':
      return `The ledger that this desk used is gone: ${ledger} is a new one.`;
    case 'ledger-moved':
      return `The ledger ${ledger} comes from another place: it is not the one that this desk used on this machine.`;
    case 'ledger-copied':
      return `The ledger ${ledger} is a copy of another file.`;
    case 'ledger-restored':
      return `The ledger ${ledger} was restored from an older copy: it lacks the newest instructions of this desk.`;
    default:
      return `File locks have no effect on ${ledger}: two paydesk processes could use it at the same moment.`;
  }
}

/** What could happen if it were used all the same. */
export function riskText(problem: LedgerProblem): string {
  switch (problem) {
    case 'ledger-locks':
      return 'Two processes could send the same instruction for the same payment.';
    case 'ledger-copied':
    case 'ledger-moved':
      return 'Instructions that were sent with the other ledger are not known to this one and could be sent again.';
    default:
      return 'Instructions that were sent before are not known to this ledger and could be sent again.';
  }
}

/** What `ledger adopt` did. */
export interface Adoption {
  /** The path of the file, or the address of the database. */
  ledger: string;
  adopted: boolean;
  problem: LedgerProblem | null;
  id?: string;
  formerId?: string;
}

/** Before it is adopted: what was found and what adopting means. */
export function adoptionLines(problem: LedgerProblem, ledger: string): Line[] {
  return [
    problemText(problem, ledger),
    riskText(problem),
    '',
    'If you adopt it:',
    '- paydesk uses it on live apps again. Make sure that no other copy of it is in use.',
    '- Plans that were made before cannot be applied any more. Make them again.',
    '- The quiet period of every instruction that is not done starts again.',
    ...(problem === 'ledger-locks'
      ? []
      : [
          '- Nothing is sent with it before one quiet period has passed: what was sent until now may not be in it.',
        ]),
    '',
  ];
}

export function adoptedView({ adopted, ledger }: Adoption): Line[] {
  return [adopted ? `Adopted ${ledger}.` : `${ledger} is in its usual place. There is nothing to adopt.`];
}
