// Who listens for an app. Its secret is part of the address that webhooks are sent to, and stays the same, so that
// payments that were created with that address still reach it after a restart.

import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { ListenerRow } from '../../ledger/inbox-schema.js';
import type { DeskTables } from '../../ledger/schema.js';
import type { Store } from '../../store/store.js';

/** Which app of which service, whatever the profile is called. */
export interface AppPlace {
  baseUrl: string;
  appId: string;
}

const SECRET_BYTES = 24;

export async function findListener(
  db: Kysely<DeskTables>,
  { baseUrl, appId }: AppPlace,
): Promise<ListenerRow | undefined> {
  return db
    .selectFrom('listeners')
    .selectAll()
    .where('base_url', '=', baseUrl)
    .where('app_id', '=', appId)
    .executeTakeFirst();
}

/** The listener of an app; made when there is none yet. */
export async function openListener(store: Store<DeskTables>, place: AppPlace): Promise<ListenerRow> {
  const found = await findListener(store.db, place);
  if (found) return found;
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return store.transaction(async (tx) => {
    await tx
      .insertInto('listeners')
      .values({ base_url: place.baseUrl, app_id: place.appId, secret, time: Date.now() })
      .onConflict((conflict) => conflict.columns(['base_url', 'app_id']).doNothing())
      .execute();
    return (await findListener(tx, place)) as ListenerRow;
  });
}
