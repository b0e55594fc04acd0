import type { Plan } from './batches.ts';
import type { Records } from './check.ts';
import type { BatchRecord, BatchRow } from '../../src/ledger/schema.js';

/** Every row of a batch is in one final state that agrees with the service, and a plan became one batch at most. */
export function checkBatches(
  {
    rows,
    batches,
    plans,
  }: { rows: readonly BatchRow[]; batches: readonly BatchRecord[]; plans: readonly Plan[] },
  { operations, intents, instructions }: Records,
  violate: (text: string) => void,
): void {
  for (const { file } of plans) {
    const made = batches.filter(({ digest }) => digest.startsWith(file.digest)).map(({ id }) => id);
    if (made.length > 1) violate(`${file.header.id} was applied as ${made.join(' and ')}`);
  }
  for (const row of rows) {
    const { batch_id, line, payment_id, outcome, finished, planned } = row;
    if (planned === 0) continue;
    const action = batches.find(({ id }) => id === batch_id)?.action;
    const what = `line ${line} of ${batch_id} (${action} of ${payment_id}) ended as ${outcome}`;
    if (finished !== 1) {
      violate(`${what} and is not finished`);
      continue;
    }
    const took = operations.filter((each) => String(each.payment_id) === payment_id && each.kind === action);
    const own = intents.filter((each) => each.batch_id === batch_id && each.payment_id === payment_id);
    const ownTook = took.filter(({ id }) =>
      instructions.some(
        (each) => each.operationId === id && own.some(({ operator }) => operator === each.process),
      ),
    );
    const has = (status: string) => took.some((each) => each.status === status);
    if (outcome === 'done' && !has('done')) violate(`${what} and is not done`);
    else if (outcome === 'failed' && !has('failed')) violate(`${what} and did not fail`);
    else if (outcome === 'skipped' && own.length > 0 && ownTook.length > 0)
      violate(`${what} and was carried out`);
    else if (outcome === 'refused' && ownTook.some(({ status }) => status !== 'failed')) {
      violate(`${what} and was carried out`);
    } else if (!['done', 'failed', 'skipped', 'refused'].includes(outcome ?? '')) violate(what);
  }
}
