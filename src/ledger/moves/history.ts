import type { Store } from '../../store/store.js';
import { outcomeOf, UNNAMED } from './entries.js';
import type { IntentOperation, Outcome } from './operations.js';
import type { DeskTables, IntentRow, OutcomeRow } from '../schema.js';

interface HistoryFilter {
  appId?: string | undefined;
  /** A paymentId or a reference. */
  payment?: string | undefined;
  operation?: IntentOperation | undefined;
  outcome?: Outcome | undefined;
  operator?: string | undefined;
  ticket?: string | undefined;
  since?: number | undefined;
  batchId?: string | undefined;
}

const PAGE_SIZE = 500;

/** An intent and its outcome, as people and programs read it. */
export interface HistoryRecord {
  id: number;
  time: string;
  operation: IntentOperation;
  outcome: Outcome;
  /** Null while the answer to a create or charge is lost, and for changes to a customer. */
  paymentId: string | null;
  referenceId: string | null;
  customerId: string | null;
  amount: string | null;
  currency: string | null;
  before: string | null;
  after: string | null;
  why: string | null;
  outcomeTime: string | null;
  operator: string;
  reason: string | null;
  ticket: string | null;
  description: string | null;
  profile: string | null;
  kind: string;
  appId: string;
  baseUrl: string;
  batch: string | null;
  resendOf: number | null;
}

/** What was done, the newest first, a page at a time; calls `more` when there are more than the limit. */
export async function* readHistory(
  store: Store<DeskTables>,
  filter: HistoryFilter,
  { limit = Infinity, more }: { limit?: number; more?: () => void } = {},
): AsyncGenerator<HistoryRecord> {
  let given = 0;
  for (let before: number | undefined; ;) {
    const page = await readPage(store, filter, before);
    for (const entry of page) {
      if (given++ === limit) {
        more?.();
        return;
      }
      yield recordOf(entry);
    }
    before = page.at(-1)?.id;
    if (page.length < PAGE_SIZE) return;
  }
}

/** An intent with the last that is known of it. */
interface HistoryEntry extends IntentRow {
  last: Pick<OutcomeRow, 'outcome' | 'after_state' | 'why' | 'time'> | undefined;
}

function recordOf(entry: HistoryEntry): HistoryRecord {
  const { last } = entry;
  return {
    id: entry.id,
    time: new Date(entry.time).toISOString(),
    operation: entry.operation,
    outcome: outcomeOf(entry),
    paymentId: entry.payment_id === UNNAMED ? null : entry.payment_id,
    referenceId: entry.reference_id,
    customerId: entry.customer_id,
    amount: entry.amount,
    currency: entry.currency,
    before: entry.before_state,
    after: last?.after_state ?? null,
    why: last?.why ?? null,
    outcomeTime: last === undefined ? null : new Date(last.time).toISOString(),
    operator: entry.operator,
    reason: entry.reason,
    ticket: entry.ticket,
    description: entry.description,
    profile: entry.profile,
    kind: entry.kind,
    appId: entry.app_id,
    baseUrl: entry.base_url,
    batch: entry.batch_id,
    resendOf: entry.resend_of,
  };
}

async function readPage(
  store: Store<DeskTables>,
  filter: HistoryFilter,
  before: number | undefined,
): Promise<HistoryEntry[]> {
  let query = store.db
    .selectFrom('intents')
    .leftJoin('outcomes', (join) =>
      join.on('outcomes.id', '=', (eb) =>
        eb
          .selectFrom('outcomes as later')
          .select(({ fn }) => fn.max('later.id').as('id'))
          .whereRef('later.intent_id', '=', 'intents.id'),
      ),
    )
    .selectAll('intents')
    .select([
      'outcomes.outcome as outcome',
      'outcomes.after_state as after_state',
      'outcomes.why as why',
      'outcomes.time as outcome_time',
    ])
    .orderBy('intents.id', 'desc')
    .limit(PAGE_SIZE);
  const { payment } = filter;
  if (before !== undefined) query = query.where('intents.id', '<', before);
  if (filter.appId !== undefined) query = query.where('app_id', '=', filter.appId);
  if (payment !== undefined) {
    query = query.where((eb) => eb.or([eb('payment_id', '=', payment), eb('reference_id', '=', payment)]));
  }
  if (filter.operation !== undefined) query = query.where('operation', '=', filter.operation);
  if (filter.operator !== undefined) query = query.where('intents.operator', '=', filter.operator);
  if (filter.ticket !== undefined) query = query.where('ticket', '=', filter.ticket);
  if (filter.since !== undefined) query = query.where('intents.time', '>=', filter.since);
  if (filter.batchId !== undefined) query = query.where('batch_id', '=', filter.batchId);
  if (filter.outcome === 'unknown') {
    query = query.where((eb) => eb.or([eb('outcome', 'is', null), eb('outcome', '=', 'unknown')]));
  } else if (filter.outcome !== undefined) {
    query = query.where('outcome', '=', filter.outcome);
  }
  const rows = await query.execute();
  return rows.map(({ outcome, after_state, why, outcome_time: time, ...intent }) => ({
    ...intent,
    last: outcome === null || time === null ? undefined : { outcome, after_state, why, time },
  }));
}
