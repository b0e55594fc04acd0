// Lines that need attention or are evidence, while the file is reconciled: in a database file of its own, so that a million
// of them need no memory.

import { type RawBuilder, sql } from 'kysely';
import { openTemporaryStore } from '../store/temporary-store.js';
import type { Exception } from './exception.js';
import type { SettlementLine } from './line.js';
import type { MatchedBy } from './match.js';
import {
  STAGING_PAGE_SIZE,
  stagingMigrations,
  type StagingStore,
  type StagingTables,
  type StagingWrite,
} from './staging-tables.js';
import { createStagedNames, type StagedNames } from './staged-names.js';

export interface CandidateMatch {
  paymentId: string;
  /** The number of the payment in the ledger. */
  knownId: number;
  by: MatchedBy;
  /** The IDs and references of the line that the payment does not have. */
  foreign: readonly string[];
}

/** A line that does not simply agree with a known payment, or has an ID that the payment does not have. */
export interface Candidate {
  line: SettlementLine;
  match: CandidateMatch | undefined;
  firstLine: number | undefined;
  /** Such a line needs no look. It is kept because of what it may say about other lines. */
  agrees?: true;
  /** It agrees but for the ID of its capture, which counts where the IDs of the file are capture IDs. */
  isOtherCapture?: true;
}

export interface CandidateStaging extends StagedNames {
  add(candidates: readonly Candidate[]): Promise<void>;
  /** Removes the lines and the exceptions, and keeps what the service was asked for. */
  clear(): Promise<void>;
  /** All lines that are kept, in order. */
  all(): AsyncGenerator<Candidate[]>;
  /** The lines that need attention, in order; on request also those with the ID of another capture. */
  pages(withOtherCaptures: boolean): AsyncGenerator<Candidate[]>;
  /** By payment, the first lines about it, at most `limit` of them. */
  linesOf(paymentIds: readonly string[], limit: number): Promise<Map<string, Candidate[]>>;
  /** References of lines without a payment that the service was not asked for yet, a page at a time. */
  openReferences(): AsyncGenerator<string[]>;
  noteAsked(answers: ReadonlyArray<{ reference: string; problem: string | undefined }>): Promise<void>;
  /** Undefined where the service was not asked; no problem where it has no such payment. */
  askedFor(references: readonly string[]): Promise<Map<string, { problem: string | undefined }>>;
  keep(exceptions: readonly Exception[]): Promise<void>;
  exceptions(): AsyncGenerator<Exception>;
  close(): Promise<void>;
}

export async function openCandidateStaging(): Promise<CandidateStaging> {
  return createStaging(await openTemporaryStore<StagingTables>('paydesk-reconcile-', stagingMigrations));
}

function createStaging(store: StagingStore): CandidateStaging {
  const write = (statement: ReturnType<typeof sql>) => store.transaction((tx) => statement.execute(tx));
  return {
    ...createLines(store, write),
    ...createAsked(store, write),
    ...createStagedNames(store, write),
    async keep(exceptions) {
      if (exceptions.length === 0) return;
      const rows = exceptions.map((each) => JSON.stringify(each));
      await write(
        sql`insert into exceptions (exception) select value from json_each(${JSON.stringify(rows)})`,
      );
    },

    async *exceptions() {
      for await (const page of readPages(store, 'exceptions', sql`true`)) {
        yield* page.map(({ exception }) => JSON.parse(exception) as Exception);
      }
    },

    close: () => store.close(),
  };
}

function createLines(
  store: StagingStore,
  write: StagingWrite,
): Pick<CandidateStaging, 'add' | 'clear' | 'all' | 'pages' | 'linesOf'> {
  let last = 0;
  return {
    async add(candidates) {
      if (candidates.length === 0) return;
      const rows = candidates.map((each) => [
        (last += 1),
        each.match === undefined ? (each.line.reference ?? null) : null,
        each.match?.paymentId ?? null,
        each.agrees === true ? 1 : 0,
        each.isOtherCapture === true ? 1 : 0,
        each.firstLine === undefined ? 0 : 1,
        JSON.stringify(each),
      ]);
      await write(sql`insert into candidates (position, reference, payment, agrees, other_capture, is_second, candidate)
        select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6
        from json_each(${JSON.stringify(rows)})`);
    },

    async clear() {
      for (const table of ['candidates', 'names', 'related', 'unnamed', 'exceptions'] as const)
        await write(sql`delete from ${sql.table(table)}`);
    },

    async *pages(withOtherCaptures) {
      const isAsked = withOtherCaptures ? sql`(not agrees or other_capture)` : sql`not agrees`;
      yield* candidatePages(store, isAsked);
    },

    all: () => candidatePages(store, sql`true`),

    async linesOf(paymentIds, limit) {
      const { rows } = await sql<{ payment: string; candidate: string }>`
        select ids.value as payment, lines.candidate from json_each(${JSON.stringify(paymentIds)}) as ids
        join candidates as lines on lines.position in (
          select position from candidates where payment = ids.value order by position limit ${sql.lit(limit)}
        ) order by lines.position`.execute(store.db);
      return Map.groupBy(
        rows.map((row) => JSON.parse(row.candidate) as Candidate),
        (each) => each.match?.paymentId ?? '',
      );
    },
  };
}

function createAsked(
  store: StagingStore,
  write: StagingWrite,
): Pick<CandidateStaging, 'openReferences' | 'noteAsked' | 'askedFor'> {
  return {
    async *openReferences() {
      for (let after = ''; ;) {
        const { rows } = await sql<{ reference: string }>`select distinct reference from candidates
          where reference > ${after} and reference not in (select reference from asked)
          order by reference limit ${sql.lit(STAGING_PAGE_SIZE)}`.execute(store.db);
        if (rows.length > 0) yield rows.map(({ reference }) => reference);
        if (rows.length < STAGING_PAGE_SIZE) return;
        after = rows.at(-1)?.reference ?? after;
      }
    },

    async noteAsked(answers) {
      if (answers.length === 0) return;
      const rows = answers.map(({ reference, problem }) => [reference, problem ?? null]);
      await write(sql`insert or replace into asked
        select value ->> 0, value ->> 1 from json_each(${JSON.stringify(rows)})`);
    },

    async askedFor(references) {
      const { rows } = await sql<StagingTables['asked']>`select reference, problem from asked
        where reference in (select value from json_each(${JSON.stringify(references)}))`.execute(store.db);
      return new Map(rows.map(({ reference, problem }) => [reference, { problem: problem ?? undefined }]));
    },
  };
}

async function* candidatePages(
  store: StagingStore,
  condition: RawBuilder<unknown>,
): AsyncGenerator<Candidate[]> {
  for await (const page of readPages(store, 'candidates', condition)) {
    yield page.map(({ candidate }) => JSON.parse(candidate) as Candidate);
  }
}

async function* readPages<Table extends 'candidates' | 'exceptions'>(
  { db }: StagingStore,
  table: Table,
  condition: RawBuilder<unknown>,
): AsyncGenerator<Array<StagingTables[Table]>> {
  for (let after = -1; ;) {
    const { rows } = await sql<StagingTables[Table]>`select * from ${sql.table(table)}
      where position > ${after} and ${condition} order by position limit ${sql.lit(STAGING_PAGE_SIZE)}`.execute(
      db,
    );
    if (rows.length > 0) yield rows;
    if (rows.length < STAGING_PAGE_SIZE) return;
    after = rows.at(-1)?.position ?? after;
  }
}
