// Lines that need attention or are evidence, while the file is reconciled: in a database file of its own, so that a million
// of them need no memory.

import { type RawBuilder, sql } from 'kysely';
import type { Migration, Store } from '../store/store.js';
import { openTemporaryStore } from '../store/temporary-store.js';
import type { Exception } from './exception.js';
import type { SettlementLine } from './line.js';
import type { MatchedBy } from './match.js';
import { plainId } from './plain-id.js';

/** A line that does not simply agree with a known payment, or has an ID that the payment does not have. */
export interface Candidate {
  line: SettlementLine;
  /** `knownId` is the number of the payment in the ledger. */
  match: { paymentId: string; knownId: number; by: MatchedBy } | undefined;
  firstLine: number | undefined;
  /** Such a line needs no look. It is kept because of what it may say about other lines. */
  agrees?: true;
  /** It agrees but for the ID of its capture, which counts where the IDs of the file are capture IDs. */
  isOtherCapture?: true;
}

interface StagingTables {
  /** In the order of the file: several transactions of one XML entry have the same line. */
  candidates: {
    position: number;
    reference: string | null;
    payment: string | null;
    agrees: number;
    other_capture: number;
    candidate: string;
  };
  /** Every ID and reference of a candidate, as `plainId` has it. */
  line_ids: { id: string; position: number };
  /** References that the service was asked for in vain, and why. */
  asked: { reference: string; problem: string | null };
  exceptions: { position: number; exception: string };
}

const migrations: Migration[] = [
  {
    name: 'staged',
    async up(db) {
      for (const statement of [
        sql`create table candidates (position integer primary key, reference text, payment text,
          agrees integer not null, other_capture integer not null, candidate text not null)`,
        sql`create index candidates_by_reference on candidates (reference) where reference is not null`,
        sql`create index candidates_by_payment on candidates (payment) where payment is not null`,
        sql`create table line_ids (id text, position integer, primary key (id, position)) without rowid`,
        sql`create table asked (reference text primary key, problem text) without rowid`,
        sql`create table exceptions (position integer primary key, exception text not null)`,
      ]) {
        await statement.execute(db);
      }
    },
  },
];

const PAGE_SIZE = 200;

export interface CandidateStaging {
  add(candidates: readonly Candidate[]): Promise<void>;
  /** Removes the lines and the exceptions, and keeps what the service was asked for. */
  clear(): Promise<void>;
  /** The lines that need attention, in order; on request also those with the ID of another capture. */
  pages(withOtherCaptures: boolean): AsyncGenerator<Candidate[]>;
  /** By payment, the first lines about it, at most `limit` of them. */
  linesOf(paymentIds: readonly string[], limit: number): Promise<Map<string, Candidate[]>>;
  /** The first line that has one of these IDs or references, as `plainId` has them, and is not about the payment. */
  otherLineWith(ids: readonly string[], paymentId: string): Promise<SettlementLine | undefined>;
  /** References of lines without a payment that the service was not asked for yet, a page at a time. */
  openReferences(): AsyncGenerator<string[]>;
  noteAsked(answers: ReadonlyArray<{ reference: string; problem: string | undefined }>): Promise<void>;
  /** Undefined where the service was not asked; no problem where it has no such payment. */
  askedFor(references: readonly string[]): Promise<Map<string, { problem: string | undefined }>>;
  keep(exceptions: readonly Exception[]): Promise<void>;
  exceptions(): AsyncGenerator<Exception>;
  close(): Promise<void>;
}

type StagingStore = Store<StagingTables>;

export async function openCandidateStaging(): Promise<CandidateStaging> {
  return createStaging(await openTemporaryStore<StagingTables>('paydesk-reconcile-', migrations));
}

function createStaging(store: StagingStore): CandidateStaging {
  const write = (statement: ReturnType<typeof sql>) => store.transaction((tx) => statement.execute(tx));
  return {
    ...createLines(store, write),
    ...createAsked(store, write),
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

type Write = (statement: ReturnType<typeof sql>) => Promise<unknown>;

function createLines(
  store: StagingStore,
  write: Write,
): Pick<CandidateStaging, 'add' | 'clear' | 'pages' | 'linesOf' | 'otherLineWith'> {
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
        JSON.stringify(each),
      ]);
      const first = last - candidates.length + 1;
      const ids = candidates.flatMap(({ line }, index) => idsOf(line).map((id) => [id, first + index]));
      await write(sql`insert into candidates (position, reference, payment, agrees, other_capture, candidate)
        select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5
        from json_each(${JSON.stringify(rows)})`);
      await write(sql`insert or ignore into line_ids
        select value ->> 0, value ->> 1 from json_each(${JSON.stringify(ids)})`);
    },

    async clear() {
      await write(sql`delete from candidates`);
      await write(sql`delete from line_ids`);
      await write(sql`delete from exceptions`);
    },

    async *pages(withOtherCaptures) {
      const isAsked = withOtherCaptures ? sql`(not agrees or other_capture)` : sql`not agrees`;
      for await (const page of readPages(store, 'candidates', isAsked)) {
        yield page.map(({ candidate }) => JSON.parse(candidate) as Candidate);
      }
    },

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

    async otherLineWith(ids, paymentId) {
      const { rows } = await sql<{ candidate: string }>`
        select candidate from candidates where position in (
          select position from line_ids where id in (select value from json_each(${JSON.stringify(ids)}))
        ) and payment is not ${paymentId} order by position limit 1`.execute(store.db);
      return rows[0] && (JSON.parse(rows[0].candidate) as Candidate).line;
    },
  };
}

function createAsked(
  store: StagingStore,
  write: Write,
): Pick<CandidateStaging, 'openReferences' | 'noteAsked' | 'askedFor'> {
  return {
    async *openReferences() {
      for (let after = ''; ;) {
        const { rows } = await sql<{ reference: string }>`select distinct reference from candidates
          where reference > ${after} and reference not in (select reference from asked)
          order by reference limit ${sql.lit(PAGE_SIZE)}`.execute(store.db);
        if (rows.length > 0) yield rows.map(({ reference }) => reference);
        if (rows.length < PAGE_SIZE) return;
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

export const idsOf = ({ providerReference, operationId, reference }: SettlementLine): string[] =>
  [providerReference, operationId, reference].flatMap((id) => (id === undefined ? [] : [plainId(id)]));

async function* readPages<Table extends 'candidates' | 'exceptions'>(
  { db }: StagingStore,
  table: Table,
  condition: RawBuilder<unknown>,
): AsyncGenerator<Array<StagingTables[Table]>> {
  for (let after = -1; ;) {
    const { rows } = await sql<StagingTables[Table]>`select * from ${sql.table(table)}
      where position > ${after} and ${condition} order by position limit ${sql.lit(PAGE_SIZE)}`.execute(db);
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE_SIZE) return;
    after = rows.at(-1)?.position ?? after;
  }
}
