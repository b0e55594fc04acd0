// What must hold after every seed, from what the service, its provider, the ledger and the network each have on record.

import type { IntentRow, OutcomeRow } from '../../src/ledger/schema.js';
import type { ExchangeRow, OperationRow, PaymentRow } from '../../src/sandbox/schema.js';
import type { Instruction } from './network.ts';
import { QUIET_MS, type Report } from './operators.ts';

export interface Records {
  instructions: readonly Instruction[];
  intents: readonly IntentRow[];
  outcomes: readonly OutcomeRow[];
  held: readonly number[];
  operations: readonly OperationRow[];
  exchanges: readonly ExchangeRow[];
  payments: readonly PaymentRow[];
  reports: readonly Report[];
}

const isClosing = (outcome: string) => !['accepted', 'unknown'].includes(outcome);

export interface Followed {
  intent: IntentRow;
  outcomes: OutcomeRow[];
  last: OutcomeRow | undefined;
  instruction: Instruction | undefined;
  /** How the service itself has it. */
  operation: OperationRow | undefined;
  /** The intent that took this one's place. */
  resentAs: IntentRow | undefined;
}

/** Each intent with the instruction that left for it, as far as there is one. */
export function follow(records: Records, violate: (text: string) => void): Followed[] {
  const { intents, outcomes, operations } = records;
  const followed = intents.map((intent): Followed => {
    const own = outcomes.filter(({ intent_id }) => intent_id === intent.id);
    return {
      intent,
      outcomes: own,
      last: own.at(-1),
      instruction: undefined,
      operation: undefined,
      resentAs: intents.find(({ resend_of }) => resend_of === intent.id),
    };
  });
  for (const instruction of records.instructions) {
    const { process, operation, paymentId, sent } = instruction;
    const mine = followed.filter(
      ({ intent }) =>
        intent.operator === process &&
        intent.operation === operation &&
        intent.payment_id === String(paymentId),
    );
    const free = mine.findLast((each) => each.instruction === undefined && each.intent.time <= sent);
    const what = `${operation} of ${paymentId} by ${process}`;
    if (!free) {
      violate(
        mine.length > 0 ? `${what} was sent twice for one intent` : `${what} was sent without an intent`,
      );
      continue;
    }
    free.instruction = instruction;
    free.operation = operations.find(({ id }) => id === instruction.operationId);
  }
  return followed;
}

/** True at any moment, however much is still open. */
export function checkAlways(
  records: Records,
  followed: readonly Followed[],
  violate: (text: string) => void,
): void {
  checkOneAtATime(followed, violate);
  checkInFlight(records, violate);
  checkBooks(records, violate);
  for (const each of followed) checkClosedOnce(each, violate);
  checkHolds(records, followed, violate);
  for (const report of records.reports) checkReport(report, records, followed, violate);
}

/** An intent is written only when nothing else is open for its payment, or in the place of what is. */
function checkOneAtATime(followed: readonly Followed[], violate: (text: string) => void): void {
  for (const { intent } of followed) {
    const earlier = followed.filter(
      (each) => each.intent.payment_id === intent.payment_id && each.intent.id < intent.id,
    );
    for (const before of earlier) {
      if (intent.resend_of === before.intent.id || before.resentAs) continue;
      const closed = before.outcomes.some(({ outcome, time }) => isClosing(outcome) && time <= intent.time);
      if (!closed) violate(`${name(intent)} was written while ${name(before.intent)} was open`);
    }
    const resent = followed.find((each) => each.intent.id === intent.resend_of);
    if (resent && intent.time < resent.intent.time + QUIET_MS) {
      violate(`${name(intent)} was sent anew before the quiet period was over`);
    }
  }
}

/** Nothing is sent while the same instruction is still under way. */
function checkInFlight({ instructions }: Records, violate: (text: string) => void): void {
  for (const later of instructions) {
    const under = instructions.find(
      (first) =>
        first !== later &&
        first.paymentId === later.paymentId &&
        first.operation === later.operation &&
        first.sent <= later.sent &&
        first.arrived !== undefined &&
        first.arrived > later.sent,
    );
    if (under) {
      violate(
        `${later.operation} of ${later.paymentId} by ${later.process} was sent while that of ${under.process} was under way`,
      );
    }
  }
}

/** The provider was told what was asked for, once for each time that the service took it, and never paid back twice. */
function checkBooks(
  { payments, operations, exchanges, instructions }: Records,
  violate: (text: string) => void,
): void {
  const asked = new Set(instructions.map(({ operationId }) => operationId));
  for (const { id, kind, payment_id } of operations) {
    if (kind !== 'recheck' && !asked.has(id)) violate(`nobody asked for ${kind} of ${payment_id}`);
  }
  for (const { payment_id, auto_capture } of payments) {
    const told = (kind: string) =>
      exchanges.filter((each) => each.payment_id === payment_id && each.kind === kind);
    const took = (kind: string) =>
      operations.filter((each) => each.payment_id === payment_id && each.kind === kind);
    if (told('refund').length !== took('refund').length)
      violate(`the provider's refunds of ${payment_id} are off`);
    if (told('capture').length > took('capture').length + auto_capture) {
      violate(`the provider's captures of ${payment_id} are off`);
    }
    if (told('void').length > took('cancel').length) violate(`the provider's voids of ${payment_id} are off`);
    for (const kind of ['capture', 'refund', 'void']) {
      if (told(kind).filter(({ done }) => done === 1).length > 1)
        violate(`${kind} of ${payment_id} was done twice`);
    }
  }
}

