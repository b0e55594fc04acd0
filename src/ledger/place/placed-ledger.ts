import type { DeskDatabase } from '../desk.js';
import { createLedgerPlace, type LedgerPlace, type PlaceOptions } from './ledger-place.js';

/** A desk's database that knows where it belongs. */
export interface PlacedDatabase extends DeskDatabase {
  readonly place: LedgerPlace;
}

/** Notes each new intent beside the profiles before it is sent, so that an older copy of the ledger is recognised. */
export function placeDatabase(database: DeskDatabase, options: PlaceOptions): PlacedDatabase {
  const { store, ledger } = database;
  const place = createLedgerPlace(store, options);
  return {
    store,
    place,
    ledger: {
      ...ledger,
      async open(...asked) {
        const opening = await ledger.open(...asked);
        if (opening.kind === 'opened') await place.mark(opening.intent);
        return opening;
      },
    },
    async close() {
      place.close();
      await database.close();
    },
  };
}
