// Protects live apps from a ledger that cannot be trusted.

import { commandText, paydesk } from '../../next-command.js';
import { GuardError } from '../../errors.js';
import type { LedgerPlace, PlaceProblem } from '../../ledger/place/ledger-place.js';
import { joinPieces, toned } from '../../output/lines.js';
import { problemText, riskText, type LedgerProblem } from '../../output/views/ledger-place.js';
import type { CommandContext } from '../runtime/context.js';
import { openLedgerAsIs } from './desk-database.js';

const adopt = paydesk('ledger', 'adopt');

/** Refuses a live app if the ledger may not know what was sent; on a sandbox it only warns. */
export async function checkLedgerPlace(
  context: CommandContext,
  place: LedgerPlace,
  isLive: boolean,
): Promise<void> {
  const problem = isLive ? await ledgerProblem(context, place) : await place.problem();
  if (problem === undefined) return;
  const found = problemText(problem, place.ledger);
  if (!isLive) {
    const hint = `A live app would be refused. If this is intended, run: ${commandText(adopt)}`;
    return context.note(joinPieces(toned('waiting', 'Warning:'), ` ${found} ${hint}`));
  }
  throw new GuardError(`${found} Nothing was sent.`, {
    code: problem,
    details: `${riskText(problem)} If this is intended, adopt the ledger.`,
    next: [adopt],
  });
}

/** Checks everything, locks included. Locks are tested every time: a file system can be remounted. */
export async function ledgerProblem(
  context: CommandContext,
  place: LedgerPlace,
  look: () => Promise<PlaceProblem | undefined> = place.problem,
): Promise<LedgerProblem | undefined> {
  const [problem, locked] = await Promise.all([look(), locksWork(context, place)]);
  return problem ?? (locked ? undefined : 'ledger-locks');
}

/** For `doctor`: why a live app would refuse the ledger. Nothing is changed by looking. */
export async function findLedgerWarning(
  context: CommandContext,
): Promise<{ message: string; fix: string } | undefined> {
  const { place, close } = await openLedgerAsIs(context.streams.env);
  try {
    const problem = await ledgerProblem(context, place, place.examine);
    if (problem === undefined) return undefined;
    return {
      message: `${problemText(problem, place.ledger)} A live app would be refused.`,
      fix: commandText(adopt),
    };
  } finally {
    await close();
  }
}

/** Always on PostgreSQL. */
async function locksWork({ program, streams }: CommandContext, place: LedgerPlace): Promise<boolean> {
  if (!place.embedded || place.adoptedWithoutLocks()) return true;
  const { probeLocks } = await import('../../store/lock-probe.js');
  const others = Object.entries(streams.env).filter(([name]) => !name.startsWith('PAYDESK_'));
  return probeLocks(place.ledger, [...program.self, 'ledger', 'lock-probe'], Object.fromEntries(others));
}
