// Progress of guided sessions: written after every step, so that one can be resumed.

import type { AppRef } from '../ledger/payment-ref.js';
import type { DeskTables } from '../ledger/schema.js';
import type { ResolveItemRow, ResolveSessionRow } from '../ledger/resolve-schema.js';
import type { Store } from '../store/store.js';

export interface ResolveSession extends ResolveSessionRow {
  items: ResolveItemRow[];
}

type ItemProgress = Partial<Omit<ResolveItemRow, 'id' | 'session_id' | 'typed'>>;

/** Why something is done: goes into the ledger. */
export interface Why {
  reason: string | undefined;
  ticket: string | undefined;
}

export interface Sessions {
  /** The last session that was not finished, if there is one. */
  unfinished(): Promise<ResolveSession | undefined>;
  /** Starts a session; those that were not finished are kept. */
  start(typed: readonly string[], why: Why, now: number): Promise<ResolveSession>;
  /** What is given when a session is resumed replaces what was given before. */
  setWhy(session: ResolveSession, why: Why): Promise<void>;
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

    async start(typed, { ticket = null, reason = null }, now) {
      const session = await store.transaction(async (tx) => {
        const row = { ...owner, time: now, ended: 0, ticket, reason };
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
              ticket: null,
              reason: null,
            })
            .execute();
        }
        return { ...row, id };
      });
      return { ...session, items: await itemsOf(session.id) };
    },

    async setWhy(session, { ticket = session.ticket, reason = session.reason }) {
      Object.assign(session, { ticket, reason });
      await store.transaction(async (tx) => {
        await tx
          .updateTable('resolve_sessions')
          .set({ ticket, reason })
          .where('id', '=', session.id)
          .execute();
      });
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
