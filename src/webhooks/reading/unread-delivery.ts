/** A delivery that waits to be read. */
export interface UnreadDelivery {
  id: number;
  path: string;
  paymentId: string | null;
  referenceId: string | null;
  saidState: string | null;
  eventId: string | null;
}

/** What filters look at: `state` is that of the payment, once it was read. */
export type DeliveryFacts = UnreadDelivery & { state: string | null };
