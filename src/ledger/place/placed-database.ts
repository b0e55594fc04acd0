import { StoreError } from '../../store/errors.js';
import type { LedgerDatabase } from '../database.js';
import type { ClockOptions } from '../clocks.js';
import { createLedgerPlace, type LedgerPlace, type Whereabouts } from './ledger-place.js';

/** A desk's database that knows where it belongs. */
export type Placed<Database extends LedgerDatabase> = Database & { readonly place: LedgerPlace };

/** Notes each new intent beside the profiles before it is sent, so that an older copy of the ledger is recognised. */
export function placeDatabase<Database extends LedgerDatabase>(
  database: Database,
  whereabouts: Whereabouts,
  clocks?: ClockOptions,
): Placed<Database> {
  const { store, ledger } = database;
  const place = createLedgerPlace(store, whereabouts, clocks);
  return {
    ...database,
    place,
    ledger: {
      ...ledger,
      async open(...asked) {
        refuseReplaced(place);
        const opening = await ledger.open(...asked);
        // Once more, because writing takes a while: what is noted must be in the file that is there now.
        refuseReplaced(place);
        if (opening.kind === 'opened') await place.mark(opening.intent);
        return opening;
      },
      async renew(intentId) {
        refuseReplaced(place);
        return ledger.renew(intentId);
      },
    },
    async close() {
      place.close();
      await database.close();
    },
  };
}

/** What is written to a file that was replaced is lost, and nobody would know what was sent. */
function refuseReplaced({ ledger, isInPlace }: LedgerPlace): void {
  if (isInPlace()) return;
  throw new StoreError('store-unavailable', `The file ${ledger} was replaced while it was in use.`);
}
