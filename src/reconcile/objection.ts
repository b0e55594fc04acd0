// Why a payment is not to be refunded on the word of one line: what else the file, the service and this desk know of it.

import type { FreshPayment } from './explain-exceptions.js';
import type { Pass } from './pass.js';
import type { Candidate, CandidateStaging } from './staging.js';
import { isExactly, isOwnCapture } from './verdict.js';

/** What the file has about a payment, as far as it may speak against a refund. */
export interface FileEvidence {
  /** Lines that did not simply agree, at most `MAX_EVIDENCE` of them. */
  lines: readonly Candidate[];
  hasRefund: boolean;
  /** The first capture in the file is not the one that the service shows, or has no ID to tell. */
  hasUnprovenCapture: boolean;
}

/** One capture that agrees once it was read, one extra capture: a third line is always one too many. */
const MAX_EVIDENCE = 3;

/** Looks up what the file has about payments, by their IDs. */
export async function findEvidence(
  staging: CandidateStaging,
  { seen }: Pass,
  payments: ReadonlyMap<string, number>,
): Promise<(paymentId: string) => FileEvidence> {
  const found = await staging.linesOf([...payments.keys()], MAX_EVIDENCE);
  return (paymentId) => {
    const id = payments.get(paymentId) as number;
    return {
      lines: found.get(paymentId) ?? [],
      hasRefund: seen.has('refund', id),
      hasUnprovenCapture: seen.has('unproven-capture', id),
    };
  };
}

/** Undefined where nothing speaks against returning the money. */
export function objectionTo(
  { facts, explanation: { situation } }: FreshPayment,
  { lines, hasRefund, hasUnprovenCapture }: FileEvidence,
): string | undefined {
  if (facts.state !== 'Captured') return `the service shows ${facts.state || 'no state'}`;
  const sent = situation.outcomes.refund;
  if (sent === 'unknown' || sent === 'accepted') return 'the outcome of an earlier refund is unknown';
  const other = lines.find(({ line }) => line.kind !== 'capture')?.line.kind;
  if (hasRefund || other !== undefined) return `the file also has a line of kind ${other ?? 'refund'}`;
  if (lines.filter(({ firstLine }) => firstLine !== undefined).length > 1) {
    return 'the file has more than two captures';
  }
  if (!lines.every(({ line }) => isExactly(line, facts))) {
    return 'the amount or the currency of a capture differs';
  }
  // What was not known when the file was read may be known since the payment was read.
  const isProven = !hasUnprovenCapture || lines.some(({ line }) => isOwnCapture(line, facts));
  return isProven ? undefined : 'no line has the capture that the service shows';
}
