import { sql } from 'kysely';
import type { DeskTables } from '../ledger/schema.js';
import type { Store } from '../store/store.js';
import type { Assessment, BatchAction } from './plan-row.js';

/** Marks rows that this ledger has sent before and that failed: they are sent again only when that is asked for. */
export type MarkFailed = (assessments: readonly Assessment[]) => Promise<Assessment[]>;

export function createMarkFailed(
  store: Store<DeskTables>,
  { appId }: { appId: string },
  action: BatchAction,
): MarkFailed {
  async function failedIn(paymentIds: readonly string[]): Promise<Map<string, number>> {
    const intents = await store.db
      .selectFrom('intents')
      .select(['payment_id', 'time'])
      .select(
        sql<
          string | null
        >`(select outcome from outcomes where intent_id = intents.id order by outcomes.id desc limit 1)`.as(
          'outcome',
        ),
      )
      .where('payment_id', 'in', [...paymentIds])
      .where('app_id', '=', appId)
      .where('retired', '=', 0)
      .where('operation', '=', action)
      .orderBy('id')
      .execute();
    const last = new Map(intents.map((intent) => [intent.payment_id, intent]));
    const failed = [...last.values()].filter(({ outcome }) => outcome === 'failed');
    return new Map(failed.map(({ payment_id: id, time }) => [id, time]));
  }

  return async (assessments) => {
    const acts = assessments.flatMap(({ verdict, payment }) =>
      verdict === 'act' && payment !== undefined ? [payment] : [],
    );
    if (acts.length === 0 || action === 'recheck' || action === 'charge') return [...assessments];
    const failed = await failedIn(acts);
    return assessments.map((each) => {
      const time = each.verdict === 'act' ? failed.get(each.payment ?? '') : undefined;
      if (time === undefined) return each;
      const sent = new Date(time).toISOString().slice(0, 19).replace('T', ' ');
      return { ...each, verdict: 'failed-before', why: `sent ${sent} and failed` };
    });
  };
}
