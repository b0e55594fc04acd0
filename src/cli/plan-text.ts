import type { makePlan } from '../batch/plan.js';
import { planHeader, planLines } from '../batch/plan-file.js';
import type { BatchAction } from '../batch/plan-row.js';
import { safeJson } from '../output/text.js';
import type { KnownProfile } from '../profiles/resolve.js';

/** The text of a plan file: for this app, and sealed with the key of this ledger. */
export function planText(
  plan: Awaited<ReturnType<typeof makePlan>>,
  action: BatchAction,
  { profile, ledger, now }: { profile: KnownProfile; ledger: { id: string; planKey: string }; now: Date },
): () => AsyncGenerator<string> {
  const { baseUrl, appId, kind, name } = profile;
  const header = planHeader(
    action,
    { baseUrl, appId, kind, profile: name },
    { ledger: ledger.id, now, file: plan.format },
  );
  return () => planLines(header, plan.rowsInOrder(), plan, { key: ledger.planKey, json: safeJson });
}
