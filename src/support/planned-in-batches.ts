// What a batch is going to do with a payment: whoever answers its customer should know of it.

import { isSettleOperation, type SettleOperation } from '../contract/states.js';
import type { WaitingBatch } from '../ledger/moves/payment-record.js';
import { type Command, paydesk } from '../next-command.js';
import { safeText } from '../output/text.js';
import { ago } from './phrases.js';
import { nounOf } from '../payments/move/words.js';
import type { Situation } from './situation.js';

export interface PlannedInBatch {
  batchId: string;
  action: SettleOperation;
  operator: string;
  time: number;
  /** For a person. */
  text: string;
  command: Command;
}

export function plannedInBatches(
  waiting: readonly WaitingBatch[],
  { referenceId, now }: Pick<Situation, 'referenceId' | 'now'>,
): PlannedInBatch[] {
  return waiting
    .filter(({ reference_id }) => isSamePayment(reference_id, referenceId))
    .flatMap(({ id, action, operator, time }) => {
      if (!isSettleOperation(action)) return [];
      const text = `The ${nounOf(action)} of this payment is planned in batch ${id}, which ${safeText(operator)} started ${ago(time, now)}. It has not been sent yet.`;
      return [{ batchId: id, action, operator, time, text, command: paydesk('batch', 'status', id) }];
    });
}

/** A sandbox that was reset uses the same IDs for other payments. */
const isSamePayment = (planned: string | null, shown: string | undefined): boolean =>
  planned === null || shown === undefined || planned === shown;
