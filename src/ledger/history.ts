import type { Store } from '../store/store.js';
import type { Entry } from './ledger.js';
import type { DeskTables } from './schema.js';

export interface HistoryFilter {
  baseUrl?: string | undefined;
  appId?: string | undefined;
  /** A paymentId or a reference. */
  payment?: string | undefined;
  operation?: string | undefined;
  outcome?: string | undefined;
  operator?: string | undefined;
  ticket?: string | undefined;
  since?: number | undefined;
  batchId?: string | undefined;
}

const PAGE = 500;

/** What was done, the newest first, a page at a time. */
export async function* readHistory(store: Store<DeskTables>, filter: HistoryFilter): AsyncGenerator<Entry> {
  for (let before: number | undefined; ;) {
    const page = await readPage(store, filter, before);
    yield* page;
    before = page.at(-1)?.id;
    if (page.length < PAGE) return;
  }
}

async function readPage(
  store: Store<DeskTables>,
  filter: HistoryFilter,
  before: number | undefined,
): Promise<Entry[]> {
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
      'outcomes.id as outcome_id',
      'outcomes.outcome as outcome',
      'outcomes.after_state as after_state',
      'outcomes.why as why',
      'outcomes.http_status as http_status',
      'outcomes.operator as outcome_operator',
      'outcomes.time as outcome_time',
    ])
    .orderBy('intents.id', 'desc')
    .limit(PAGE);
  const { payment } = filter;
  if (before !== undefined) query = query.where('intents.id', '<', before);
  if (filter.baseUrl !== undefined) query = query.where('base_url', '=', filter.baseUrl);
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
  return rows.map(
    ({ outcome_id, outcome, after_state, why, http_status, outcome_operator, outcome_time, ...intent }) => ({
      ...intent,
      last:
        outcome_id === null || outcome === null || outcome_operator === null || outcome_time === null
          ? undefined
          : {
              id: outcome_id,
              intent_id: intent.id,
              outcome,
              after_state,
              why,
              http_status,
              operator: outcome_operator,
              time: outcome_time,
            },
    }),
  );
}
