// Writes a scenario from what is known of payments. Running it takes them to the same end.

import { isJsonNumber, numberText, valueAtPath, type JsonObject } from '../contract/json.js';
import {
  isStateName,
  operationStates,
  states,
  statesAwaitingProvider,
  type StateName,
} from '../contract/states.js';
import { AUTOMATIC_CAPTURE, FOUND_BY_RECHECK, isStillSlow } from '../sandbox/index.js';
import { referenceText } from './references.js';

/** A change of state, as the sandbox, the ledger or the inbox has it. */
export interface RecordedChange {
  time: number;
  to: StateName;
  /** In the sandbox's words; undefined where only the states are known. */
  cause?: string | undefined;
}

/** What this desk sent. */
export interface SentInstruction {
  time: number;
  operation: string;
  reason?: string | undefined;
  ticket?: string | undefined;
}

export interface RecordedPayment {
  payment: JsonObject;
  /** The oldest first. */
  changes: readonly RecordedChange[];
  intents: readonly SentInstruction[];
  /** What the provider was told and did, where a sandbox knows it. */
  books?: Readonly<Record<string, { told: number; done: number }>> | undefined;
}

export interface RecordedStep {
  time: number;
  step: Record<string, unknown>;
}

type Move = 'capture' | 'refund' | 'cancel';
const during = new Map<StateName, Move>(
  (Object.keys(operationStates) as Move[]).map((move) => [operationStates[move].during, move]),
);
const instructions: Readonly<Record<Move, string>> = { capture: 'capture', refund: 'refund', cancel: 'void' };
const declines = new Map([
  ['insufficient funds', 'insufficient-funds'],
  ['expired card', 'expired'],
  ['blocked by the provider', 'blocked'],
]);

/** Longer than it takes in a scenario to find out that a move failed: about one quiet period. */
const CHECK_MS = 3_000;

export function recordPayment(recorded: RecordedPayment, name: string): RecordedStep[] {
  const { payment, intents } = recorded;
  // Nobody pays a charge of a stored method.
  const isCharge = payment['paymentFlow'] === 'AutoPayment';
  const reference = `\${${name}}`;
  const created = Date.parse(referenceText(payment['createdTime']));
  const changes = withPath(recorded, created);
  const steps: RecordedStep[] = [...startOf(payment, name, created, changes)];
  const add = (time: number, verb: string, input: object = {}) =>
    steps.push({ time, step: { [verb]: { payment: reference, ...input } } });
  const recordMove = createMoveRecorder(recorded, changes, reference);
  let card: string | undefined;
  for (const [index, { time: changed, to, cause }] of changes.entries()) {
    const from = changes[index - 1]?.to;
    if (from === undefined) continue;
    // A check takes a while, and what follows comes after it.
    const time = Math.max(changed, steps.at(-1)?.time ?? created);
    const move = during.get(to);
    if (isLearned(changes, index, intents)) add(time, 'recheck');
    else if (move === 'capture' && isAutomatic(payment, cause, intents)) {
      // The last step captures too: the provider has to be made to fail before it.
      const step = steps.pop();
      if (step) steps.push(...faultsOf(move, index, step.time, { changes, recorded, card }), step);
    } else if (move) steps.push(...recordMove(move, index, time, card));
    else if (from === 'Held') add(time, 'unhold', whyOf(intents, 'unhold'));
    else if (from === 'ActionRequired')
      add(time, 'pay', { challenge: to === 'Declined' ? 'failed' : 'passed' });
    else if (to === 'Expired') steps.push({ time, step: {} });
    else if (isCharge) continue;
    else if (from === 'Created' || from === 'Declined') {
      card = cardOf(changes, index, recorded);
      add(time, 'pay', { card });
    } else if (from === 'Processing' && isSooner(changes, index))
      add(time, 'provider', { answer: to === 'Declined' ? 'decline' : 'confirm' });
    else if (from === 'Processing') steps.push({ time, step: {} });
  }
  const last = Math.max(...steps.map(({ time }) => time));
  steps.push({ time: last, step: { expect: endOf(recorded, reference, changes) } });
  return steps;
}

