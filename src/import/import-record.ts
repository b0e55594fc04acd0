// How far an import got, in the desk's database: a run that was killed is continued by the next one.

import type { Kysely } from 'kysely';
import type { AppRef } from '../ledger/payment-ref.js';
import type { DeskTables } from '../ledger/schema.js';
import type { Store } from '../store/store.js';

export interface ImportCounts {
  created: number;
  changed: number;
  same: number;
  unknown: number;
  unreadable: number;
}

export interface ImportProblem {
  line: number;
  payment: string;
  problem: string;
}

export interface ImportRecord {
  /** Rows done before, and what they came to. */
  start(): Promise<{ rowsDone: number; counts: ImportCounts }>;
  save(
    tx: Kysely<DeskTables>,
    rowsDone: number,
    counts: ImportCounts,
    problems: readonly ImportProblem[],
  ): Promise<void>;
  problems(limit: number): Promise<ImportProblem[]>;
  /** The next run of the same file begins at its first row. */
  finish(): Promise<void>;
}

const noCounts: ImportCounts = { created: 0, changed: 0, same: 0, unknown: 0, unreadable: 0 };

export function createImportRecord(
  store: Store<DeskTables>,
  { appId }: AppRef,
  fingerprint: string,
  now: () => number,
): ImportRecord {
  const key = { app_id: appId, fingerprint };
  return {
    async start() {
      const row = await store.db
        .selectFrom('imports')
        .selectAll()
        .where((eb) => eb.and(key))
        .executeTakeFirst();
      if (!row) return { rowsDone: 0, counts: noCounts };
      const { created_count, changed_count, same_count, unknown_count, unreadable_count } = row;
      return {
        rowsDone: row.rows_done,
        counts: {
          created: created_count,
          changed: changed_count,
          same: same_count,
          unknown: unknown_count,
          unreadable: unreadable_count,
        },
      };
    },

    async save(tx, rowsDone, counts, problems) {
      const values = {
        rows_done: rowsDone,
        created_count: counts.created,
        changed_count: counts.changed,
        same_count: counts.same,
        unknown_count: counts.unknown,
        unreadable_count: counts.unreadable,
        time: now(),
      };
      await tx
        .insertInto('imports')
        .values({ ...key, ...values })
        .onConflict((conflict) => conflict.columns(['app_id', 'fingerprint']).doUpdateSet(values))
        .execute();
      if (problems.length === 0) return;
      await tx
        .insertInto('import_problems')
        .values(problems.map((problem) => ({ ...key, ...problem })))
        .onConflict((conflict) => conflict.columns(['app_id', 'fingerprint', 'line']).doNothing())
        .execute();
    },

    problems: (limit) =>
      store.db
        .selectFrom('import_problems')
        .select(['line', 'payment', 'problem'])
        .where((eb) => eb.and(key))
        .orderBy('line')
        .limit(limit)
        .execute(),

    finish: () =>
      store.transaction(async (tx) => {
        await tx
          .deleteFrom('imports')
          .where((eb) => eb.and(key))
          .execute();
        await tx
          .deleteFrom('import_problems')
          .where((eb) => eb.and(key))
          .execute();
      }),
  };
}

/** Removes the records of imports that nobody has continued since this time. The next run begins at the first row. */
export async function forgetImports(store: Store<DeskTables>, time: number): Promise<void> {
  const old = store.db.selectFrom('imports').select('fingerprint').where('time', '<', time).limit(1);
  if ((await old.executeTakeFirst()) === undefined) return;
  await store.transaction(async (tx) => {
    const removed = await tx
      .deleteFrom('imports')
      .where('time', '<', time)
      .returning(['app_id', 'fingerprint'])
      .execute();
    for (const key of removed) {
      await tx
        .deleteFrom('import_problems')
        .where((eb) => eb.and(key))
        .execute();
    }
  });
}
