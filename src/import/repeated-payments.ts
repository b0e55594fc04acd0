// Rows of a file that give a payment another order than an earlier row. A payment is kept with one order, so such a row would
// replace what the file said before. In a database file of its own, so that a million rows need no memory.

import { sql } from 'kysely';
import type { Migration, Store } from '../store/store.js';
import { openTemporaryStore } from '../store/temporary-store.js';
import type { OrderRow } from './order-rows.js';

interface Tables {
  orders: { payment: string; line: number; order_id: string };
  repeated: { line: number; first_line: number };
}

const migrations: Migration[] = [
  {
    name: 'rows',
    async up(db) {
      await sql`create table orders (payment text primary key, line integer not null,
        order_id text not null) without rowid`.execute(db);
      await sql`create table repeated (line integer primary key, first_line integer not null)`.execute(db);
    },
  },
];

interface RepeatedPayments {
  /** Takes the rows of the file, in their order. */
  add(rows: readonly OrderRow[]): Promise<void>;
  /** The rows, each with the line that has its payment with another order, if one does. */
  mark(rows: readonly OrderRow[]): Promise<OrderRow[]>;
  close(): Promise<void>;
}

export function createRepeatedPayments(): RepeatedPayments {
  /** Opened for the first order. */
  let store: Store<Tables> | undefined;
  return {
    async add(rows) {
      const orders = rows.flatMap(({ line, name, order: { orderId } }) =>
        orderId === undefined ? [] : [[JSON.stringify(name.key), line, orderId]],
      );
      if (orders.length === 0) return;
      store ??= await openTemporaryStore<Tables>('paydesk-import-', migrations);
      const values = JSON.stringify(orders);
      await store.transaction(async (tx) => {
        await sql`insert or ignore into orders
          select value ->> 0, value ->> 1, value ->> 2 from json_each(${values})`.execute(tx);
        await sql`insert into repeated select rows.value ->> 1, orders.line from json_each(${values}) as rows
          join orders on orders.payment = rows.value ->> 0
          where orders.order_id <> rows.value ->> 2`.execute(tx);
      });
    },

    async mark(rows) {
      const [first, last] = [rows[0]?.line, rows.at(-1)?.line];
      if (store === undefined || first === undefined || last === undefined) return [...rows];
      const { rows: found } = await sql<Tables['repeated']>`select line, first_line from repeated
        where line between ${first} and ${last}`.execute(store.db);
      if (found.length === 0) return [...rows];
      const lines = new Map(found.map(({ line, first_line }) => [line, first_line]));
      return rows.map((row) => ({ ...row, otherOrderOn: lines.get(row.line) }));
    },

    async close() {
      await store?.close();
    },
  };
}
