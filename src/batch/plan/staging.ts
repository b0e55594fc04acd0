// Rows of a plan while it is made: in a database file of its own, so that a million of them need no memory.

import { sql } from 'kysely';
import type { Migration, Store } from '../../store/store.js';
import { openTemporaryStore } from '../../store/temporary-store.js';
import type { SourceRow } from './csv-rows.js';
import type { Assessment, PlanRow } from './plan-row.js';

interface StagedTable {
  line: number;
  typed: string;
  /** The cells of the file, as JSON. */
  cells: string;
  payment_id: string | null;
  /** The assessment, as JSON. */
  assessment: string | null;
}

interface StagingTables {
  staged: StagedTable;
}

const migrations: Migration[] = [
  {
    name: 'staged',
    async up(db) {
      await db.schema
        .createTable('staged')
        .addColumn('line', 'integer', (column) => column.primaryKey())
        .addColumn('typed', 'text', (column) => column.notNull())
        .addColumn('cells', 'text', (column) => column.notNull())
        .addColumn('payment_id', 'text')
        .addColumn('assessment', 'text')
        .execute();
    },
  },
];

/** A line that names the same payment as an earlier one. */
interface Repeated {
  line: number;
  first: number;
  typed: string;
}

export interface Staging {
  add(rows: readonly SourceRow[]): Promise<void>;
  /** Puts rows in the place of those on the same lines. */
  replace(rows: readonly SourceRow[]): Promise<void>;
  /** Every row in order of its line, a page at a time. */
  pages(): AsyncGenerator<SourceRow[]>;
  assess(assessments: readonly Assessment[]): Promise<void>;
  /** Lines with the same name, or after all were read, with the same payment behind another name. */
  repeated(by: 'typed' | 'payment_id'): AsyncGenerator<Repeated>;
  /** The rows with what became of them, in order of their line. */
  planned(): AsyncGenerator<PlanRow>;
  /** The first rows that are neither acted on nor done already. */
  leftOut(limit: number): Promise<PlanRow[]>;
  close(): Promise<void>;
}

type StagingStore = Store<StagingTables>;

const PAGE_SIZE = 500;

export async function openStaging(): Promise<Staging> {
  return createStaging(await openTemporaryStore<StagingTables>('paydesk-plan-', migrations));
}

function createStaging(store: StagingStore): Staging {
  return {
    async add(rows) {
      const values = JSON.stringify(rows.map((row) => [row.line, row.typed, JSON.stringify(row)]));
      await store.transaction((tx) =>
        sql`insert into staged (line, typed, cells)
          select value ->> 0, value ->> 1, value ->> 2 from json_each(${values})`.execute(tx),
      );
    },

    async replace(rows) {
      const values = JSON.stringify(rows.map((row) => [row.line, JSON.stringify(row)]));
      await store.transaction((tx) =>
        sql`update staged set cells = given.value ->> 1
          from json_each(${values}) as given where staged.line = given.value ->> 0`.execute(tx),
      );
    },

    async *pages() {
      for await (const page of readPages(store))
        yield page.map(({ cells }) => JSON.parse(cells) as SourceRow);
    },

    async assess(assessments) {
      const values = JSON.stringify(
        assessments.map((each) => [each.line, each.payment ?? null, JSON.stringify(each)]),
      );
      await store.transaction((tx) =>
        sql`update staged set payment_id = given.value ->> 1, assessment = given.value ->> 2
          from json_each(${values}) as given where staged.line = given.value ->> 0`.execute(tx),
      );
    },

    repeated: (by) => findRepeated(store, by),

    async *planned() {
      for await (const page of readPages(store)) yield* page.map(planRow);
    },

    async leftOut(limit) {
      const { rows } = await sql<StagedTable>`
        select * from staged where assessment ->> 'verdict' not in ('act', 'done')
        order by line limit ${limit}`.execute(store.db);
      return rows.map(planRow);
    },

    close: () => store.close(),
  };
}

async function* readPages(store: StagingStore): AsyncGenerator<StagedTable[]> {
  for (let after = -1; ;) {
    const page = await store.db
      .selectFrom('staged')
      .selectAll()
      .where('line', '>', after)
      .orderBy('line')
      .limit(sql.lit(PAGE_SIZE))
      .execute();
    if (page.length > 0) yield page;
    if (page.length < PAGE_SIZE) return;
    after = page.at(-1)?.line ?? after;
  }
}

async function* findRepeated(store: StagingStore, by: 'typed' | 'payment_id'): AsyncGenerator<Repeated> {
  const column = sql.ref(by);
  await store.transaction((tx) =>
    sql`create index if not exists ${sql.ref(`staged_by_${by}`)} on staged (${column}, line)`.execute(tx),
  );
  for (let after = -1; ;) {
    const { rows } = await sql<Repeated>`
      select later.line, later.typed,
        (select min(line) from staged as first where first.${column} = later.${column}) as first
      from staged as later
      where later.line > ${after} and exists (
        select 1 from staged as earlier where earlier.${column} = later.${column} and earlier.line < later.line
      )
      order by later.line limit ${sql.lit(PAGE_SIZE)}`.execute(store.db);
    yield* rows;
    if (rows.length < PAGE_SIZE) return;
    after = rows.at(-1)?.line ?? after;
  }
}

function planRow({ cells, assessment }: StagedTable): PlanRow {
  const { amount, currency, ...row } = JSON.parse(cells) as SourceRow;
  const file = { ...(amount ? { amount } : {}), ...(currency ? { currency } : {}) };
  return {
    ...row,
    ...(JSON.parse(assessment ?? '{}') as Assessment),
    ...(Object.keys(file).length > 0 ? { file } : {}),
  };
}
