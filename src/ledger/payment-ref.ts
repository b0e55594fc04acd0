/** Which app, whatever the profile is called and however its base URL is spelled. */
export interface AppRef {
  appId: string;
}

/** Which payment. */
export interface PaymentRef extends AppRef {
  paymentId: string;
  /** Which life of a sandbox the payment was read in: a reset sandbox gives the same ids to other payments. */
  generation?: string | undefined;
}

/** What a payment is named by. The digits of one that was not read may be either. */
export interface PaymentNames {
  paymentId?: string | null | undefined;
  referenceId?: string | null | undefined;
}

export function refColumns({ appId, paymentId }: PaymentRef) {
  return { app_id: appId, payment_id: paymentId };
}

export function refOf(row: { app_id: string; payment_id: string }): PaymentRef {
  return { appId: row.app_id, paymentId: row.payment_id };
}
