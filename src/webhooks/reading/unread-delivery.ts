/** A delivery that waits to be read. */
export interface UnreadDelivery {
  id: number;
  path: string;
  paymentId: string | null;
  referenceId: string | null;
  saidState: string | null;
  eventId: string | null;
}
