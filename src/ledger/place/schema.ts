import type { Migration } from '../../store/store.js';

/** Where this ledger was last known to be: one row once a desk has used it. All null on PostgreSQL but the ids. */
interface LedgerPlaceTable {
  /** The ids that it had before it was adopted, with spaces between them. */
  former_ids: string;
  machine: string | null;
  boot: string | null;
  device: string | null;
  inode: string | null;
}

export interface PlaceTables {
  ledger_place: LedgerPlaceTable;
}

export const createPlaceTable: Migration['up'] = async (db) => {
  await db.schema
    .createTable('ledger_place')
    .addColumn('former_ids', 'text', (column) => column.notNull())
    .addColumn('machine', 'text')
    .addColumn('boot', 'text')
    .addColumn('device', 'text')
    .addColumn('inode', 'text')
    .execute();
};
