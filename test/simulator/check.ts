// What must hold after every seed, from what the service, its provider, the ledger and the network each have on record.

import type { IntentRow, OutcomeRow } from '../../src/ledger/schema.js';
import type { ExchangeRow, OperationRow, PaymentRow } from '../../src/sandbox/schema.js';
import type { Instruction } from './network.ts';
import type { Report } from './operators.ts';
import { opposites } from './opposites.ts';
import type { Stamps } from './stamps.ts';

export interface Records {
  /** A wall clock jumped. */
  clocksJump: boolean;
  /** The desk knows every name that the service has for a state. */
  readable: boolean;
  /** The service can be asked to recheck a payment. */
  rechecks: boolean;
  aliases: Readonly<Record<string, string>>;
  stamps: Pick<Stamps, 'intent' | 'outcome'>;
  instructions: readonly Instruction[];
  /** Its intent was lost with the file that the ledger was in. */
  isLost: (instruction: Instruction) => boolean;
  /** Who typed --force, by name: an intent has it as its operator. */
  forced: ReadonlySet<string>;
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
  /** The intent that took this one's place, and may have left. */
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
      resentAs: intents.find(
        ({ id, resend_of }) =>
          resend_of === intent.id &&
          !outcomes.some(({ intent_id, may_have_left }) => intent_id === id && may_have_left === 0),
      ),
    };
  });
  for (const instruction of records.instructions) {
    if (records.isLost(instruction)) continue;
    const { process, operation, paymentId, sent } = instruction;
    const mine = followed.filter(
      ({ intent }) =>
        intent.operator === process &&
        intent.operation === operation &&
        intent.payment_id === String(paymentId),
    );
    const free = mine.findLast(
      (each) => each.instruction === undefined && records.stamps.intent(each.intent.id) <= sent,
    );
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
  checkOneAtATime(records, followed, violate);
  checkInFlight(records, violate);
  checkBooks(records, violate);
  for (const each of followed) checkDoneStays(each, violate);
  checkOpposites(records, followed, violate);
  checkHolds(records, followed, violate);
  for (const report of records.reports) checkReport(report, records, followed, violate);
}

