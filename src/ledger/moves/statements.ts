// The statements of every money move, as SQL.

import { statement } from '../../store/statement.js';
import { UNNAMED } from './entries.js';
import { LEFT_OUT, type HoldRow, type IntentRow, type OutcomeRow } from '../schema.js';
import type { SteadyTime } from '../steady-clock.js';

type Ref = 'app_id' | 'payment_id';
type IntentValues = Omit<IntentRow, 'id' | 'retired'>;
/** Stands in a hold between taking it and writing its intent, within one transaction. */
export const NO_INTENT_YET = 0;

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
  'before_fingerprint',
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

const insertInto = (table: string, columns: readonly string[]) =>
  `insert into ${table} (${columns.join(', ')}) values (${columns.map((name) => `:${name}`).join(', ')})`;

export const insertIntentRow = statement<{ id: number }, keyof IntentValues>(
  `${insertInto('intents', intentColumns)} returning id`,
);

export const insertOutcomeRow = statement<unknown, keyof OutcomeValues>(
  insertInto('outcomes', outcomeColumns),
);

/** Changes nothing when somebody has it. */
export const takeHold = statement<unknown, Ref | 'intent_id' | 'boot' | 'steady_ms'>(
  `insert into holds (app_id, payment_id, intent_id, boot, steady_ms)
   values (:app_id, :payment_id, :intent_id, :boot, :steady_ms)
   on conflict (app_id, payment_id) do nothing`,
);

/** Whether the intent still holds its payment: returns a row, renewed, if it does. */
export const renewHold = statement<{ intent_id: number }, 'intent_id' | 'boot' | 'steady_ms'>(
  `update holds set boot = :boot, steady_ms = :steady_ms where intent_id = :intent_id returning intent_id`,
);

/** Free to be taken over, if its process has not renewed it since it was read. */
export const claimHold = statement<{ intent_id: number }, 'intent_id' | 'boot' | 'steady_ms'>(
  `update holds set intent_id = ${NO_INTENT_YET}
   where intent_id = :intent_id and boot = :boot and steady_ms = :steady_ms
   returning intent_id`,
);

export const giveHoldTo = statement<unknown, Ref | 'intent_id' | 'boot' | 'steady_ms'>(
  `update holds set intent_id = :intent_id, boot = :boot, steady_ms = :steady_ms
   where app_id = :app_id and payment_id = :payment_id`,
);

export const dropHold = statement<unknown, Ref>(
  'delete from holds where app_id = :app_id and payment_id = :payment_id',
);

export const dropHoldOf = statement<unknown, 'intent_id'>('delete from holds where intent_id = :intent_id');

/** The hold of an intent, kept from others until the transaction ends. */
export const lockHoldOf = statement<HoldRow, 'intent_id'>(
  'update holds set intent_id = intent_id where intent_id = :intent_id returning *',
);

export const holdOf = statement<HoldRow, 'intent_id'>('select * from holds where intent_id = :intent_id');

/** The last outcome of an intent; null where there is none yet. */
export const LAST_OUTCOME = `(
  select outcome from outcomes where outcomes.intent_id = intents.id order by outcomes.id desc limit 1)`;

const isUnseenCharge = `payment_id = '${UNNAMED}' and app_id = :app_id and retired = 0 and operation = 'charge'
     and ${LAST_OUTCOME} = 'unknown'`;

/** Charges whose payment nobody has seen, newest first. */
export const unseenCharges = statement<{ reference_id: string }, 'app_id'>(
  `select reference_id from intents where ${isUnseenCharge} order by id desc`,
);

/** What is open under an id or a reference: who holds such a payment, and a charge whose payment nobody has seen. */
export const openIntents = statement<{ intent_id: number }, Ref | 'reference_id'>(
  `select holds.intent_id from holds join intents on intents.id = holds.intent_id
   where holds.app_id = :app_id and (holds.payment_id = :payment_id or intents.reference_id = :reference_id)
   union
   select intents.id as intent_id from intents where reference_id = :reference_id and ${isUnseenCharge}`,
);

/** A create or charge whose answer was lost: its payment has no id yet. */
export const unnamedIntent = statement<{ id: number; time: number }, 'app_id' | 'operation' | 'reference_id'>(
  `select id, time from intents
   where payment_id = '${UNNAMED}' and app_id = :app_id and retired = 0
     and operation = :operation and reference_id = :reference_id`,
);

/** The answer shows what the request did not say: a charge is sent without a currency. */
export const nameIntent = statement<unknown, 'id' | 'payment_id' | 'customer_id' | 'currency'>(
  `update intents set payment_id = :payment_id,
     customer_id = coalesce(customer_id, :customer_id), currency = coalesce(currency, :currency)
   where id = :id`,
);

/** Unless a process is at work on it. */
export const finishBatchRow = statement<unknown, 'batch_id' | 'payment_id' | 'after_state'>(
  `update batch_rows set outcome = 'done', after_state = :after_state, why = null, tries = 0, finished = 1
   where batch_id = :batch_id and payment_id = :payment_id and planned > ${LEFT_OUT} and lease_owner is null`,
);

/** When the ledger was last adopted: no row if it never was. */
export const adoption = statement<SteadyTime, never>(
  'select adopted_boot as boot, adopted_ms as ms from identity where adopted_boot is not null',
);

/** Whether the instruction of an intent may have reached the service. Where it never left, the intent before it counts. */
export const MAY_HAVE_LEFT = `not exists (
  select 1 from outcomes where outcomes.intent_id = intents.id and outcomes.may_have_left = 0)`;

/**
 * What may stand in the way: who has the hold, the newest intent, the newest of another operation that is done, and when
 * the ledger was last adopted, each if any.
 */
export const standingOn = statement<
  { held: number | null; last: number | null; other: number | null; boot: string | null; ms: number | null },
  Ref | 'operation'
>(
  `select
     (select intent_id from holds where app_id = :app_id and payment_id = :payment_id) as held,
     (select id from intents
      where app_id = :app_id and payment_id = :payment_id and operation = :operation and retired = 0
        and ${MAY_HAVE_LEFT}
      order by id desc limit 1) as last,
     (select id from intents
      where app_id = :app_id and payment_id = :payment_id and operation <> :operation and retired = 0
        and operation in ('capture', 'cancel', 'refund', 'unhold') and ${LAST_OUTCOME} = 'done'
      order by id desc limit 1) as other,
     adopted_boot as boot, adopted_ms as ms
   from identity`,
);

/** The newest alone. */
export const lastIntentOn = statement<{ id: number }, Ref | 'operation'>(
  `select id from intents
   where app_id = :app_id and payment_id = :payment_id and operation = :operation and retired = 0
     and ${MAY_HAVE_LEFT}
   order by id desc limit 1`,
);

/** The newest of each operation. */
export const newestIntents = statement<{ id: number }, Ref>(
  `select max(id) as id from intents
   where app_id = :app_id and payment_id = :payment_id and retired = 0 and ${MAY_HAVE_LEFT}
   group by operation`,
);

export const intentById = statement<IntentRow, 'id'>('select * from intents where id = :id');

export const lastOutcomeOf = statement<OutcomeRow, 'intent_id'>(
  'select * from outcomes where intent_id = :intent_id order by id desc limit 1',
);

export const outcomesOf = statement<OutcomeRow, 'intent_id'>(
  'select * from outcomes where intent_id = :intent_id order by id',
);
