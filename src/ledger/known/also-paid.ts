import { sql, type Kysely } from 'kysely';
import { canReach, capturedStates, type StateName, stateNames } from '../../contract/states.js';
import type { DeskTables, KnownPaymentRow } from '../schema.js';
import { DAY_MS } from '../../day.js';

/** The customer has paid in these, whatever became of it since. */
export const paidStates: readonly StateName[] = ['Capturing', ...capturedStates];
/** How many of them are read again and named. */
export const MAX_ALSO_PAID = 5;

/** When a payment was made, as well as this desk knows. */
export const madeTime = ({ created_time, known_time }: KnownPaymentRow): number => created_time ?? known_time;

/** The customer may have paid in the meantime, if one of these was seen last. */
const mayBecomePaid = stateNames.filter((name) => !paidStates.includes(name) && canReach(name, 'Captured'));

/** Other paid payments of the same customer or e-mail address with the same amount within a day, the closest first. */
export const findAlsoPaid = (db: Kysely<DeskTables>, known: KnownPaymentRow): Promise<KnownPaymentRow[]> =>
  findSameAmount(db, known, paidStates);

/** Such payments that were not paid when this desk saw them last. */
export const findMaybePaid = (db: Kysely<DeskTables>, known: KnownPaymentRow): Promise<KnownPaymentRow[]> =>
  findSameAmount(db, known, mayBecomePaid);

async function findSameAmount(
  db: Kysely<DeskTables>,
  known: KnownPaymentRow,
  inStates: readonly StateName[],
): Promise<KnownPaymentRow[]> {
  const { amount_number, currency } = known;
  const customer = known.customer_id || null;
  const emails = [known.payer_email, known.order_email].flatMap((email) => email?.toLowerCase() ?? []);
  if (amount_number === null || (customer === null && emails.length === 0)) return [];
  const isSame = [
    ...(customer === null ? [] : [sql`customer_id = ${customer}`]),
    ...(emails.length === 0
      ? []
      : [
          sql`(payer_email is not null and lower(payer_email) in (${sql.join(emails)}))`,
          sql`(order_email is not null and lower(order_email) in (${sql.join(emails)}))`,
        ]),
  ];
  const found = new Map<string, KnownPaymentRow>();
  // One index for each: the first is for customers, the others are for addresses. The sums keep SQLite from the indexes
  // of amounts and times, which leave many more payments.
  for (const condition of isSame) {
    const { rows } = await sql<KnownPaymentRow>`select * from known_payments
      where app_id = ${known.app_id} and ${condition} and amount_number + 0 = ${amount_number}
        and currency = ${currency} and payment_id <> ${known.payment_id}
        and state in (${sql.join(inStates)})
        and coalesce(created_time, known_time) + 0 between ${madeTime(known) - DAY_MS} and ${madeTime(known) + DAY_MS}
      limit ${sql.lit(100)}`.execute(db);
    for (const row of rows) found.set(row.payment_id, row);
  }
  const distance = (row: KnownPaymentRow) => Math.abs(madeTime(row) - madeTime(known));
  return [...found.values()].sort((a, b) => distance(a) - distance(b));
}
