// What the payments with second lines are called, and which lines of the file may be about them.

import { sql } from 'kysely';
import { toUnits } from '../contract/exact.js';
import { idWithoutPunctuation, partsOf } from './id-without-punctuation.js';
import { dayOf, type SettlementLine } from './line.js';
import {
  STAGING_PAGE_SIZE,
  type StagingStore,
  type StagingTables,
  type StagingWrite,
} from './staging-tables.js';

/** A text of a line that may be a name of a payment. */
export interface PossibleName {
  name: string;
  /** It may also be a part of a name: it is all of an ID that belongs to no other payment. */
  mayBePart: boolean;
  line: number;
  /** The payment that the line is about, if one matches. */
  paymentId: string | undefined;
}

export interface StagedNames {
  /** The payments with a second line of one kind, a page at a time. */
  secondPayments(): AsyncGenerator<string[]>;
  /** Returns the texts to look for in the lines. */
  addNames(names: ReadonlyArray<{ paymentId: string; id: string }>): Promise<string[]>;
  /** Keeps which lines have a name of a payment that they are not about. In the order of the file. */
  addRelated(names: readonly PossibleName[]): Promise<void>;
  /** By payment, the first such line. */
  relatedTo(paymentIds: readonly string[]): Promise<Map<string, number>>;
  /** Whether the payment was looked for by all of these. */
  hasNames(paymentId: string, ids: readonly string[]): Promise<boolean>;
  /** Keeps lines that do not say which payment they are about. */
  addUnnamed(lines: readonly SettlementLine[]): Promise<void>;
  /** Such a line of the same amount as the capture, on the same day or later. */
  unnamedAfter(capture: SettlementLine): Promise<number | undefined>;
}

/** A line without a date may be of any day. */
const [FIRST_DAY, LAST_DAY] = ['0000-00-00', '9999-99-99'];

export function createStagedNames(store: StagingStore, write: StagingWrite): StagedNames {
  return {
    ...createUnnamed(store, write),
    async *secondPayments() {
      for (let after = ''; ;) {
        const { rows } = await sql<{ payment: string }>`select distinct payment from candidates
          where is_second and payment > ${after} order by payment limit ${sql.lit(STAGING_PAGE_SIZE)}`.execute(
          store.db,
        );
        if (rows.length > 0) yield rows.map(({ payment }) => payment);
        if (rows.length < STAGING_PAGE_SIZE) return;
        after = rows.at(-1)?.payment ?? after;
      }
    },

    async addNames(names) {
      const rows = names.flatMap(({ paymentId, id }) => {
        const bare = idWithoutPunctuation(id);
        if (bare.text === '') return [];
        const parts = partsOf(bare).map((part) => [part, paymentId, 1] as const);
        return [[bare.text, paymentId, 0] as const, ...parts];
      });
      await write(sql`insert or ignore into names
        select value ->> 0, value ->> 1, value ->> 2 from json_each(${JSON.stringify(rows)})`);
      return rows.map(([name]) => name);
    },

    async addRelated(names) {
      if (names.length === 0) return;
      const rows = names.map(({ name, mayBePart, line, paymentId }) => [
        name,
        mayBePart ? 1 : 0,
        line,
        paymentId ?? null,
      ]);
      await write(sql`insert or ignore into related (payment, line)
        select names.payment, found.value ->> 2 from json_each(${JSON.stringify(rows)}) as found
        join names on names.name = found.value ->> 0
        where (found.value ->> 1 or not names.is_part) and names.payment is not (found.value ->> 3)
        order by found.key`);
    },

    async relatedTo(paymentIds) {
      const { rows } = await sql<StagingTables['related']>`select payment, line from related
        where payment in (select value from json_each(${JSON.stringify(paymentIds)}))`.execute(store.db);
      return new Map(rows.map(({ payment, line }) => [payment, line]));
    },

    async hasNames(paymentId, ids) {
      const names = new Set(ids.map((id) => idWithoutPunctuation(id).text).filter((name) => name !== ''));
      const { rows } = await sql<{
        name: string;
      }>`select name from names where payment = ${paymentId} and not is_part
        and name in (select value from json_each(${JSON.stringify([...names])}))`.execute(store.db);
      return rows.length === names.size;
    },
  };
}

function createUnnamed(
  store: StagingStore,
  write: StagingWrite,
): Pick<StagedNames, 'addUnnamed' | 'unnamedAfter'> {
  return {
    async addUnnamed(lines) {
      if (lines.length === 0) return;
      const rows = lines.map(({ currency, amount, at, line }) => [
        currency,
        sizeOf(amount),
        at === undefined ? LAST_DAY : dayOf(at),
        line,
      ]);
      await write(sql`insert into unnamed (currency, amount, day, line)
        select value ->> 0, value ->> 1, value ->> 2, value ->> 3 from json_each(${JSON.stringify(rows)}) where true
        on conflict (currency, amount) do update set day = excluded.day, line = excluded.line
        where excluded.day > day`);
    },

    async unnamedAfter({ currency, amount, at }) {
      const { rows } = await sql<{ line: number }>`select line from unnamed where currency = ${currency}
        and amount = ${sizeOf(amount)} and day >= ${at === undefined ? FIRST_DAY : dayOf(at)}`.execute(
        store.db,
      );
      return rows[0]?.line;
    },
  };
}

/** The same for an amount that comes in or goes out, however many zeros it ends with. */
const sizeOf = (amount: string): string => String(toUnits(amount)).replace('-', '');
