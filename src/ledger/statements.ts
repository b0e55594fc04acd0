import { sql, type Selectable } from 'kysely';
import { prepared } from '../store/store.js';
import type { DeskTables, IntentRow, OutcomeRow } from './schema.js';

// The statements of every money move, made once: a batch runs them for each of its rows.

type Place = 'base_url' | 'app_id' | 'payment_id';
export type IntentValues = Omit<IntentRow, 'id'>;
export type OutcomeValues = Omit<OutcomeRow, 'id'>;

const intentColumns = [
  'base_url',
  'app_id',
  'payment_id',
  'reference_id',
  'operation',
  'amount',
  'currency',
  'before_state',
  'profile',
  'kind',
  'operator',
  'reason',
  'ticket',
  'description',
  'time',
  'resend_of',
  'batch_id',
] as const satisfies ReadonlyArray<keyof IntentValues>;

const outcomeColumns = [
  'intent_id',
  'outcome',
  'after_state',
  'why',
  'http_status',
  'operator',
  'time',
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
export const takeHold = prepared<DeskTables, unknown, Place | 'intent_id'>((db, value) =>
  db
    .insertInto('holds')
    .values({
      base_url: value('base_url'),
      app_id: value('app_id'),
      payment_id: value('payment_id'),
      intent_id: value('intent_id'),
    })
    .onConflict((conflict) => conflict.columns(['base_url', 'app_id', 'payment_id']).doNothing()),
);

export const giveHoldTo = prepared<DeskTables, unknown, Place | 'intent_id'>((db, value) =>
  db
    .updateTable('holds')
    .set({ intent_id: value('intent_id') })
    .where('base_url', '=', value('base_url'))
    .where('app_id', '=', value('app_id'))
    .where('payment_id', '=', value('payment_id')),
);

export const dropHold = prepared<DeskTables, unknown, Place>((db, value) =>
  db
    .deleteFrom('holds')
    .where('base_url', '=', value('base_url'))
    .where('app_id', '=', value('app_id'))
    .where('payment_id', '=', value('payment_id')),
);

export const dropHoldOf = prepared<DeskTables, unknown, 'intent_id'>((db, value) =>
  db.deleteFrom('holds').where('intent_id', '=', value('intent_id')),
);

export const holdOn = prepared<DeskTables, { intent_id: number }, Place>((db, value) =>
  db
    .selectFrom('holds')
    .select('intent_id')
    .where('base_url', '=', value('base_url'))
    .where('app_id', '=', value('app_id'))
    .where('payment_id', '=', value('payment_id')),
);

export const holdOf = prepared<DeskTables, Selectable<DeskTables['holds']>, 'intent_id'>((db, value) =>
  db.selectFrom('holds').selectAll().where('intent_id', '=', value('intent_id')),
);

/** The newest alone. A limit that is bound as a value would make SQLite plan the query anew at each call. */
export const lastIntentOn = prepared<DeskTables, { id: number }, Place | 'operation'>((db, value) =>
  db
    .selectFrom('intents')
    .select('id')
    .where('base_url', '=', value('base_url'))
    .where('app_id', '=', value('app_id'))
    .where('payment_id', '=', value('payment_id'))
    .where('operation', '=', value('operation'))
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
