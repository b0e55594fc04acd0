import type { Plan } from './batches.ts';
import { capturedByItself, staysUnknown, type Records } from './check.ts';
import type { BatchRecord, BatchRow } from '../../src/ledger/schema.js';

/** Every row of a batch is in one final state that agrees with the service, and a plan became one batch at most. */
export function checkBatches(
  {
    rows,
    batches,
    plans,
  }: { rows: readonly BatchRow[]; batches: readonly BatchRecord[]; plans: readonly Plan[] },
  records: Records,
  violate: (text: string) => void,
): void {
  const { operations, intents, instructions, readable, rechecks, clocksJump } = records;
  for (const { file } of plans) {
    const made = batches.filter(({ digest }) => digest.startsWith(file.digest)).map(({ id }) => id);
    if (made.length > 1) violate(`${file.header.id} was applied as ${made.join(' and ')}`);
  }
  for (const row of rows) {
    const { batch_id, line, payment_id, outcome, finished, planned } = row;
    if (planned === 0) continue;
    const action = batches.find(({ id }) => id === batch_id)?.action;
    const what = `line ${line} of ${batch_id} (${action} of ${payment_id}) ended as ${outcome}`;
    const own = intents.filter((each) => each.batch_id === batch_id && each.payment_id === payment_id);
    if (finished !== 1) {
      // The same instruction holds the payment, in this batch or outside of it.
      const held = intents.filter((each) => each.operation === action && each.payment_id === payment_id);
      const isStuck = held.some((intent) => staysUnknown(records, intent));
      // When a row is looked at again is a time of the wall clock.
      if (!readable || !rechecks || clocksJump || isStuck) continue;
      violate(`${what} and is not finished`);
      continue;
    }
    const took = operations.filter((each) => String(each.payment_id) === payment_id && each.kind === action);
    const ownTook = took.filter(({ id }) =>
      instructions.some(
        (each) =>
          each.operationId === id &&
          !each.lied &&
          isRunner(each.process) &&
          own.some(({ operator }) => operator === each.process),
      ),
    );
    const has = (status: string) => took.some((each) => each.status === status);
    const byItself = action === 'capture' && capturedByItself(records, Number(payment_id));
    if (outcome === 'done' && !has('done') && !byItself) violate(`${what} and is not done`);
    else if (outcome === 'failed' && ownTook.some(({ status }) => status === 'done'))
      violate(`${what} and is done`);
    else if (outcome === 'skipped' && own.length > 0 && ownTook.length > 0)
      violate(`${what} and was carried out`);
    else if (outcome === 'refused' && ownTook.some(({ status }) => status !== 'failed')) {
      violate(`${what} and was carried out`);
    } else if (!['done', 'failed', 'skipped', 'refused'].includes(outcome ?? '') && readable && rechecks) {
      violate(what);
    }
  }
}

/** A person who sends a row again on their own is not told of by its batch. */
const isRunner = (process: string): boolean => /applier|runner/.test(process);