/** What the desk sends, and what makes it go as it did: faults of the provider, and a check after a move that failed. */
function createMoveRecorder(
  recorded: RecordedPayment,
  changes: readonly RecordedChange[],
  payment: string,
): (move: Move, index: number, time: number, card: string | undefined) => RecordedStep[] {
  const failed = new Set<Move>();
  let isFailureOpen = false;
  return (move, index, time, card) => {
    // Nothing else is sent before the desk knows that the last move failed.
    const check = { time, step: { check: { payment }, expect: { outcome: 'failed', exit: 3 } } };
    const checks = isFailureOpen ? [check] : [];
    const at = isFailureOpen ? time + CHECK_MS : time;
    const input = { payment, ...whyOf(recorded.intents, move), ...(failed.has(move) ? { again: true } : {}) };
    isFailureOpen = isFailed(move, index, changes, recorded);
    if (isFailureOpen) failed.add(move);
    const faults = faultsOf(move, index, at, { changes, recorded, card });
    return [...checks, ...faults, { time: at, step: { [move]: input } }];
  };
}

/** What the provider has to do wrong for a move to go as this one did, where the test card does not make it so. */
function faultsOf(
  move: Move,
  index: number,
  time: number,
  { changes, recorded, card }: FaultFacts,
): RecordedStep[] {
  const fails = isFailed(move, index, changes, recorded) && card !== `${move}-fails`;
  const kinds = [
    ...(staysSilent(changes, index, recorded.intents) ? ['provider-silent'] : []),
    ...(fails ? ['provider-fails'] : []),
  ];
  return kinds.map((add) => ({ time, step: { fault: { add, route: instructions[move], next: 1 } } }));
}

interface FaultFacts {
  changes: readonly RecordedChange[];
  recorded: RecordedPayment;
  /** The test card of the payment; a charge has none. */
  card: string | undefined;
}

/** Whether the payment went back after a move, or the books say that the provider did not do it. */
function isFailed(
  move: Move,
  index: number,
  changes: readonly RecordedChange[],
  { books }: RecordedPayment,
): boolean {
  const next = changes[index + 1];
  return next ? next.to !== operationStates[move].end : isInVain(books, instructions[move]);
}

const isInVain = (books: RecordedPayment['books'], instruction: string): boolean => {
  const { told = 0, done = 0 } = books?.[instruction] ?? {};
  return told > 0 && done === 0;
};

/** From the creation to the state of now. What nobody saw in between is filled in by the shortest way. */
function withPath({ payment, changes }: RecordedPayment, created: number): RecordedChange[] {
  const known = changes.filter(({ to }, index) => index === 0 || changes[index - 1]?.to !== to);
  const state = referenceText(payment['paymentState']);
  const start: RecordedChange[] = known[0]?.to === 'Created' ? [] : [{ time: created, to: 'Created' }];
  const path = [...start, ...known];
  const end = path.at(-1);
  if (isStateName(state) && end?.to !== state) path.push({ time: end?.time ?? created, to: state });
  return path.flatMap((change, index) => {
    const from = path[index - 1]?.to;
    const between = from === undefined ? [] : statesBetween(from, change.to);
    return [...between.map((to) => ({ time: change.time, to })), change];
  });
}

/** The states on the shortest way from one to another, without both of them. */
function statesBetween(from: StateName, to: StateName): StateName[] {
  // No test card fails before the provider was asked.
  if (from === 'Created' && to === 'Failed') return ['Processing'];
  const ways: StateName[][] = [[from]];
  const reached = new Set<StateName>([from]);
  // Grows while it is read: longer ways are added behind the shorter ones.
  for (const way of ways) {
    for (const next of states[way.at(-1) as StateName].next as readonly StateName[]) {
      if (next === to) return way.slice(1);
      if (reached.has(next)) continue;
      reached.add(next);
      ways.push([...way, next]);
    }
  }
  return [];
}

/** When the checkout link expired; undefined for one that did not. */
function linkExpiry(changes: readonly RecordedChange[]): number | undefined {
  const at = changes.findIndex(({ to }) => to === 'Expired');
  return changes[at - 1]?.to === 'Authorised' ? undefined : changes[at]?.time;
}

