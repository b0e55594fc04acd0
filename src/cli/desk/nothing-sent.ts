import { paydesk } from '../../next-command.js';
import { isUnavailable, TemporaryError } from '../../errors.js';

/** For work that sends nothing: a database that is away is temporary, and the same command is safe to run again. */
export async function sendingNothing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    throw new TemporaryError(`${error.message} Nothing was sent.`, {
      code: 'ledger-unavailable',
      saysNothingSent: true,
      cause: error,
      next: [paydesk('doctor')],
    });
  }
}
