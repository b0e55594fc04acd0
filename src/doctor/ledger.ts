import { dirname } from 'node:path';
import { isEmbedded } from '../ledger/database.js';
import { deskMigrations } from '../ledger/migrations.js';
import { storeFix } from '../errors.js';
import { writeProblem } from '../home-folder.js';
import { commandText } from '../next-command.js';
import type { StoreErrorReason } from '../store/errors.js';
import { inspectStore, StoreError } from '../store/store.js';
import { fail, pass, warn, type Check } from './check.js';

/** Why live apps cannot send with this ledger, although it is intact. */
export interface LedgerWarning {
  message: string;
  fix: string;
}

/** Whether the ledger can be read, is whole and is where it belongs: without it nobody knows what was sent. */
export async function checkLedger(
  location: string,
  findWarning: () => Promise<LedgerWarning | undefined>,
): Promise<Check> {
  const where = isEmbedded(location) ? location : 'in PostgreSQL';
  const unwritable = isEmbedded(location) ? writeProblem(dirname(location)) : undefined;
  if (unwritable) return fail('ledger', unwritable.message);
  try {
    const found = await inspectStore({ location, schema: 'paydesk_desk', migrations: deskMigrations });
    if (found.kind === 'absent') return pass('ledger', `There is no ledger yet; it will be ${where}.`);
    const warning = found.pending === 0 ? await findWarning() : undefined;
    if (warning) return warn('ledger', warning.message, warning.fix);
    const update = found.pending === 0 ? '' : ' The next command updates its format.';
    return pass('ledger', `The ledger ${where} is intact.${update}`);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const fix = storeFix(error).map((command) => commandText(command));
    return fail('ledger', error.message, fix.length === 0 ? adviceFor(error, location) : fix.join(' && '));
  }
}

/** What to do where no command helps. Only a damaged ledger is replaced: a backup lacks the newest instructions. */
function adviceFor({ code, reason }: StoreError, location: string): string | undefined {
  if (code === 'store-newer') return 'Update paydesk.';
  if (!isEmbedded(location)) return 'Start the database, or correct PAYDESK_DATABASE.';
  return reason && adviceByReason[reason];
}

const adviceByReason: Readonly<Record<StoreErrorReason, string>> = {
  damaged: 'Restore the ledger from a backup before you move money.',
  full: 'Free some space on the disk.',
  locked: 'Wait until the other process has ended.',
};
