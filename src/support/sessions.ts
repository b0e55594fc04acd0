// Progress of guided sessions: written after every step, so that one can be resumed.

import type { AppRef } from '../ledger/payment-ref.js';
import type { DeskTables } from '../ledger/schema.js';
import type { ResolveItemRow, ResolveSessionRow } from '../ledger/resolve-schema.js';
import type { Store } from '../store/store.js';

export interface ResolveSession extends ResolveSessionRow {
  items: ResolveItemRow[];
}

type ItemProgress = Pick<
  ResolveItemRow,
  'payment_id' | 'status' | 'before_state' | 'after_state' | 'actions'
>;

export interface Sessions {
  /** The last session that was not finished, if there is one. */
  unfinished(): Promise<ResolveSession | undefined>;
  /** Starts a session; an unfinished one is over. */
  start(typed: readonly string[], now: number): Promise<ResolveSession>;
  mark(item: ResolveItemRow, progress: ItemProgress): Promise<void>;
  end(session: ResolveSession): Promise<void>;
}

export function createSessions(store: Store<DeskTables>, whose: AppRef & { operator: string }): Sessions {
  const owner = { app_id: whose.appId, operator: whose.operator };
  const itemsOf = (id: number) =>
    store.db.selectFrom('resolve_items').selectAll().where('session_id', '=', id).orderBy('id').execute();

  return {
    async unfinished() {
      const session = await store.db
        .selectFrom('resolve_sessions')
        .selectAll()
        .where((eb) => eb.and({ ...owner, ended: 0 }))
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst();
      return session && { ...session, items: await itemsOf(session.id) };
    },

    async start(typed, now) {
      const session = await store.transaction(async (tx) => {
        await tx
          .updateTable('resolve_sessions')
          .set({ ended: 1 })
          .where((eb) => eb.and({ ...owner, ended: 0 }))
          .execute();
        const row = { ...owner, time: now, ended: 0 };
        const { id } = await tx
          .insertInto('resolve_sessions')
          .values(row)
          .returning('id')
          .executeTakeFirstOrThrow();
        for (const name of typed) {
          await tx
            .insertInto('resolve_items')
            .values({
              session_id: id,
              typed: name,
              payment_id: null,
              status: 'open',
              before_state: null,
              after_state: null,
              actions: '',
            })
            .execute();
        }
        return { ...row, id };
      });
      return { ...session, items: await itemsOf(session.id) };
    },

    async mark(item, progress) {
      Object.assign(item, progress);
      await store.transaction(async (tx) => {
        await tx.updateTable('resolve_items').set(progress).where('id', '=', item.id).execute();
      });
    },

    async end({ id }) {
      await store.transaction(async (tx) => {
        await tx.updateTable('resolve_sessions').set({ ended: 1 }).where('id', '=', id).execute();
      });
    },
  };
}