/** What was closed stays as it was closed. */
function checkClosedOnce({ intent, outcomes }: Followed, violate: (text: string) => void): void {
  const first = outcomes.findIndex(({ outcome }) => isClosing(outcome));
  const after = first < 0 ? [] : outcomes.slice(first + 1);
  const other = after.find(({ outcome }) => outcome !== outcomes[first]?.outcome);
  if (other)
    violate(`${name(intent)} was closed as ${outcomes[first]?.outcome} and then became ${other.outcome}`);
}

function checkHolds({ held }: Records, followed: readonly Followed[], violate: (text: string) => void): void {
  for (const { intent, outcomes, resentAs } of followed) {
    const open = !outcomes.some(({ outcome }) => isClosing(outcome)) && !resentAs;
    if (open && !held.includes(intent.id)) violate(`${name(intent)} is open and holds nothing`);
    if (!open && held.includes(intent.id)) violate(`${name(intent)} is closed and still holds its payment`);
  }
}

/** What a person was told must have been so. */
function checkReport(
  report: Report,
  records: Records,
  followed: readonly Followed[],
  violate: (text: string) => void,
): void {
  const { operations, instructions } = records;
  const { process, operation, paymentId, outcome, time } = report;
  const what = `${operation} of ${paymentId} was reported as ${outcome} to ${process}`;
  const took = operations.filter(({ payment_id, kind }) => payment_id === paymentId && kind === operation);
  const ended = (status: string) =>
    took.some(
      (each) => each.status === status && each.finished_time !== null && each.finished_time <= time,
    ) ||
    (status === 'done' && operation === 'capture' && capturedByItself(records, paymentId));
  switch (outcome) {
    case 'done':
      if (!ended('done')) violate(`${what} and is not done`);
      return;
    case 'failed':
      if (!ended('failed')) violate(`${what} and did not fail`);
      return;
    case 'accepted': {
      const taken = instructions.some(
        (each) =>
          each.paymentId === paymentId &&
          each.operation === operation &&
          each.operationId !== undefined &&
          (each.arrived ?? Infinity) <= time,
      );
      if (!taken) violate(`${what} and was not taken`);
      return;
    }
    case 'refused':
    case 'unsent':
    case 'error': {
      const mine = followed.filter(
        ({ intent }) =>
          intent.operator === process &&
          intent.operation === operation &&
          intent.payment_id === String(paymentId),
      );
      const wasTaken = mine.some(
        ({ operation: took }) => took && !(outcome === 'refused' && took.status === 'failed'),
      );
      if (wasTaken) violate(`${what} (${report.code}) and was carried out`);
      return;
    }
    case 'unknown':
      return;
  }
}

/** Once nothing is under way, reads are consistent and people have decided what only they can decide. */
export function checkEnd(
  records: Records,
  followed: readonly Followed[],
  violate: (text: string) => void,
): void {
  for (const { intent, outcomes, last, operation, resentAs } of followed) {
    const closing = outcomes.find(({ outcome }) => isClosing(outcome))?.outcome;
    const so = `${name(intent)} ended as ${closing ?? last?.outcome ?? 'nothing'}`;
    const truth = operation?.status ?? 'not carried out';
    switch (closing) {
      case 'done':
      case 'failed':
        if (
          closing === 'done' &&
          capturedByItself(records, Number(intent.payment_id)) &&
          intent.operation === 'capture'
        )
          break;
        if (truth !== closing) violate(`${so}, and the service has it as ${truth}`);
        break;
      case 'refused':
        // Taken, failed at the provider, and the payment has gone another way since: it was not carried out.
        if (operation && truth !== 'failed') violate(`${so}, and the service has it as ${truth}`);
        break;
      case 'unsent':
        if (operation) violate(`${so}, and the service has it as ${truth}`);
        break;
      default:
        if (!resentAs) violate(`${so}, and the service has it as ${truth}`);
        else if (truth !== 'not carried out' && truth !== 'failed') {
          violate(`${name(intent)} was sent anew as ${resentAs.id}, and the service has it as ${truth}`);
        }
    }
  }
}

/** A capture that was forced before its time and refused: the payment was captured all the same, as it was made to be. */
function capturedByItself({ payments, exchanges }: Records, paymentId: number): boolean {
  const isAutomatic = payments.some(
    ({ payment_id, auto_capture }) => payment_id === paymentId && auto_capture === 1,
  );
  return (
    isAutomatic &&
    exchanges.some(
      ({ payment_id, kind, done }) => payment_id === paymentId && kind === 'capture' && done === 1,
    )
  );
}

function name({ id, operation, payment_id, operator }: IntentRow): string {
  return `intent ${id} (${operation} of ${payment_id} by ${operator})`;
}
