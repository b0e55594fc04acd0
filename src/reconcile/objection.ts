// Why a payment is not to be refunded on the word of one line: what else the file, the service and this desk know of it.

import { findSettled, type SettledRow } from '../ledger/known/settled.js';
import { idOf } from '../payments/named-payments.js';
import type { FreshPayment, FreshPayments } from './explain-exceptions.js';
import { idWithoutPunctuation } from './id-without-punctuation.js';
import { hasOperation } from './match.js';
import type { Pass, PassTools } from './pass.js';
import type { SettlementLine } from './line.js';
import type { Candidate } from './staging.js';
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
  /** A line that may take back any charge of the same amount. */
  unnamedLine: number | undefined;
  /** The service shows an ID or a reference that the lines were not searched for. */
  hasNewName: boolean;
}

/** One capture that agrees once it was read, one extra capture: a third line is always one too many. */
export const MAX_EVIDENCE = 3;

/** Looks up what the file has about payments, by their IDs. */
export async function findEvidence(
  tools: Pick<PassTools, 'store' | 'app' | 'staging'>,
  { seen }: Pass,
  { payments, fresh }: { payments: ReadonlyMap<string, number>; fresh: FreshPayments },
): Promise<(paymentId: string) => FileEvidence> {
  const found = await tools.staging.linesOf([...payments.keys()], MAX_EVIDENCE);
  const twice = [...found.values()].filter((lines) => lines.some(isSecond));
  const owners = await ownersOf(tools, twice.flat());
  const related = await tools.staging.relatedTo([...payments.keys()]);
  const unnamed = new Map<string, number>();
  const renamed = new Set<string>();
  for (const [paymentId, lines] of found) {
    if (!lines.some(isSecond)) continue;
    const line = await unnamedLineOf(tools, lines);
    if (line !== undefined) unnamed.set(paymentId, line);
    const payment = fresh.get(paymentId);
    if (payment && 'facts' in payment && !(await tools.staging.hasNames(paymentId, namesOf(payment))))
      renamed.add(paymentId);
  }
  return (paymentId) => {
    const id = payments.get(paymentId) as number;
    const lines = found.get(paymentId) ?? [];
    return {
      lines,
      firstCapture: lines.find(isFirstCapture)?.line,
      otherPayment: owners.find((row) => row.payment_id !== paymentId && lines.some(isOf(row)))?.payment_id,
      relatedLine: related.get(paymentId),
      unnamedLine: unnamed.get(paymentId),
      hasNewName: renamed.has(paymentId),
      hasRefund: seen.has('refund', id),
      hasUnprovenCapture: seen.has('unproven-capture', id),
    };
  };
}

const isFirstCapture = ({ line, firstLine }: Candidate): boolean =>
  line.kind === 'capture' && firstLine === undefined && !line.isNotBooked;

const isSecond = ({ firstLine }: Candidate): boolean => firstLine !== undefined;

async function unnamedLineOf(
  { staging }: Pick<PassTools, 'staging'>,
  lines: readonly Candidate[],
): Promise<number | undefined> {
  // Either of two captures may be the extra one.
  for (const { line } of lines) {
    const found = await staging.unnamedAfter(line);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Everything that a line could name the payment by. */
export function namesOf({ read, facts: { captureId, authorizeId } }: FreshPayment): string[] {
  const { referenceId, payInfo } = read.fields;
  const names = [idOf(read), referenceId, payInfo?.providerReferenceId, captureId, authorizeId];
  return names.filter((name) => name !== undefined);
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
  { lines, hasRefund, hasUnprovenCapture, otherPayment, ...evidence }: FileEvidence,
): string | undefined {
  const { facts, explanation } = payment;
  const { situation } = explanation;
  if (facts.state !== 'Captured') return `the service shows ${facts.state || 'no state'}`;
  const sent = situation.outcomes.refund;
  if (sent === 'unknown' || sent === 'accepted') return 'the outcome of an earlier refund is unknown';
  const announced = lines.find(({ line }) => line.isNotBooked)?.line;
  if (announced) return `line ${announced.line} is about the payment, and not booked yet`;
  const other = lines.find(({ line }) => line.kind !== 'capture')?.line.kind;
  if (hasRefund || other !== undefined) return `the file also has a line of kind ${other ?? 'refund'}`;
  if (lines.filter(isSecond).length > 1) {
    return 'the file has more than two captures';
  }
  if (!lines.every(({ line }) => isExactly(line, facts))) {
    return 'the amount or the currency of a capture differs';
  }
  if (otherPayment !== undefined) return `a line may belong to payment ${otherPayment}`;
  const { relatedLine, unnamedLine, hasNewName } = evidence;
  if (relatedLine !== undefined) return `line ${relatedLine} has an ID or a reference of the same payment`;
  if (unnamedLine !== undefined)
    return `line ${unnamedLine} has the same amount, and no payment is found for it`;
  if (hasNewName) return 'the service showed another ID or reference while the file was compared';
  const names = namesOf(payment).map((name) => idWithoutPunctuation(name).text);
  const isName = (id: string | undefined) =>
    id !== undefined && names.includes(idWithoutPunctuation(id).text);
  if (lines.some(({ line }) => !isOwnCapture(line, facts) && isName(line.operationId)))
    return 'a line has a name of the payment where the ID of its capture should be';
  const { referenceId } = situation;
  const named = lines.find(({ line }) => line.reference !== undefined && line.reference !== referenceId);
  if (named) return `a line has the reference ${safeText(named.line.reference ?? '')}`;
  // What was not known when the file was read may be known since the payment was read.
  const isProven = !hasUnprovenCapture || lines.some(({ line }) => isOwnCapture(line, facts));
  return isProven ? undefined : 'no line has the capture that the service shows';
}
