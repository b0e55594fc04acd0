// Why a payment is not to be refunded on the word of one line: what else the file, the service and this desk know of it.

import { findSettled, type SettledRow } from '../ledger/known/settled.js';
import { idOf } from '../payments/named-payments.js';
import type { FreshPayment, FreshPayments } from './explain-exceptions.js';
import { hasOperation } from './match.js';
import type { Pass, PassTools } from './pass.js';
import type { SettlementLine } from './line.js';
import { plainId } from './plain-id.js';
import { type Candidate, idsOf } from './staging.js';
import { safeText } from '../output/text.js';
import { isExactly, isOwnCapture } from './verdict.js';

/** What the file has about a payment, as far as it may be a reason against a refund. */
export interface FileEvidence {
  /** Lines that did not simply agree or have an ID that the payment does not have, at most `MAX_EVIDENCE` of them. */
  lines: readonly Candidate[];
  /** The first capture in the file, where it is one of these lines. */
  firstCapture: SettlementLine | undefined;
  hasRefund: boolean;
  /** The first capture in the file is not the one that the service shows, or has no ID to tell. */
  hasUnprovenCapture: boolean;
  /** Another known payment with the capture or the provider's reference of one of these lines. */
  otherPayment: string | undefined;
  /** A line that is not about the payment, and has an ID or a reference of it or of one of these lines. */
  relatedLine: number | undefined;
}

/** One capture that agrees once it was read, one extra capture: a third line is always one too many. */
const MAX_EVIDENCE = 3;

/** Looks up what the file has about payments, by their IDs. */
export async function findEvidence(
  tools: Pick<PassTools, 'store' | 'app' | 'staging'>,
  { seen }: Pass,
  { payments, fresh }: { payments: ReadonlyMap<string, number>; fresh: FreshPayments },
): Promise<(paymentId: string) => FileEvidence> {
  const found = await tools.staging.linesOf([...payments.keys()], MAX_EVIDENCE);
  const twice = [...found.values()].filter((lines) => lines.some(isSecond));
  const owners = await ownersOf(tools, twice.flat());
  const related = new Map<string, number>();
  for (const [paymentId, lines] of found) {
    const other = lines.some(isSecond) ? await relatedLineOf(tools, lines, fresh.get(paymentId)) : undefined;
    if (other !== undefined) related.set(paymentId, other);
  }
  return (paymentId) => {
    const id = payments.get(paymentId) as number;
    const lines = found.get(paymentId) ?? [];
    return {
      lines,
      firstCapture: lines.find(({ line, firstLine }) => line.kind === 'capture' && firstLine === undefined)
        ?.line,
      otherPayment: owners.find((row) => row.payment_id !== paymentId && lines.some(isOf(row)))?.payment_id,
      relatedLine: related.get(paymentId),
      hasRefund: seen.has('refund', id),
      hasUnprovenCapture: seen.has('unproven-capture', id),
    };
  };
}

const isSecond = ({ firstLine }: Candidate): boolean => firstLine !== undefined;

async function relatedLineOf(
  { staging }: Pick<PassTools, 'staging'>,
  lines: readonly Candidate[],
  payment: ReturnType<FreshPayments['get']>,
): Promise<number | undefined> {
  if (payment === undefined || 'problem' in payment) return undefined;
  const ids = [...lines.flatMap(({ line }) => idsOf(line)), ...namesOf(payment)];
  return (await staging.otherLineWith(ids, idOf(payment.read)))?.line;
}

/** Everything that a line could name the payment by. */
export function namesOf({ read, facts: { captureId, authorizeId } }: FreshPayment): string[] {
  const { referenceId, payInfo } = read.fields;
  const names = [idOf(read), referenceId, payInfo?.providerReferenceId, captureId, authorizeId];
  return names.flatMap((name) => (name === undefined ? [] : [plainId(name)]));
}

/** The known payments that two captures may belong to: either of them may be the extra one. */
async function ownersOf(
  { store, app }: Pick<PassTools, 'store' | 'app'>,
  candidates: readonly Candidate[],
): Promise<SettledRow[]> {
  // A file may have an ID in another column than the service.
  const ids = candidates.flatMap(({ line: { operationId, providerReference } }) => [
    ...(operationId === undefined ? [] : [operationId]),
    ...(providerReference === undefined ? [] : [providerReference]),
  ]);
  const keys = ['capture_id', 'authorize_id', 'provider_reference'] as const;
  const owners = await Promise.all(keys.map((key) => findSettled(store, app, key, ids)));
  return owners.flat();
}

const isOf =
  (row: SettledRow) =>
  ({ line: { operationId, providerReference } }: Candidate): boolean =>
    [operationId, providerReference].some(
      (id) => id !== undefined && (hasOperation(row, id) || row.provider_reference === id),
    );

/** Undefined where there is no reason against a refund. */
export function objectionTo(
  payment: FreshPayment,
  { lines, hasRefund, hasUnprovenCapture, otherPayment, relatedLine }: FileEvidence,
): string | undefined {
  const { facts, explanation } = payment;
  const { situation } = explanation;
  if (facts.state !== 'Captured') return `the service shows ${facts.state || 'no state'}`;
  const sent = situation.outcomes.refund;
  if (sent === 'unknown' || sent === 'accepted') return 'the outcome of an earlier refund is unknown';
  const other = lines.find(({ line }) => line.kind !== 'capture')?.line.kind;
  if (hasRefund || other !== undefined) return `the file also has a line of kind ${other ?? 'refund'}`;
  if (lines.filter(isSecond).length > 1) {
    return 'the file has more than two captures';
  }
  if (!lines.every(({ line }) => isExactly(line, facts))) {
    return 'the amount or the currency of a capture differs';
  }
  if (otherPayment !== undefined) return `a line may belong to payment ${otherPayment}`;
  if (relatedLine !== undefined) return `line ${relatedLine} has an ID or a reference of the same payment`;
  const names = namesOf(payment);
  if (lines.some(({ line }) => !isOwnCapture(line, facts) && names.includes(plainId(line.operationId ?? ''))))
    return 'a line has a name of the payment where the ID of its capture should be';
  const { referenceId } = situation;
  const named = lines.find(({ line }) => line.reference !== undefined && line.reference !== referenceId);
  if (named) return `a line has the reference ${safeText(named.line.reference ?? '')}`;
  // What was not known when the file was read may be known since the payment was read.
  const isProven = !hasUnprovenCapture || lines.some(({ line }) => isOwnCapture(line, facts));
  return isProven ? undefined : 'no line has the capture that the service shows';
}
