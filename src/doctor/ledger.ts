import { isEmbedded } from '../ledger/desk.js';
import { deskMigrations } from '../ledger/schema.js';
import { inspectStore, StoreError } from '../store/store.js';
import { fail, pass, type Check } from './check.js';

/** Whether the ledger can be read and is whole: without it nobody knows what was sent. */
export async function checkLedger(location: string): Promise<Check> {
  const where = isEmbedded(location) ? location : 'in PostgreSQL';
  try {
    const found = await inspectStore({ location, schema: 'paydesk_desk', migrations: deskMigrations });
    if (found.kind === 'absent') return pass('ledger', `There is no ledger yet; it will be ${where}.`);
    const update = found.pending === 0 ? '' : ' The next command updates its format.';
    return pass('ledger', `The ledger ${where} is intact.${update}`);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const fix = error.fix ?? 'Restore the ledger from a backup before you move money.';
    return fail('ledger', error.message, fix);
  }
}
