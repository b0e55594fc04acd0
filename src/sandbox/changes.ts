import type { SandboxEngine } from './engine.js';
import { prepared } from '../store/prepared.js';
import type { AttemptRow, EventRow, ExchangeRow, SandboxTables } from './schema.js';

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

const eventsAfter = prepared<SandboxTables, EventRow, 'id'>((db, value) =>
  db.selectFrom('events').selectAll().where('id', '>', value('id')).orderBy('id'),
);
const exchangesAfter = prepared<SandboxTables, ExchangeRow, 'id'>((db, value) =>
  db.selectFrom('exchanges').selectAll().where('id', '>', value('id')).orderBy('id'),
);
const deliveriesAfter = prepared<SandboxTables, Changes['deliveries'][number], 'id'>((db, value) =>
  db
    .selectFrom('attempts')
    .innerJoin('events', 'events.id', 'attempts.event_id')
    .selectAll('attempts')
    .select(['events.payment_id', 'events.to_state'])
    .where('attempts.id', '>', value('id'))
    .orderBy('attempts.id'),
);

export async function changesSince({ store }: SandboxEngine, since: ChangesMark): Promise<Changes> {
  const { db, engine } = store;
  const events = await eventsAfter(db, engine, { id: since.event });
  const exchanges = await exchangesAfter(db, engine, { id: since.exchange });
  const deliveries = await deliveriesAfter(db, engine, { id: since.attempt });
  const mark = {
    event: events.at(-1)?.id ?? since.event,
    exchange: exchanges.at(-1)?.id ?? since.exchange,
    attempt: deliveries.at(-1)?.id ?? since.attempt,
  };
  return { mark, events, exchanges, deliveries };
}
