import { sql } from 'kysely';
import type { SandboxEngine } from '../engine.js';
import { webhookStanding } from '../migrations.js';
import type { AttemptRow, EventRow } from '../schema.js';
import { PAGE_SIZE } from './payment-list.js';
import {
  mergeRanges,
  newestOf,
  pageOf,
  readAhead,
  readNumberKey,
  type RangePage,
  type Range,
} from './ranges.js';

/** What a list can be limited to. */
export const webhookFilters = ['queued', 'retrying', 'delivered', 'failed', 'dropped'] as const;
export type WebhookFilter = (typeof webhookFilters)[number];

const columns = ['id', 'payment_id', 'to_state', 'time', 'url', 'due_time', 'attempts', 'outcome'] as const;

export interface ListedWebhook extends Pick<EventRow, (typeof columns)[number]> {
  last?: AttemptRow | undefined;
}

const standing = sql<WebhookFilter>`${sql.raw(webhookStanding)}`;

/** One that is retried is queued as well. */
const standingsOf = (wanted: WebhookFilter | undefined): readonly WebhookFilter[] => {
  if (wanted === undefined) return webhookFilters;
  return wanted === 'queued' ? ['queued', 'retrying'] : [wanted];
};

/** A page of webhooks, the newest first; changes of payments that have no address to tell are none. */
export async function listWebhooks(
  engine: SandboxEngine,
  wanted: WebhookFilter | undefined,
  key: string | undefined,
  size = PAGE_SIZE,
): Promise<RangePage<ListedWebhook>> {
  const before = readNumberKey(key);
  const newest = newestOf(engine.store.engine, 'id');
  const ranges = standingsOf(wanted).map(
    (each): Range<ListedWebhook> =>
      (limit) =>
        engine.store.db
          .selectFrom('events')
          .select(columns)
          .where('url', 'is not', null)
          .where(standing, '=', each)
          .where(newest.before(before))
          .orderBy(newest.order, newest.direction)
          .limit(limit)
          .execute(),
  );
  const found = await mergeRanges(ranges, (a, b) => b.id - a.id, readAhead(key, size));
  const page = pageOf(found, size, (row) => [row.id], key);
  const last = await lastDeliveries(engine, page.rows);
  return { ...page, rows: page.rows.map((row) => ({ ...row, last: last.get(row.id) })) };
}

/** The newest delivery of each. */
export async function lastDeliveries(
  engine: SandboxEngine,
  events: ReadonlyArray<Pick<EventRow, 'id'>>,
): Promise<Map<number, AttemptRow>> {
  if (events.length === 0) return new Map();
  const { db } = engine.store;
  const newest = await db
    .selectFrom('events')
    .select(({ selectFrom }) =>
      selectFrom('attempts')
        .select('attempts.id')
        .whereRef('attempts.event_id', '=', 'events.id')
        .orderBy('attempts.id', 'desc')
        .limit(1)
        .as('id'),
    )
    .where(
      'events.id',
      'in',
      events.map(({ id }) => id),
    )
    .execute();
  const ids = newest.flatMap(({ id }) => (id === null ? [] : [id]));
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('attempts').selectAll().where('id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.event_id, row]));
}

export interface WebhookStory {
  event: EventRow;
  /** The newest first. */
  deliveries: RangePage<AttemptRow>;
}

const MAX_DELIVERIES = 5;

export async function readWebhook(
  engine: SandboxEngine,
  id: number,
  key?: string,
): Promise<WebhookStory | undefined> {
  const { db } = engine.store;
  const event = await db.selectFrom('events').selectAll().where('id', '=', id).executeTakeFirst();
  if (!event) return undefined;
  const deliveries = await db
    .selectFrom('attempts')
    .selectAll()
    .where('event_id', '=', id)
    .where('id', '<', readNumberKey(key))
    .orderBy('id', 'desc')
    .limit(MAX_DELIVERIES + 1)
    .execute();
  return { event, deliveries: pageOf(deliveries, MAX_DELIVERIES, (row) => [row.id], key) };
}
