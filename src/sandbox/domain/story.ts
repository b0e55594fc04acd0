import type { AttemptRow, EventRow, ExchangeRow, OperationRow, PaymentRow } from '../schema.js';
import type { Work } from './work.js';

/** Everything that happened to a payment. */
export interface Story {
  payment: PaymentRow;
  events: Array<EventRow & { deliveries: AttemptRow[] }>;
  operations: OperationRow[];
  exchanges: ExchangeRow[];
}

export async function storyOf({ tx }: Pick<Work, 'tx'>, payment: PaymentRow): Promise<Story> {
  const { payment_id } = payment;
  const events = await tx
    .selectFrom('events')
    .selectAll()
    .where('payment_id', '=', payment_id)
    .orderBy('id')
    .execute();
  const attempts = await tx
    .selectFrom('attempts')
    .innerJoin('events', 'events.id', 'attempts.event_id')
    .selectAll('attempts')
    .where('events.payment_id', '=', payment_id)
    .orderBy('attempts.id')
    .execute();
  return {
    payment,
    events: events.map((event) => ({
      ...event,
      deliveries: attempts.filter((attempt) => attempt.event_id === event.id),
    })),
    operations: await tx
      .selectFrom('operations')
      .selectAll()
      .where('payment_id', '=', payment_id)
      .orderBy('id')
      .execute(),
    exchanges: await tx
      .selectFrom('exchanges')
      .selectAll()
      .where('payment_id', '=', payment_id)
      .orderBy('id')
      .execute(),
  };
}
