// What `batch resume` does with a batch as it stands: it may send, or may only read.

import { countText } from '../contract/amount-format.js';
import { addWords, type Command, paydesk } from '../next-command.js';
import { whenText } from '../output/time.js';
import type { BatchCounts } from './rows/counts.js';
import type { Remaining } from './rows/remaining.js';

interface ResumeStep {
  /** What the command does: whole sentences. */
  text: string;
  command: Command;
}

interface Standing {
  counts: Pick<BatchCounts, 'pending' | 'unknown'>;
  remaining: Remaining;
}

export interface ResumeOptions {
  /** What the command needs where it sends, because nobody can be asked. */
  sendingFlags?: readonly string[];
  /** A person had just decided to send unknown rows again. */
  resent?: boolean;
}

/** Undefined where nothing is left to send and no outcome is unknown. */
export function resumeStep(
  id: string,
  { counts, remaining }: Standing,
  { sendingFlags = [], resent = false }: ResumeOptions = {},
): ResumeStep | undefined {
  const { pending, unknown } = counts;
  const command = paydesk('batch', 'resume', id);
  const sending = addWords(command, ...sendingFlags);
  if (pending > 0) return continued({ counts, remaining }, { command, sending });
  if (unknown === 0) return undefined;
  const { resendable, heldMs } = remaining;
  if (resendable === 0) return { text: `batch resume ${readsAgain(unknown)}`, command };
  if (heldMs > 0) {
    const text = `The service may still carry out what it was sent. Run batch resume again ${whenText(heldMs)}: it ${readsAgain(unknown)}`;
    return { text, command };
  }
  if (resent) return { text: notResent(unknown), command: paydesk('batch', 'report', id) };
  return { text: decision(unknown), command: addWords(sending, '--resend-unmoved') };
}

function continued(
  { counts: { pending, unknown }, remaining: { onlyChecked } }: Standing,
  { command, sending }: { command: Command; sending: Command },
): ResumeStep {
  const toSend = pending - onlyChecked;
  const checked = onlyChecked + unknown;
  if (toSend === 0) return { text: `batch resume ${readsAgain(checked)}`, command };
  const rows = toSend === 1 ? 'row' : `${countText(toSend)} rows`;
  return { text: `batch resume sends the remaining ${rows}${checksText(checked)}.`, command: sending };
}

function checksText(checked: number): string {
  if (checked === 0) return '';
  return checked === 1
    ? ', and checks the one that was sent'
    : `, and checks the ${countText(checked)} that were sent`;
}

const readsAgain = (rows: number): string =>
  rows === 1 ? 'reads the payment and sends nothing.' : 'reads the payments and sends nothing.';

/** However often the payments are read, nothing changes: only a person can decide. */
const decision = (unknown: number): string =>
  unknown === 1
    ? 'The payment does not show the outcome. You can decide to send it again: --resend-unmoved does so if its payment is exactly as it was.'
    : 'The payments do not show the outcomes. You can decide to send them again: --resend-unmoved sends those whose payment is exactly as it was.';

const notResent = (unknown: number): string =>
  unknown === 1
    ? 'paydesk does not send it again while its payment is not exactly as it was. batch report says more.'
    : 'paydesk does not send them again while their payments are not exactly as they were. batch report says more.';
