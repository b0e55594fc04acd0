// What stands between a ledger that cannot be trusted and real money.

import { GuardError } from '../errors.js';
import type { LedgerPlace } from '../ledger/place/ledger-place.js';
import { joinPieces, toned, type Line } from '../output/lines.js';
import { problemText, riskText, type LedgerProblem } from '../output/views/ledger-place.js';
import type { Environment } from '../profiles/paths.js';
import type { Program } from './program.js';

export interface LedgerGuard {
  program: Program;
  env: Environment;
  note: (...lines: Line[]) => void;
}

/** Refuses to go on with a live app where the ledger may not know what was sent; elsewhere a warning will do. */
export async function checkLedgerPlace(
  place: LedgerPlace,
  isLive: boolean,
  guard: LedgerGuard,
): Promise<void> {
  const problem = isLive ? await ledgerProblem(place, guard) : await place.problem();
  if (problem === undefined) return;
  const found = problemText(problem, place.ledger);
  if (!isLive) {
    const hint = 'A live app would be refused. If this is intended, run: paydesk ledger adopt';
    return guard.note(joinPieces(toned('waiting', 'Warning:'), ` ${found} ${hint}`));
  }
  throw new GuardError(`${found} Nothing was sent.`, {
    code: problem,
    details: `${riskText(problem)} If this is intended, adopt the ledger.`,
    next: ['paydesk ledger adopt'],
  });
}

/** Everything that can be wrong, locks included. They are probed every time: a file system can be remounted. */
export async function ledgerProblem(
  place: LedgerPlace,
  guard: Pick<LedgerGuard, 'program' | 'env'>,
): Promise<LedgerProblem | undefined> {
  const [problem, locked] = await Promise.all([place.problem(), locksWork(place, guard)]);
  return problem ?? (locked ? undefined : 'ledger-locks');
}

/** Always on PostgreSQL. */
export async function locksWork(
  place: LedgerPlace,
  { program, env }: Pick<LedgerGuard, 'program' | 'env'>,
): Promise<boolean> {
  if (!place.embedded || place.adoptedWithoutLocks()) return true;
  const { probeLocks } = await import('../store/lock-probe.js');
  const others = Object.entries(env).filter(([name]) => !name.startsWith('PAYDESK_'));
  return probeLocks(place.ledger, [...program.self, 'ledger', 'lock-probe'], Object.fromEntries(others));
}
