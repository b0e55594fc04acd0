import { sql, type Kysely } from 'kysely';
import type { AppRef } from '../payment-ref.js';
import {
  type BatchRecord,
  type DeskTables,
  type HoldRow,
  type IntentRow,
  type KnownPaymentRow,
  type OutcomeRow,
  PLANNED,
  PLANNED_AGAIN,
} from '../schema.js';

/** An intent with everything that became known of it, the oldest first. */
export interface RecordedIntent extends IntentRow {
  outcomes: OutcomeRow[];
  last: OutcomeRow | undefined;
}

/** A batch that has yet to send its instruction for a payment. */
export interface WaitingBatch extends Pick<BatchRecord, 'id' | 'action' | 'operator' | 'time'> {
  /** The reference that its plan has for the payment. */
  reference_id: string | null;
}

/** What this desk has on record of one payment. */
export interface PaymentRecord {
  known: KnownPaymentRow | undefined;
  /** The oldest first. */
  intents: RecordedIntent[];
  /** The intent that holds the payment, and when it was last renewed. */
  hold: Pick<HoldRow, 'intent_id' | 'boot' | 'steady_ms'> | undefined;
  /** The oldest first. */
  waitingBatches: WaitingBatch[];
}

// A payment that was rechecked all day has more than anybody reads.
const MAX_INTENTS = 100;

/** By payment ID; those that nothing is known of have an empty record. */
export async function readPaymentRecords(
  db: Kysely<DeskTables>,
  { appId }: AppRef,
  paymentIds: readonly string[],
): Promise<Map<string, PaymentRecord>> {
  if (paymentIds.length === 0) return new Map();
  const { rows: intents } = await sql<IntentRow>`
    select * from (
      select intents.*, row_number() over (partition by payment_id order by id desc) as newest from intents
      where app_id = ${appId} and retired = 0 and payment_id in (${sql.join(paymentIds)})
    ) as numbered where newest <= ${sql.lit(MAX_INTENTS)} order by id`.execute(db);
  const ids = intents.map(({ id }) => id);
  const outcomes =
    ids.length === 0
      ? []
      : await db.selectFrom('outcomes').selectAll().where('intent_id', 'in', ids).orderBy('id').execute();
  const ofPayments = { app_id: appId };
  const holds = await db
    .selectFrom('holds')
    .select(['payment_id', 'intent_id', 'boot', 'steady_ms'])
    .where((eb) => eb.and(ofPayments))
    .where('payment_id', 'in', paymentIds)
    .execute();
  const known = await db
    .selectFrom('known_payments')
    .selectAll()
    .where((eb) => eb.and(ofPayments))
    .where('payment_id', 'in', paymentIds)
    .execute();
  const waiting = await waitingBatches(db, appId, paymentIds);
  const outcomesOf = Map.groupBy(outcomes, ({ intent_id }) => intent_id);
  const intentsOf = Map.groupBy(intents, ({ payment_id }) => payment_id);
  return new Map(
    paymentIds.map((paymentId) => [
      paymentId,
      {
        known: known.find(({ payment_id }) => payment_id === paymentId),
        intents: (intentsOf.get(paymentId) ?? []).map((intent) => {
          const found = outcomesOf.get(intent.id) ?? [];
          return { ...intent, outcomes: found, last: found.at(-1) };
        }),
        hold: holds.find(({ payment_id }) => payment_id === paymentId),
        waitingBatches: waiting.filter(({ payment_id }) => payment_id === paymentId),
      },
    ]),
  );
}

async function waitingBatches(
  db: Kysely<DeskTables>,
  appId: string,
  paymentIds: readonly string[],
): Promise<Array<WaitingBatch & { payment_id: string }>> {
  return db
    .selectFrom('batch_rows')
    .innerJoin('batches', 'batches.id', 'batch_rows.batch_id')
    .select(['batches.id', 'action', 'operator', 'time', 'payment_id', 'batch_rows.reference_id'])
    .where('batch_rows.payment_id', 'in', paymentIds)
    .where('finished', '=', sql.lit(0))
    .where('planned', 'in', [PLANNED, PLANNED_AGAIN])
    .where((eb) => eb.or([eb('outcome', 'is', null), eb('outcome', 'in', ['unsent', 'throttled'])]))
    .where('app_id', '=', appId)
    .where('loader', 'is', null)
    .orderBy('time')
    .execute();
}
