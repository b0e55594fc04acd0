// The tables of a comparison, in a database file of its own.

import { sql } from 'kysely';
import type { Migration, Store } from '../store/store.js';

export interface StagingTables {
  /** In the order of the file: several transactions of one XML entry have the same line. */
  candidates: {
    position: number;
    reference: string | null;
    payment: string | null;
    agrees: number;
    other_capture: number;
    /** Not the first line of its kind and payment. */
    is_second: number;
    candidate: string;
  };
  /** IDs and references of the payments with second lines, and parts of them. */
  names: { name: string; payment: string; is_part: number };
  /** The first line that may be about such a payment, and is not matched with it. */
  related: { payment: string; line: number };
  /** Of each amount, the last line without a payment or a reference. */
  unnamed: { currency: string; amount: string; day: string; line: number };
  /** References that the service was asked for in vain, and why. */
  asked: { reference: string; problem: string | null };
  exceptions: { position: number; exception: string };
}

export const stagingMigrations: Migration[] = [
  {
    name: 'staged',
    async up(db) {
      for (const statement of [
        sql`create table candidates (position integer primary key, reference text, payment text,
          agrees integer not null, other_capture integer not null, is_second integer not null,
          candidate text not null)`,
        sql`create index candidates_by_reference on candidates (reference) where reference is not null`,
        sql`create index candidates_by_payment on candidates (payment) where payment is not null`,
        sql`create index candidates_second on candidates (payment) where is_second`,
        sql`create table names (name text, payment text, is_part integer,
          primary key (name, payment, is_part)) without rowid`,
        sql`create table related (payment text primary key, line integer not null) without rowid`,
        sql`create table unnamed (currency text, amount text, day text not null, line integer not null,
          primary key (currency, amount)) without rowid`,
        sql`create table asked (reference text primary key, problem text) without rowid`,
        sql`create table exceptions (position integer primary key, exception text not null)`,
      ]) {
        await statement.execute(db);
      }
    },
  },
];

export type StagingStore = Store<StagingTables>;
export type StagingWrite = (statement: ReturnType<typeof sql>) => Promise<unknown>;
export const STAGING_PAGE_SIZE = 200;
