// What happened to a payment, the newest first: its changes of state with their webhooks, what was asked for, and
// what went to and fro with the provider.

import type { SandboxEngine } from '../engine.js';
import type { AttemptRow, EventRow, ExchangeRow, OperationRow } from '../schema.js';
import { readKey, writeKey } from './ranges.js';
import { lastDeliveries } from './webhook-list.js';

export type ConsoleEntry =
  | { kind: 'change'; row: EventRow; delivery?: AttemptRow | undefined }
  | { kind: 'operation'; row: OperationRow }
  | { kind: 'exchange'; row: ExchangeRow };

export interface PaymentTimeline {
  entries: ConsoleEntry[];
  /** Where the older ones begin. */
  next?: string;
}

/** A page of the worst that can be in them stays below 50 KB. */
const TIMELINE_SIZE = 14;
const LATEST = Number.MAX_SAFE_INTEGER;
/** What the column for the number of changes can hold. */
const MAX_CHANGES = 2 ** 31 - 1;

export async function readTimeline(
  engine: SandboxEngine,
  paymentId: number,
  key: string | undefined,
  size = TIMELINE_SIZE,
): Promise<PaymentTimeline> {
  // The oldest of each that was shown so far.
  const before = readKey(key, ['number', 'number', 'number']) ?? ([LATEST, LATEST, LATEST] as const);
  const read = async <Kind extends ConsoleEntry['kind']>(kind: Kind, table: Tables[Kind], oldest: number) => {
    const order = kind === 'change' ? 'version' : 'id';
    const most = kind === 'change' ? MAX_CHANGES : LATEST;
    const rows = await engine.store.db
      .selectFrom(table as 'events')
      .selectAll()
      .where('payment_id', '=', paymentId)
      .where(order, '<', Math.min(oldest, most))
      .orderBy(order, 'desc')
      .limit(size + 1)
      .execute();
    return rows.map((row) => ({ kind, row }) as ConsoleEntry & { kind: Kind });
  };
  const changes = await read('change', 'events', before[0]);
  const operations = await read('operation', 'operations', before[1]);
  const exchanges = await read('exchange', 'exchanges', before[2]);
  const found = [...changes, ...operations, ...exchanges].sort(laterFirst);
  const shown = found.slice(0, size);
  const oldest = (kind: ConsoleEntry['kind'], index: number) =>
    orderOf(shown.findLast((entry) => entry.kind === kind)) ?? before[index] ?? LATEST;
  const next = [oldest('change', 0), oldest('operation', 1), oldest('exchange', 2)];
  return {
    entries: await withDeliveries(engine, shown),
    ...(found.length > size && { next: writeKey(next) }),
  };
}

/** By which those of one kind are in order, and indexed. */
const orderOf = (entry: ConsoleEntry | undefined): number | undefined =>
  entry?.kind === 'change' ? entry.row.version : entry?.row.id;

interface Tables {
  change: 'events';
  operation: 'operations';
  exchange: 'exchanges';
}

const ranks = { change: 0, operation: 1, exchange: 2 };

/** By the payment's own count of changes: a stopped clock gives many things one time. */
function laterFirst(a: ConsoleEntry, b: ConsoleEntry): number {
  const isChange = (entry: ConsoleEntry) => Number(entry.kind === 'change');
  return (
    b.row.version - a.row.version ||
    // A change begins its version; all else of that version comes after it.
    isChange(a) - isChange(b) ||
    b.row.time - a.row.time ||
    ranks[b.kind] - ranks[a.kind] ||
    b.row.id - a.row.id
  );
}

async function withDeliveries(engine: SandboxEngine, entries: ConsoleEntry[]): Promise<ConsoleEntry[]> {
  const changes = entries.flatMap((entry) => (entry.kind === 'change' ? [entry.row] : []));
  const deliveries = await lastDeliveries(engine, changes);
  return entries.map((entry) =>
    entry.kind === 'change' ? { ...entry, delivery: deliveries.get(entry.row.id) } : entry,
  );
}

const PATH_LENGTH = 200;

/** The states that a payment went through, in order; the last of them when it went through very many. */
export async function timelinePath(
  engine: SandboxEngine,
  paymentId: number,
): Promise<Array<EventRow['to_state']>> {
  const rows = await engine.store.db
    .selectFrom('events')
    .select('to_state')
    .where('payment_id', '=', paymentId)
    .orderBy('version', 'desc')
    .limit(PATH_LENGTH)
    .execute();
  return rows.map((row) => row.to_state).toReversed();
}