function startOf(
  payment: JsonObject,
  name: string,
  time: number,
  changes: readonly RecordedChange[],
): RecordedStep[] {
  const amount = payment['amount'];
  const basics = {
    amount: isJsonNumber(amount) ? Number(numberText(amount)) : referenceText(amount),
    customer: referenceText(payment['customerId']),
    reference: referenceText(payment['referenceId']),
    ...(payment['autoCapture'] === false ? { 'auto-capture': false } : {}),
  };
  const currency = referenceText(payment['currency']);
  if (payment['paymentFlow'] !== 'AutoPayment') {
    const registers = payment['autoPayment'] === 'Registered' ? { 'register-auto-payment': true } : {};
    const expiry = linkExpiry(changes);
    const expires = expiry === undefined ? {} : { expires: new Date(expiry).toISOString() };
    return [{ time, step: { create: { ...basics, currency, ...registers, ...expires }, as: name } }];
  }
  // A charge needs a stored method, so that one is stored first.
  const first = `${name}-stored`;
  const { customer } = basics;
  const stored = { amount: 1, currency, customer, 'register-auto-payment': true };
  return [
    { time, step: { create: stored, as: first } },
    { time, step: { pay: { payment: `\${${first}}`, card: 'approved' } } },
    { time, step: { charge: basics, as: name } },
  ];
}

const isAutomatic = (
  payment: JsonObject,
  cause: string | undefined,
  intents: readonly SentInstruction[],
): boolean =>
  cause === undefined
    ? payment['autoCapture'] === true && !intents.some(({ operation }) => operation === 'capture')
    : cause === AUTOMATIC_CAPTURE;

/** Whether a recheck brought the change, and not the provider by itself. */
function isLearned(
  changes: readonly RecordedChange[],
  index: number,
  intents: readonly SentInstruction[],
): boolean {
  const change = changes[index];
  const before = changes[index - 1];
  if (!change || !before) return false;
  if (change.cause !== undefined) return change.cause === FOUND_BY_RECHECK;
  const isWaiting = statesAwaitingProvider.includes(before.to);
  const wasAsked = ({ operation, time }: SentInstruction) =>
    operation === 'recheck' && time >= before.time && time <= change.time;
  return isWaiting && intents.some(wasAsked);
}

/** The provider answered before a slow test card does. */
function isSooner(changes: readonly RecordedChange[], index: number): boolean {
  const [before, change] = changes.slice(index - 1);
  return before !== undefined && change !== undefined && isStillSlow(change.time - before.time);
}

/** The provider's answer to this instruction was lost: a recheck found out, or nobody has yet. */
const staysSilent = (
  changes: readonly RecordedChange[],
  index: number,
  intents: readonly SentInstruction[],
): boolean => index === changes.length - 1 || isLearned(changes, index + 1, intents);

/** The test card that does to a payment what happened to this one. */
function cardOf(changes: readonly RecordedChange[], index: number, recorded: RecordedPayment): string {
  const { payment, intents, books } = recorded;
  const [change, next] = changes.slice(index);
  const failsAlways = (move: Move) => {
    const attempts = [...changes.keys()].filter((at) => changes[at]?.to === operationStates[move].during);
    return attempts.length > 0 && attempts.every((at) => isFailed(move, at, changes, recorded));
  };
  if (change?.to === 'ActionRequired') return 'three-d-secure';
  if (change?.to === 'Held') return 'held';
  if (change?.to === 'Declined')
    return declines.get(referenceText(valueAtPath(payment, 'failureReason'))) ?? 'declined';
  if (change?.to === 'Processing') {
    const isLost = !next || next.to === 'Failed' || isLearned(changes, index + 1, intents);
    // A cancel says nothing of what the provider had done by then; the books do.
    if (next?.to === 'Cancelling' && books?.['authorize']?.done) return 'unknown-charged';
    if (next?.to === 'Cancelling' && books?.['void']?.told === 0) return 'unknown-not-charged';
    const isCharged = next ? next.to === 'Authorised' : !isInVain(books, 'authorize');
    if (isLost) return isCharged ? 'unknown-charged' : 'unknown-not-charged';
    return isCharged ? 'slow-approved' : 'slow-declined';
  }
  if (failsAlways('capture')) return 'capture-fails';
  return failsAlways('refund') ? 'refund-fails' : 'approved';
}

function whyOf(intents: readonly SentInstruction[], operation: string): object {
  const { reason, ticket } = intents.find((intent) => intent.operation === operation) ?? {};
  return { ...(reason === undefined ? {} : { reason }), ...(ticket === undefined ? {} : { ticket }) };
}

function endOf(
  { payment, books }: RecordedPayment,
  reference: string,
  changes: readonly RecordedChange[],
): object {
  const captured = payment['capturedAmount'];
  const told = Object.entries(books ?? {}).filter(([, { told: times }]) => times > 0);
  return {
    payment: reference,
    state: changes.at(-1)?.to,
    ...(isJsonNumber(captured) ? { captured: Number(numberText(captured)) } : {}),
    ...(told.length > 0 ? { books: Object.fromEntries(told) } : {}),
  };
}
