import type { Kysely } from 'kysely';
import { findKnown } from './known-payments.js';
import { at, type PaymentPlace } from './payment-place.js';
import type { DeskTables, IntentRow, KnownPaymentRow, OutcomeRow } from './schema.js';

/** An intent with everything that became known of it, the oldest first. */
export interface RecordedIntent extends IntentRow {
  outcomes: OutcomeRow[];
}

/** What this desk has on record of one payment. */
export interface PaymentRecord {
  known: KnownPaymentRow | undefined;
  /** The oldest first. */
  intents: RecordedIntent[];
  /** The intent that is not settled. */
  openId: number | undefined;
}

// More than anybody reads; a payment that is asked about all day has them.
const NEWEST = 100;

export async function readPaymentRecord(db: Kysely<DeskTables>, place: PaymentPlace): Promise<PaymentRecord> {
  const intents = await db
    .selectFrom('intents')
    .selectAll()
    .where(at(place))
    .orderBy('id', 'desc')
    .limit(NEWEST)
    .execute();
  const ids = intents.map(({ id }) => id);
  const outcomes =
    ids.length === 0
      ? []
      : await db.selectFrom('outcomes').selectAll().where('intent_id', 'in', ids).orderBy('id').execute();
  const hold = await db.selectFrom('holds').select('intent_id').where(at(place)).executeTakeFirst();
  return {
    known: await findKnown(db, place),
    intents: intents.toReversed().map((intent) => ({
      ...intent,
      outcomes: outcomes.filter(({ intent_id }) => intent_id === intent.id),
    })),
    openId: hold?.intent_id,
  };
}
