import type { DeskTables } from '../../ledger/schema.js';
import type { Store } from '../../store/store.js';
import { isOpen } from '../../ledger/moves/entries.js';
import type { Outcome } from '../../ledger/moves/operations.js';
import { lastOutcome, mayHaveLeft } from '../../ledger/moves/intent-conditions.js';
import { moment } from '../../output/time.js';
import type { Assessment, BatchAction } from './plan-row.js';

/**
 * Marks rows that this ledger has sent before. What failed is sent again only when that is asked for; what is open is
 * found out when the plan is applied, and not sent again; what is done is left out.
 */
export type MarkSent = (assessments: readonly Assessment[]) => Promise<Assessment[]>;

interface SentBefore {
  time: number;
  outcome: Outcome | null;
}

export function createMarkSent(
  store: Store<DeskTables>,
  { appId }: { appId: string },
  action: BatchAction,
): MarkSent {
  async function lastSent(paymentIds: readonly string[]): Promise<Map<string, SentBefore>> {
    const intents = await store.db
      .selectFrom('intents')
      .select(['payment_id', 'time'])
      .select(lastOutcome.as('outcome'))
      .where('payment_id', 'in', [...paymentIds])
      .where('app_id', '=', appId)
      .where('retired', '=', 0)
      .where('operation', '=', action)
      .where(mayHaveLeft)
      .orderBy('id')
      .execute();
    return new Map(intents.map(({ payment_id: id, time, outcome }) => [id, { time, outcome }]));
  }

  /** Of these references, those that this ledger has charged, as far as anybody knows. */
  async function charged(references: readonly string[]): Promise<Set<string | null>> {
    const intents = await store.db
      .selectFrom('intents')
      .select('reference_id')
      .where('reference_id', 'in', [...references])
      .where('app_id', '=', appId)
      .where('retired', '=', 0)
      .where('operation', '=', 'charge')
      .where(lastOutcome, 'not in', ['refused', 'unsent'])
      .execute();
    return new Set(intents.map(({ reference_id }) => reference_id));
  }

  async function markCharges(assessments: readonly Assessment[]): Promise<Assessment[]> {
    const references = assessments.flatMap(({ ifSent, reference }) => (ifSent && reference) ?? []);
    const sent = references.length === 0 ? undefined : await charged(references);
    return assessments.map(({ ifSent, ...each }) =>
      ifSent && sent?.has(ifSent.reference ?? null) ? ifSent : each,
    );
  }

  return async (assessments) => {
    if (action === 'charge') return markCharges(assessments);
    const acts = assessments.flatMap(({ verdict, payment }) =>
      verdict === 'act' && payment !== undefined ? [payment] : [],
    );
    if (acts.length === 0 || action === 'recheck') return [...assessments];
    const sent = await lastSent(acts);
    return assessments.map((each) => {
      const before = each.verdict === 'act' ? sent.get(each.payment ?? '') : undefined;
      return before ? marked(each, before) : each;
    });
  };
}

function marked(each: Assessment, { time, outcome }: SentBefore): Assessment {
  const sent = `sent ${moment(time)}`;
  if (outcome === 'failed') return { ...each, verdict: 'failed-before', why: `${sent} and failed` };
  if (outcome === 'done') {
    const why = `${sent} and done, but the service shows ${each.state ?? '?'}: an old copy, or it has lost the change`;
    return { ...each, verdict: 'conflict', why };
  }
  if (!isOpen(outcome ?? undefined)) return each;
  const stands = outcome === 'accepted' ? 'accepted' : 'outcome unknown';
  const note = `${sent}, ${stands}: will be checked, not sent again`;
  return { ...each, verdict: 'check', why: each.why === undefined ? note : `${each.why}; ${note}` };
}
