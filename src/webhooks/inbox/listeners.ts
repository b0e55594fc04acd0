// Who listens for an app. Its secret is part of the address that webhooks are sent to, and stays the same, so that
// payments that were created with that address still reach it after a restart.

import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { ListenerRow } from '../../ledger/inbox-schema.js';
import type { AppRef } from '../../ledger/payment-ref.js';
import type { DeskTables } from '../../ledger/schema.js';
import type { Store } from '../../store/store.js';

const SECRET_BYTES = 24;

export async function findListener(
  db: Kysely<DeskTables>,
  { appId }: AppRef,
): Promise<ListenerRow | undefined> {
  return db.selectFrom('listeners').selectAll().where('app_id', '=', appId).executeTakeFirst();
}

/** The listener of an app; made when there is none yet. */
export async function openListener(store: Store<DeskTables>, app: AppRef): Promise<ListenerRow> {
  const found = await findListener(store.db, app);
  if (found) return found;
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return store.transaction(async (tx) => {
    await tx
      .insertInto('listeners')
      .values({ app_id: app.appId, secret, time: Date.now() })
      .onConflict((conflict) => conflict.column('app_id').doNothing())
      .execute();
    return (await findListener(tx, app)) as ListenerRow;
  });
}
