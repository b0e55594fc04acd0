// The statements of every create and every read, made once: building them each time would cost more than running them.

import { sql, type Kysely, type Selectable } from 'kysely';
import { prepared } from '../../store/prepared.js';
import type { Engine } from '../../store/store.js';
import type { PaymentColumn, PaymentRow, SandboxTables } from '../schema.js';

type Tables = SandboxTables;

/** All that an answer shows beside the id, and the version of it. */
const shownColumns = [
  'app_id',
  'reference_id',
  'state',
  'amount',
  'captured_amount',
  'currency',
  'auto_capture',
  'flow',
  'auto_payment',
  'fraud_status',
  'customer_id',
  'return_url',
  'webhook_url',
  'payer_ip',
  'created_time',
  'pay_info',
  'failure',
  'version',
] as const satisfies ReadonlyArray<PaymentColumn>;

const paymentColumns = [
  ...shownColumns,
  'payer',
  'changed_time',
  'expiration_time',
  'authorised_until',
  'request',
  'card',
  'payment_profile_id',
  'save_method',
  'method_id',
  'provider_knows',
] as const satisfies ReadonlyArray<PaymentColumn>;

const eventColumns = [
  'payment_id',
  'version',
  'from_state',
  'to_state',
  'time',
  'cause',
  'via',
  'url',
  'due_time',
  'attempts',
  'lease_until',
  'lease_owner',
  'finished',
  'outcome',
] as const satisfies ReadonlyArray<keyof Selectable<Tables['events']>>;

/** Returns nothing when the reference is taken. */
export const insertPaymentRow = prepared<Tables, { payment_id: number }, (typeof paymentColumns)[number]>(
  (db, value) =>
    db
      .insertInto('payments')
      .values(Object.fromEntries(paymentColumns.map((name) => [name, value(name)])) as never)
      .onConflict((conflict) => conflict.columns(['app_id', 'reference_id']).doNothing())
      .returning('payment_id'),
);

export const insertEventRow = prepared<Tables, unknown, (typeof eventColumns)[number]>((db, value) =>
  db
    .insertInto('events')
    .values(Object.fromEntries(eventColumns.map((name) => [name, value(name)])) as never),
);

const customerColumns = [
  'app_id',
  'customer_id',
  'first_name',
  'last_name',
  'email',
  'mobile_number',
  'fraud_policy_id',
  'created_time',
] as const;

/** Adds a customer, or fills in what was not known of one. */
export const enrolCustomerRow = prepared<Tables, unknown, (typeof customerColumns)[number]>((db, value) =>
  db
    .insertInto('customers')
    .values(Object.fromEntries(customerColumns.map((name) => [name, value(name)])) as never)
    .onConflict((conflict) =>
      conflict
        .columns(['app_id', 'customer_id'])
        .doUpdateSet({
          first_name: sql`coalesce(customers.first_name, excluded.first_name)`,
          last_name: sql`coalesce(customers.last_name, excluded.last_name)`,
          email: sql`coalesce(customers.email, excluded.email)`,
          mobile_number: sql`coalesce(customers.mobile_number, excluded.mobile_number)`,
        })
        .where(
          sql<boolean>`coalesce(excluded.first_name, excluded.last_name, excluded.email, excluded.mobile_number) is not null`,
        ),
    ),
);

export type ShownPaymentRow = Pick<PaymentRow, 'payment_id' | (typeof shownColumns)[number]>;

type Find<Row, Name extends string> = ReturnType<typeof prepared<Tables, Row, Name>>;

export interface PaymentStatements<Row> {
  byId: Find<Row, 'id'>;
  byReference: Find<Row, 'app' | 'reference'>;
}

function paymentStatements<Column extends PaymentColumn>(
  columns: readonly Column[],
  { lock = false } = {},
): PaymentStatements<Pick<PaymentRow, Column>> {
  const payments = (db: Kysely<Tables>, engine: Engine) => {
    const query = db.selectFrom('payments').select<PaymentColumn>(columns);
    return lock && engine === 'postgres' ? query.forUpdate() : query;
  };
  return {
    byId: prepared((db, value, engine) => payments(db, engine).where('payment_id', '=', value('id'))),
    byReference: prepared((db, value, engine) =>
      payments(db, engine).where('app_id', '=', value('app')).where('reference_id', '=', value('reference')),
    ),
  };
}

export const shownPayment = paymentStatements(['payment_id', ...shownColumns]);
export const wholePayment = paymentStatements(['payment_id', ...paymentColumns]);
/** Locked until the end of the transaction, where the engine has such locks. */
export const lockedPayment = paymentStatements(['payment_id', ...paymentColumns], { lock: true });
