import type { SandboxEngine } from './engine.js';
import type { AttemptRow, EventRow, ExchangeRow } from './schema.js';

/** How far somebody has read. */
export interface ChangesMark {
  event: number;
  exchange: number;
  attempt: number;
}

export const beforeFirstChange: ChangesMark = { event: 0, exchange: 0, attempt: 0 };

/** What happened in the sandbox since a mark, in order. */
export interface Changes {
  mark: ChangesMark;
  /** Changes of state. */
  events: EventRow[];
  /** What the provider was told. */
  exchanges: ExchangeRow[];
  /** Webhooks that were sent, each with the change that it reports. */
  deliveries: Array<AttemptRow & Pick<EventRow, 'payment_id' | 'to_state'>>;
}

export async function changesSince({ store: { db } }: SandboxEngine, since: ChangesMark): Promise<Changes> {
  const events = await db
    .selectFrom('events')
    .selectAll()
    .where('id', '>', since.event)
    .orderBy('id')
    .execute();
  const exchanges = await db
    .selectFrom('exchanges')
    .selectAll()
    .where('id', '>', since.exchange)
    .orderBy('id')
    .execute();
  const deliveries = await db
    .selectFrom('attempts')
    .innerJoin('events', 'events.id', 'attempts.event_id')
    .selectAll('attempts')
    .select(['events.payment_id', 'events.to_state'])
    .where('attempts.id', '>', since.attempt)
    .orderBy('attempts.id')
    .execute();
  const mark = {
    event: events.at(-1)?.id ?? since.event,
    exchange: exchanges.at(-1)?.id ?? since.exchange,
    attempt: deliveries.at(-1)?.id ?? since.attempt,
  };
  return { mark, events, exchanges, deliveries };
}
