import type { PaymentRef } from '../payment-ref.js';

/** A payment as a read showed it. */
export interface SeenPayment extends PaymentRef {
  /** Our name for the state where there is one, otherwise the service's. */
  state?: string | undefined;
  referenceId?: string | undefined;
  customerId?: string | undefined;
  amount?: string | undefined;
  currency?: string | undefined;
  /** Once something was captured: how much, or empty where the service does not show it. */
  capturedAmount?: string | undefined;
  webhookUrl?: string | undefined;
  /** When the service says that it was created, in milliseconds. */
  createdTime?: number | undefined;
  /** What the provider said of it. */
  provider?: ProviderDetails | undefined;
  /** What the merchant's own order says of it. */
  order?: OrderDetails | undefined;
}

export interface ProviderDetails {
  reference?: string | undefined;
  authorizeId?: string | undefined;
  captureId?: string | undefined;
  fee?: string | undefined;
  profile?: string | undefined;
  payerName?: string | undefined;
  payerEmail?: string | undefined;
  brand?: string | undefined;
}

export interface OrderDetails {
  orderId?: string | undefined;
  name?: string | undefined;
  email?: string | undefined;
  note?: string | undefined;
}
