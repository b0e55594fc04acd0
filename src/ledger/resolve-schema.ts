// Where a guided session stands, so that it can be left and taken up again.

import { type Generated, type Selectable } from 'kysely';
import { idColumn } from '../store/columns.js';
import type { Migration } from '../store/store.js';

interface ResolveSessionTable {
  id: Generated<number>;
  app_id: string;
  operator: string;
  time: number;
  /** For every payment that has none of its own. */
  ticket: string | null;
  reason: string | null;
  /** 1 once it was gone through, or another was begun. */
  ended: number;
}

/**
 * How a payment was left. `open`: not gone through yet. `done`: something was done, and it needs nothing more. `attention`
 * and `in-progress`: something was done, and it is not over. `left`: nothing was done, and nothing had to be.
 */
export type ItemStatus = 'open' | 'done' | 'attention' | 'in-progress' | 'left' | 'skipped' | 'not-found';

/** A payment of a session, in the order in which they are gone through. */
interface ResolveItemTable {
  id: Generated<number>;
  session_id: number;
  /** As it was named. */
  typed: string;
  payment_id: string | null;
  status: ItemStatus;
  before_state: string | null;
  after_state: string | null;
  /** What was done to it, with commas between. */
  actions: string;
  ticket: string | null;
  reason: string | null;
}

export interface ResolveTables {
  resolve_sessions: ResolveSessionTable;
  resolve_items: ResolveItemTable;
}

export type ResolveSessionRow = Selectable<ResolveSessionTable>;
export type ResolveItemRow = Selectable<ResolveItemTable>;

export const createResolveTables: Migration['up'] = async (db) => {
  await db.schema
    .createTable('resolve_sessions')
    .addColumn('id', ...idColumn(db))
    .addColumn('app_id', 'text', (column) => column.notNull())
    .addColumn('operator', 'text', (column) => column.notNull())
    .addColumn('time', 'bigint', (column) => column.notNull())
    .addColumn('ticket', 'text')
    .addColumn('reason', 'text')
    .addColumn('ended', 'integer', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('resolve_sessions_open')
    .on('resolve_sessions')
    .columns(['app_id', 'operator', 'ended', 'id'])
    .execute();
  await db.schema
    .createTable('resolve_items')
    .addColumn('id', ...idColumn(db))
    .addColumn('session_id', 'bigint', (column) => column.notNull())
    .addColumn('typed', 'text', (column) => column.notNull())
    .addColumn('payment_id', 'text')
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('before_state', 'text')
    .addColumn('after_state', 'text')
    .addColumn('actions', 'text', (column) => column.notNull())
    .addColumn('ticket', 'text')
    .addColumn('reason', 'text')
    .execute();
  await db.schema
    .createIndex('resolve_items_of_session')
    .on('resolve_items')
    .columns(['session_id', 'id'])
    .execute();
};
