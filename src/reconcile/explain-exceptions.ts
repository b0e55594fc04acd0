// Exceptions as they are shown: each payment is read afresh, so that nothing is reported that is settled by now.

import { firstLine } from '../errors.js';
import type { PaymentKey, PaymentRead } from '../client/payment-calls.js';
import { numberText } from '../contract/json.js';
import type { SettledRow } from '../ledger/known/settled.js';
import { idOf } from '../payments/named-payments.js';
import { explain, type ExplainOptions, type Explanation } from '../support/explain.js';
import { movesMoney } from '../support/action.js';
import type { Records, Sources } from '../support/records.js';
import type { Client } from '../client/client.js';
import { describeException } from './describe.js';
import type { Exception } from './exception.js';
import type { SettlementLine } from './line.js';
import type { MatchedBy } from './match.js';
import { checkFirst, nextStepFor } from './next-step.js';
import type { PacedRead } from './reads.js';
import { type ExceptionName, type PaymentFacts, settledAmount } from './verdict.js';

export interface ExplainTools {
  client: Client;
  /** Reads many payments at a pace that the service can take. */
  readAll(keys: readonly PaymentKey[]): Promise<PacedRead[]>;
  records: Records;
  options: ExplainOptions;
  /** Called with the number of payments or lines that were just looked at. */
  onRead: (count: number) => void;
}

/** A payment as it was just read, with what `payments explain` says of it. */
export interface FreshPayment {
  read: PaymentRead;
  explanation: Explanation;
  facts: PaymentFacts;
}

/** By payment ID: the payment, or why the service does not show it. */
export type FreshPayments = Map<string, FreshPayment | { problem: string; isMissing: boolean }>;

export async function readFresh(tools: ExplainTools, paymentIds: Iterable<string>): Promise<FreshPayments> {
  const ids = [...new Set(paymentIds)];
  const results = await tools.readAll(ids.map((paymentId) => ({ paymentId })));
  const reads = results.flatMap((result) => ('read' in result ? [result.read] : []));
  await tools.records.remember(reads);
  const sources = await tools.records.find(reads);
  const fresh: FreshPayments = new Map();
  for (const [index, result] of results.entries()) {
    const id = ids[index] as string;
    if ('read' in result) {
      fresh.set(id, freshPayment(tools, result.read, sources[reads.indexOf(result.read)] as Sources));
    } else {
      const { code, message } = result.error;
      fresh.set(id, { problem: firstLine(message), isMissing: code === 'not-found' });
    }
  }
  return fresh;
}

function freshPayment({ client, options }: ExplainTools, read: PaymentRead, sources: Sources): FreshPayment {
  const { amount, capturedAmount, currency, payInfo, paymentState } = read.fields;
  const text = (value: typeof amount) => (value === undefined ? undefined : numberText(value));
  return {
    read,
    explanation: explain(client, read, sources, options),
    facts: {
      state: read.state ?? paymentState ?? '',
      amount: text(amount),
      capturedAmount: text(capturedAmount),
      currency,
      fee: text(payInfo?.providerFee),
      captureId: payInfo?.captureId,
      authorizeId: payInfo?.authorizeId,
    },
  };
}

interface Found {
  exception: ExceptionName;
  payment?: FreshPayment | undefined;
  /** Where the payment could not be read, and no line names it. */
  paymentId?: string;
  matchedBy?: MatchedBy | undefined;
  firstLine?: number | undefined;
  suggestion?: SettledRow | undefined;
  /** The reason not to move money for the payment. */
  objection?: string | undefined;
  /** Why the payment could not be read. */
  problem?: string | undefined;
  profile: string | undefined;
}

/** `line` is what the file has, or for a payment that it lacks, what it should have. */
export function buildException(
  line: Omit<SettlementLine, 'line'> & { line: number | null },
  found: Found,
): Exception {
  const { payment, suggestion } = found;
  const facts = {
    line: line.line,
    exception: found.exception,
    kind: line.kind,
    amount: line.amount,
    currency: line.currency,
    fee: line.fee ?? null,
    at: line.at ?? null,
    providerReference: line.providerReference ?? null,
    operationId: line.operationId ?? null,
    reference: line.reference ?? payment?.read.fields.referenceId ?? null,
    payment: payment ? idOf(payment.read) : (found.paymentId ?? null),
    matchedBy: found.matchedBy ?? null,
    state: payment?.facts.state ?? null,
    serviceAmount: (payment && settledAmount(payment.facts)) ?? null,
    serviceCurrency: payment?.facts.currency ?? null,
    serviceFee: payment?.facts.fee ?? null,
    firstLine: found.firstLine ?? null,
    suggestion: suggestion
      ? { payment: suggestion.payment_id, reference: suggestion.reference_id, state: suggestion.state }
      : null,
  };
  const wanted = payment && nextStepFor(found.exception, payment.explanation, found.profile);
  // The text of a second capture speaks of a refund, so it also says why there is none.
  const isAboutMoney = found.exception === 'captured-twice' || (wanted && movesMoney(wanted));
  const objection = isAboutMoney ? found.objection : undefined;
  const isBarred = objection !== undefined && (wanted === undefined || movesMoney(wanted));
  const step = payment && isBarred ? checkFirst(payment.explanation, found.profile) : wanted;
  return {
    ...facts,
    text: describeException({
      ...facts,
      captureId: payment?.facts.captureId,
      problem: found.problem,
      objection,
    }),
    verdict: payment?.explanation.verdict ?? null,
    severity: payment?.explanation.severity ?? null,
    next: step ? { operation: step.operation, command: step.command, movesMoney: movesMoney(step) } : null,
  };
}
