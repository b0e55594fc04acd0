import type { Delivery } from '../webhooks/inbox/delivery.js';

/** A webhook that reached this desk, as far as an explanation tells of it. */
export interface Heard {
  time: number;
  /** The state that it told of, as the service names it; undefined where it named none. */
  said: string | undefined;
  /** What the service showed when it was asked then. */
  read: string | undefined;
  /** It came again, or after later ones. */
  late: boolean;
  forwards: Array<{ to: string; status: number | null }>;
}

const late: ReadonlyArray<Delivery['verdict']> = ['duplicate', 'stale'];

/** What this desk made itself, to try a handler, says nothing of a payment. */
export function heardOf(deliveries: readonly Delivery[]): Heard[] {
  return deliveries
    .filter(({ verdict, kind }) => verdict !== 'made' && !(kind === 'synthetic' && verdict === null))
    .map(({ time, saidState, state, verdict, forwards }) => ({
      time,
      said: saidState ?? undefined,
      read: state ?? undefined,
      late: late.includes(verdict),
      forwards: forwards.map(({ to, status }) => ({ to, status })),
    }));
}
