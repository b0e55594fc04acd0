// Why a payment is not to be refunded on the word of one line: what else the file, the service and this desk know of it.

import { findSettled, type SettledRow } from '../ledger/known/settled.js';
import type { FreshPayment } from './explain-exceptions.js';
import { hasOperation } from './match.js';
import type { Pass, PassTools } from './pass.js';
import type { Candidate } from './staging.js';
import { safeText } from '../output/text.js';
import { isExactly, isOwnCapture } from './verdict.js';

/** What the file has about a payment, as far as it may speak against a refund. */
export interface FileEvidence {
  /** Lines that did not simply agree, at most `MAX_EVIDENCE` of them. */
  lines: readonly Candidate[];
  hasRefund: boolean;
  /** The first capture in the file is not the one that the service shows, or has no ID to tell. */
  hasUnprovenCapture: boolean;
  /** Another known payment with the capture or the provider's reference of one of these lines. */
  otherPayment: string | undefined;
}

/** One capture that agrees once it was read, one extra capture: a third line is always one too many. */
const MAX_EVIDENCE = 3;

/** Looks up what the file has about payments, by their IDs. */
export async function findEvidence(
  tools: Pick<PassTools, 'store' | 'app' | 'staging'>,
  { seen }: Pass,
  payments: ReadonlyMap<string, number>,
): Promise<(paymentId: string) => FileEvidence> {
  const found = await tools.staging.linesOf([...payments.keys()], MAX_EVIDENCE);
  const owners = await ownersOf(tools, [...found.values()].flat());
  return (paymentId) => {
    const id = payments.get(paymentId) as number;
    const lines = found.get(paymentId) ?? [];
    return {
      lines,
      otherPayment: owners.find((row) => row.payment_id !== paymentId && lines.some(isOf(row)))?.payment_id,
      hasRefund: seen.has('refund', id),
      hasUnprovenCapture: seen.has('unproven-capture', id),
    };
  };
}

/** The known payments that second captures may belong to. */
async function ownersOf(
  { store, app }: Pick<PassTools, 'store' | 'app'>,
  candidates: readonly Candidate[],
): Promise<SettledRow[]> {
  const lines = candidates.flatMap(({ line, firstLine }) => (firstLine === undefined ? [] : [line]));
  const operations = lines.flatMap(({ operationId }) => operationId ?? []);
  const references = lines.flatMap(({ providerReference }) => providerReference ?? []);
  const owners = await Promise.all([
    findSettled(store, app, 'capture_id', operations),
    findSettled(store, app, 'authorize_id', operations),
    findSettled(store, app, 'provider_reference', references),
  ]);
  return owners.flat();
}

const isOf =
  (row: SettledRow) =>
  ({ line: { operationId, providerReference } }: Candidate): boolean =>
    (operationId !== undefined && hasOperation(row, operationId)) ||
    (providerReference !== undefined && row.provider_reference === providerReference);

/** Undefined where nothing speaks against returning the money. */
export function objectionTo(
  { facts, explanation: { situation } }: FreshPayment,
  { lines, hasRefund, hasUnprovenCapture, otherPayment }: FileEvidence,
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
  if (otherPayment !== undefined) return `a line may belong to payment ${otherPayment}`;
  const { referenceId } = situation;
  const named = lines.find(({ line }) => line.reference !== undefined && line.reference !== referenceId);
  if (named) return `a line has the reference ${safeText(named.line.reference ?? '')}`;
  // What was not known when the file was read may be known since the payment was read.
  const isProven = !hasUnprovenCapture || lines.some(({ line }) => isOwnCapture(line, facts));
  return isProven ? undefined : 'no line has the capture that the service shows';
}
