// The one rule: after an instruction may have left, the same instruction is not sent again for that payment until the
// quiet period has passed and a recheck and a read taken after it show the payment exactly as it was before. Judged by
// what went over the wire and by true time, whatever the program has on record.

import type { Instruction, Look } from './network.ts';
import { QUIET_MS } from './service-kind.ts';

/** What is wrong with sending this instruction now; undefined when the rule allows it. */
export function breaksRule(
  later: Instruction,
  instructions: readonly Instruction[],
  looks: readonly Look[],
  isLost: (instruction: Instruction) => boolean,
): string | undefined {
  const earlier = instructions.findLast(
    (each) => each.paymentId === later.paymentId && each.operation === later.operation,
  );
  if (!earlier) return undefined;
  const answered = earlier.answered === undefined ? 'without an answer' : `answered ${earlier.answered}`;
  const became = earlier.operationId === undefined ? 'not carried out' : 'carried out';
  const what = `${later.operation} of ${later.paymentId} was sent by ${later.process} after ${earlier.process} had sent it (${answered}, ${became})`;
  const quietEnds = earlier.sent + QUIET_MS;
  if (later.sent < quietEnds) {
    return `${what}, within the quiet period: ${seconds(later.sent - earlier.sent)} later`;
  }
  // Nobody has it on record any more; by now the service shows what became of it to whoever reads its names.
  if (isLost(earlier)) return undefined;
  // Whoever on the same ledger has seen it may have cleared it; whoever sends must have seen no less.
  const since = looks.filter(
    ({ paymentId, asked, answered: time }) =>
      paymentId === later.paymentId && asked >= quietEnds && time <= later.sent,
  );
  const rechecks = since.filter(({ kind }) => kind === 'recheck');
  if (rechecks.length === 0) return `${what}, without a recheck after the quiet period`;
  const read = since.findLast(
    ({ kind, asked }) => kind === 'read' && rechecks.some(({ answered: time }) => time <= asked),
  );
  if (!read) return `${what}, without a read after the recheck`;
  const recheck = rechecks.findLast(({ answered: time }) => time <= read.asked);
  const shown = [recheck?.state ?? earlier.before, read.state, later.before];
  const other = shown.find((state) => state !== earlier.before);
  if (other !== undefined) return `${what}, though it was ${earlier.before} and then showed ${other}`;
  return undefined;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
