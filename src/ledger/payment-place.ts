import type { ExpressionBuilder } from 'kysely';

/** Which payment: by where it is, not by what a profile is called. */
export interface PaymentPlace {
  baseUrl: string;
  appId: string;
  paymentId: string;
}

export function placeColumns({ baseUrl, appId, paymentId }: PaymentPlace) {
  return { base_url: baseUrl, app_id: appId, payment_id: paymentId };
}

export function placeOf(row: { base_url: string; app_id: string; payment_id: string }): PaymentPlace {
  return { baseUrl: row.base_url, appId: row.app_id, paymentId: row.payment_id };
}

/** As a condition of a query on a table with the columns of a place. */
export const at =
  (place: PaymentPlace) =>
  <DB, TB extends keyof DB>(eb: ExpressionBuilder<DB, TB>) =>
    eb.and(placeColumns(place) as never);
