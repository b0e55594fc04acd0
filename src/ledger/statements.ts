// The statements of every money move, made once: a batch runs them for each of its rows.

import { sql, type Selectable } from 'kysely';
import { prepared } from '../store/store.js';
import { UNNAMED } from './entries.js';
import type { DeskTables, IntentRow, OutcomeRow } from './schema.js';
import type { SteadyTime } from './steady-clock.js';

type Ref = 'app_id' | 'payment_id';
type IntentValues = Omit<IntentRow, 'id' | 'retired'>;
/** Stands in a hold between taking it and writing its intent, within one transaction. */
export const TAKING = 0;

type OutcomeValues = Omit<OutcomeRow, 'id'>;

const intentColumns = [
  'app_id',
  'payment_id',
  'reference_id',
  'customer_id',
  'operation',
  'amount',
  'currency',
  'before_state',
  'before_print',
  'base_url',
  'profile',
  'kind',
  'operator',
  'reason',
  'ticket',
  'description',
  'time',
  'boot',
  'steady_ms',
  'quiet_ms',
  'resend_of',
  'batch_id',
] as const satisfies ReadonlyArray<keyof IntentValues>;

const outcomeColumns = [
  'intent_id',
  'outcome',
  'after_state',
  'why',
  'http_status',
  'may_have_left',
  'operator',
  'time',
  'boot',
  'steady_ms',
] as const satisfies ReadonlyArray<keyof OutcomeValues>;

export const insertIntentRow = prepared<DeskTables, { id: number }, keyof IntentValues>((db, value) =>
  db
    .insertInto('intents')
    .values(Object.fromEntries(intentColumns.map((name) => [name, value(name)])) as never)
    .returning('id'),
);

export const insertOutcomeRow = prepared<DeskTables, unknown, keyof OutcomeValues>((db, value) =>
  db
    .insertInto('outcomes')
    .values(Object.fromEntries(outcomeColumns.map((name) => [name, value(name)])) as never),
);

/** Changes nothing when somebody has it. */
export const takeHold = prepared<DeskTables, unknown, Ref | 'intent_id' | 'boot' | 'steady_ms'>((db, value) =>
  db
    .insertInto('holds')
    .values({
      app_id: value('app_id'),
      payment_id: value('payment_id'),
      intent_id: value('intent_id'),
      boot: value('boot'),
      steady_ms: value('steady_ms'),
    })
    .onConflict((conflict) => conflict.columns(['app_id', 'payment_id']).doNothing()),
);

/** Whether the intent still holds its payment: gives back a row, renewed, if it does. */
export const renewHold = prepared<DeskTables, { intent_id: number }, 'intent_id' | 'boot' | 'steady_ms'>(
  (db, value) =>
    db
      .updateTable('holds')
      .set({ boot: value('boot'), steady_ms: value('steady_ms') })
      .where('intent_id', '=', value('intent_id'))
      .returning('intent_id'),
);

/** Free to be taken over, if its process has not renewed it since it was read. */
export const claimHold = prepared<DeskTables, { intent_id: number }, 'intent_id' | 'boot' | 'steady_ms'>(
  (db, value) =>
    db
      .updateTable('holds')
      .set({ intent_id: sql.lit(TAKING) })
      .where('intent_id', '=', value('intent_id'))
      .where('boot', '=', value('boot'))
      .where('steady_ms', '=', value('steady_ms'))
      .returning('intent_id'),
);

export const giveHoldTo = prepared<DeskTables, unknown, Ref | 'intent_id' | 'boot' | 'steady_ms'>(
  (db, value) =>
    db
      .updateTable('holds')
      .set({ intent_id: value('intent_id'), boot: value('boot'), steady_ms: value('steady_ms') })
      .where('app_id', '=', value('app_id'))
      .where('payment_id', '=', value('payment_id')),
);

export const dropHold = prepared<DeskTables, unknown, Ref>((db, value) =>
  db.deleteFrom('holds').where('app_id', '=', value('app_id')).where('payment_id', '=', value('payment_id')),
);

export const dropHoldOf = prepared<DeskTables, unknown, 'intent_id'>((db, value) =>
  db.deleteFrom('holds').where('intent_id', '=', value('intent_id')),
);

export const holdOn = prepared<DeskTables, { intent_id: number }, Ref>((db, value) =>
  db
    .selectFrom('holds')
    .select('intent_id')
    .where('app_id', '=', value('app_id'))
    .where('payment_id', '=', value('payment_id')),
);

export const holdOf = prepared<DeskTables, Selectable<DeskTables['holds']>, 'intent_id'>((db, value) =>
  db.selectFrom('holds').selectAll().where('intent_id', '=', value('intent_id')),
);

/** A create or charge whose answer was lost: its payment has no id yet. */
export const unnamedIntent = prepared<
  DeskTables,
  { id: number; time: number },
  'app_id' | 'operation' | 'reference_id'
>((db, value) =>
  db
    .selectFrom('intents')
    .select(['id', 'time'])
    .where('payment_id', '=', sql.lit(UNNAMED))
    .where('app_id', '=', value('app_id'))
    .where('retired', '=', sql.lit(0))
    .where('operation', '=', value('operation'))
    .where('reference_id', '=', value('reference_id')),
);

/** When the ledger was last adopted: no row if it never was. */
export const adoption = prepared<DeskTables, SteadyTime, never>((db) =>
  db
    .selectFrom('identity')
    .select(['adopted_boot as boot', 'adopted_ms as ms'])
    .where('adopted_boot', 'is not', null)
    .$castTo<SteadyTime>(),
);

/** The newest alone. A limit that is bound as a value would make SQLite plan the query again at each call. */
export const lastIntentOn = prepared<DeskTables, { id: number }, Ref | 'operation'>((db, value) =>
  db
    .selectFrom('intents')
    .select('id')
    .where('app_id', '=', value('app_id'))
    .where('payment_id', '=', value('payment_id'))
    .where('operation', '=', value('operation'))
    .where('retired', '=', sql.lit(0))
    .orderBy('id', 'desc')
    .limit(sql.lit(1)),
);

export const intentById = prepared<DeskTables, IntentRow, 'id'>((db, value) =>
  db.selectFrom('intents').selectAll().where('id', '=', value('id')),
);

export const lastOutcomeOf = prepared<DeskTables, OutcomeRow, 'intent_id'>((db, value) =>
  db
    .selectFrom('outcomes')
    .selectAll()
    .where('intent_id', '=', value('intent_id'))
    .orderBy('id', 'desc')
    .limit(sql.lit(1)),
);

export const outcomesOf = prepared<DeskTables, OutcomeRow, 'intent_id'>((db, value) =>
  db.selectFrom('outcomes').selectAll().where('intent_id', '=', value('intent_id')).orderBy('id'),
);
