import { LedgerError, ProfileError, TemporaryError } from '../errors.js';
import { HomeError } from '../home-folder.js';
import { paydesk } from '../next-command.js';
import { StoreError } from '../store/errors.js';

/**
 * For work that needs the ledger and has sent nothing so far. A ledger that is away comes back, so the same command is safe
 * to run again. No other problem goes away by itself.
 */
export async function withLedger<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error instanceof HomeError) {
      throw new ProfileError(`Nothing was sent. ${error.message}`, { code: error.code, cause: error });
    }
    const text = `The ledger cannot be used. Nothing was sent. ${error.message}`;
    const next = [paydesk('doctor')];
    if (error.code !== 'store-unavailable') {
      throw new LedgerError(text, { code: error.code, saysNothingSent: true, cause: error, next });
    }
    throw new TemporaryError(text, {
      code: 'ledger-unavailable',
      saysNothingSent: true,
      cause: error,
      next,
    });
  }
}