/** An intent is written only when nothing else is open for its payment, or in the place of what is. */
function checkOneAtATime(
  { stamps }: Records,
  followed: readonly Followed[],
  violate: (text: string) => void,
): void {
  for (const { intent } of followed) {
    const earlier = followed.filter(
      (each) => each.intent.payment_id === intent.payment_id && each.intent.id < intent.id,
    );
    for (const before of earlier) {
      if (intent.resend_of === before.intent.id || before.resentAs) continue;
      const opened = stamps.intent(intent.id);
      const closed = before.outcomes.some(
        ({ id, outcome }) => isClosing(outcome) && stamps.outcome(id) <= opened,
      );
      if (!closed) violate(`${name(intent)} was written while ${name(before.intent)} was open`);
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

/** What is done stays done. */
function checkDoneStays({ intent, outcomes }: Followed, violate: (text: string) => void): void {
  const first = outcomes.findIndex(({ outcome }) => outcome === 'done');
  const other = first < 0 ? undefined : outcomes.slice(first).find(({ outcome }) => outcome !== 'done');
  if (other) violate(`${name(intent)} was done and then became ${other.outcome}`);
}

/** Once the desk knows that an operation is done, its opposite is not sent, however old the states are that it reads. */
function checkOpposites(
  { readable, stamps, forced }: Records,
  followed: readonly Followed[],
  violate: (text: string) => void,
): void {
  // A state that the desk does not know may be any, also one that this leads to.
  if (!readable) return;
  for (const { intent: first, outcomes } of followed) {
    const done = outcomes.find(({ outcome }) => outcome === 'done');
    if (!done) continue;
    for (const { intent, instruction } of followed) {
      const isOpposite =
        intent.payment_id === first.payment_id &&
        opposites[first.operation]?.some((each) => each === intent.operation);
      // With --force, what the payment shows is no reason not to send.
      if (!isOpposite || !instruction || forced.has(intent.operator)) continue;
      if (instruction.sent < stamps.outcome(done.id)) continue;
      violate(`${name(intent)} was sent though ${name(first)} was done`);
    }
  }
}

function checkHolds({ held }: Records, followed: readonly Followed[], violate: (text: string) => void): void {
  for (const { intent, last, resentAs } of followed) {
    const open = !isClosing(last?.outcome ?? 'unknown') && !resentAs;
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
  const isSame = (each: Instruction) => each.paymentId === paymentId && each.operation === operation;
  const ended = (status: string) =>
    took.some(
      (each) => each.status === status && each.finished_time !== null && each.finished_time <= time,
    ) ||
    (status === 'done' && operation === 'capture' && capturedByItself(records, paymentId));
  switch (outcome) {
    case 'done':
      if (!ended('done')) violate(`${what} and is not done`);
      return;
    case 'failed': {
      const known = recordedAsFailed(report, records, followed) ?? time;
      const succeeded = instructions.some(
        (each) =>
          isSame(each) &&
          each.sent <= known &&
          took.some(({ id, status }) => id === each.operationId && status === 'done'),
      );
      if (succeeded) violate(`${what} and is done`);
      return;
    }
    case 'accepted': {
      const taken = instructions.some(
        (each) =>
          isSame(each) &&
          (each.operationId !== undefined || saysYes(each)) &&
          (each.arrived ?? Infinity) <= time,
      );
      // One that was forced on a payment which captures by itself is seen to be under way.
      const byItself = operation === 'capture' && isAutomatic(records, paymentId);
      if (!taken && !byItself) violate(`${what} and was not taken`);
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
      // A service that does it, says that it does not, and shows nothing yet cannot be seen through.
      const wasTaken = mine.some(
        ({ operation: own, instruction }) =>
          own &&
          !(outcome === 'refused' && own.status === 'failed') &&
          !(outcome !== 'error' && instruction?.lied),
      );
      if (wasTaken) violate(`${what} (${report.code}) and was carried out`);
      return;
    }
    case 'unknown':
      return;
  }
}

/**
 * When the process last recorded the failure that it reports; undefined if it did not. The report must have been true
 * then: a process may be paused after its last check, and before it prints.
 */
function recordedAsFailed(
  { operation, paymentId, failed, time }: Report,
  { stamps }: Records,
  followed: readonly Followed[],
): number | undefined {
  return followed
    .filter(
      ({ intent }) =>
        failed.includes(intent.id) &&
        intent.operation === operation &&
        intent.payment_id === String(paymentId),
    )
    .flatMap(({ outcomes }) => outcomes.filter(({ outcome }) => outcome === 'failed'))
    .map(({ id }) => stamps.outcome(id))
    .findLast((recorded) => recorded <= time);
}

const saysYes = ({ answered = 0 }: Instruction): boolean => answered >= 200 && answered < 300;

/** Once nothing is under way, reads are consistent and people have decided what only they can decide. */
export function checkEnd(
  records: Records,
  followed: readonly Followed[],
  violate: (text: string) => void,
): void {
  const { readable, rechecks } = records;
  for (const { intent, last, instruction, operation, resentAs } of followed) {
    const so = `${name(intent)} ended as ${last?.outcome ?? 'nothing'}`;
    const own = operation?.status ?? 'not carried out';
    const truth = wasDoneUnseen(records, intent) ? 'done' : own;
    const byItself = intent.operation === 'capture' && capturedByItself(records, Number(intent.payment_id));
    switch (last?.outcome) {
      case 'done':
        if (truth !== 'done' && !byItself && !wasUnderWayBefore(records, intent))
          violate(`${so}, and the service has it as ${truth}`);
        break;
      case 'failed':
        if (truth === 'done') violate(`${so}, and the service has it as ${truth}`);
        break;
      case 'refused':
      case 'unsent':
        // Taken, failed at the provider, and the payment has gone another way since: it was not carried out.
        if (operation && truth !== 'failed' && !instruction?.lied)
          violate(`${so}, and the service has it as ${truth}`);
        break;
      default:
        if (
          !resentAs &&
          readable &&
          rechecks &&
          !(staysUnknown(records, intent) && (truth !== 'done' || intent.operation === 'unhold'))
        )
          violate(`${so}, and the service has it as ${truth}`);
        else if (resentAs && own !== 'not carried out' && own !== 'failed') {
          violate(`${name(intent)} was sent again as ${resentAs.id}, and the service has it as ${own}`);
        }
    }
  }
}

/** It was forced while the same was under way, which was carried out: nobody can tell the two apart. */
function wasUnderWayBefore(
  { operations, aliases }: Records,
  { operation, payment_id, before_state }: IntentRow,
): boolean {
  const during: Readonly<Record<string, string>> = {
    capture: 'Capturing',
    refund: 'Refunding',
    cancel: 'Cancelling',
  };
  const isForced = (aliases[before_state ?? ''] ?? before_state) === during[operation];
  const isDone = operations.some(
    (each) => String(each.payment_id) === payment_id && each.kind === operation && each.status === 'done',
  );
  return isForced && isDone;
}

/** The same instruction was sent again and carried out, and nobody has that on record any more. */
function wasDoneUnseen(
  { instructions, isLost, operations }: Records,
  { operation, payment_id }: IntentRow,
): boolean {
  const lost = instructions.filter(
    (each) => isLost(each) && each.operation === operation && String(each.paymentId) === payment_id,
  );
  return operations.some(
    ({ id, status }) => status === 'done' && lost.some(({ operationId }) => operationId === id),
  );
}

/**
 * Nothing was carried out and the payment has moved by itself, or it was released and then declined: no read will ever
 * prove anything, so it stays unknown.
 */
export function staysUnknown(
  { payments, aliases }: Records,
  { operation, payment_id, before_state }: Pick<IntentRow, 'operation' | 'payment_id' | 'before_state'>,
): boolean {
  const state = payments.find((each) => String(each.payment_id) === payment_id)?.state;
  if (operation === 'unhold' && (state === 'Declined' || state === 'Failed')) return true;
  return state !== (aliases[before_state ?? ''] ?? before_state);
}

/** States that prove an operation to whoever reads them. */
const proofs: Readonly<Record<string, readonly string[]>> = {
  refund: ['Refunding', 'Refunded'],
  capture: ['Captured', 'Refunding', 'Refunded'],
  cancel: ['Cancelled'],
  unhold: ['Authorised', 'Capturing', 'Captured', 'Refunding', 'Refunded'],
};

/** Carried out, and shown by the payment to whoever knows the service's names. */
export function isProvable(
  { payments, readable }: Records,
  { intent, operation }: Pick<Followed, 'intent' | 'operation'>,
): boolean {
  const payment = payments.find((each) => String(each.payment_id) === intent.payment_id);
  const shows = proofs[intent.operation]?.includes(payment?.state ?? '') === true;
  return readable && operation?.status === 'done' && shows;
}

/** A capture that was forced before its time and refused: the payment was captured all the same, as it was made to be. */
export function capturedByItself(records: Records, paymentId: number): boolean {
  const isCaptured = records.exchanges.some(
    ({ payment_id, kind, done }) => payment_id === paymentId && kind === 'capture' && done === 1,
  );
  return isCaptured && isAutomatic(records, paymentId);
}

const isAutomatic = ({ payments }: Records, paymentId: number): boolean =>
  payments.some(({ payment_id, auto_capture }) => payment_id === paymentId && auto_capture === 1);

function name({ id, operation, payment_id, operator }: IntentRow): string {
  return `intent ${id} (${operation} of ${payment_id} by ${operator})`;
}
