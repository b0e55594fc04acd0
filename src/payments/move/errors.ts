// Errors of a money move: what happened, whether anything changed, what to do now.
// The words of the service end their line: they may have a full stop, or none.

import { type Command, paydesk } from '../../next-command.js';
import type { PaymentRead } from '../../client/payment-calls.js';
import type { ServiceProblem } from '../../client/problems.js';
import type { SettleOperation } from '../../contract/states.js';
import {
  GuardError,
  NotReachedError,
  PaydeskError,
  ProfileError,
  ServiceError,
  TemporaryError,
  UnknownOutcomeError,
} from '../../errors.js';
import { outcomeOf, UNNAMED, type Entry } from '../../ledger/moves/entries.js';
import type { Outcome } from '../../ledger/moves/operations.js';
import { capitalised, safeText } from '../../output/text.js';
import { moment, whenText } from '../../output/time.js';
import { quietOf, type Desk } from '../desk.js';
import { aliasHint } from '../alias-hint.js';
import { hasOtherReference, idOf, labelOf, shownText, stateOf, stateText } from '../named-payments.js';
import { waitEnded } from '../wait.js';
import { forbidden } from './legality.js';
import { endStateOf, suggestsFailure } from './proof.js';
import type { Evidence, LastSeen, Move, PaymentLook, Sent } from './result.js';
import { nounOf, withArticle } from './words.js';

const explain = (read: PaymentRead): Command => paydesk('payments', 'explain', idOf(read));
const check = (read: PaymentRead): Command => paydesk('payments', 'check', idOf(read));

const checkOf = ({ payment_id, reference_id }: Entry): Command =>
  paydesk('payments', 'check', payment_id === UNNAMED ? `ref:${reference_id}` : payment_id);

/** `100231 (inv-2041)`, of a payment that was not read. */
function entryLabel({ payment_id, reference_id }: Entry): string {
  if (reference_id === null) return payment_id;
  return payment_id === UNNAMED ? safeText(reference_id) : `${payment_id} (${safeText(reference_id)})`;
}

export const sentNote = ({ operator, time }: Entry): string => `sent by ${operator} on ${moment(time)}`;

const nameOf = (sent: Sent): string =>
  `The ${nounOf(sent.move.operation)} of payment ${labelOf(sent.beforeRead)}`;

/** Why it is not sent again yet. */
const hold = (operation: string, heldMs: number): string =>
  heldMs === 0
    ? `The same ${nounOf(operation)} can be sent again.`
    : `The service may still act on it: the same ${nounOf(operation)} can be sent again ${whenText(heldMs)}.`;

/** How the payment stands after an answer that was no success: what was under way before may have ended since. */
function standsNow(sent: Sent, read: PaymentRead | undefined, heldMs: number): string {
  if (read !== undefined && stateOf(read) !== sent.before.stateName)
    return `The payment shows ${shownText(read)} now.`;
  return `The payment has not changed so far. ${hold(sent.move.operation, heldMs)}`;
}

export function refusedBy(
  sent: Sent,
  problem: ServiceProblem,
  { read, heldMs }: { read: PaymentRead | undefined; heldMs: number },
): PaydeskError {
  const { operation } = sent.move;
  const { httpStatus, message, fieldErrors, requestId } = problem;
  const details = {
    ...(fieldErrors.length > 0 ? { fieldErrors } : {}),
    ...(requestId === undefined ? {} : { requestId }),
  };
  const common = {
    code: problem.code ?? `http-${httpStatus}`,
    httpStatus,
    ...(Object.keys(details).length > 0 ? { details } : {}),
  };
  const text =
    `The service refused the ${nounOf(operation)} of payment ${labelOf(sent.beforeRead)}: ${message}\n` +
    standsNow(sent, read, heldMs);
  if (httpStatus === 401 || httpStatus === 403) {
    return new ProfileError(text, { ...common, next: [paydesk('whoami'), paydesk('doctor')] });
  }
  const instead = read && forbidden(operation, read)?.next;
  return new ServiceError(text, { ...common, next: instead ?? [explain(sent.beforeRead)] });
}

export function notCarriedOut(sent: Sent, read: PaymentRead): ServiceError {
  const { operation } = sent.move;
  return new ServiceError(
    `The ${nounOf(operation)} was not carried out: payment ${labelOf(read)} is ${stateText(read)}.`,
    { code: 'not-carried-out', next: forbidden(operation, read)?.next ?? [explain(read)] },
  );
}

/** It provably never left. */
export function notSent(sent: Sent, why: string): TemporaryError {
  return new TemporaryError(
    `${nameOf(sent)} was not sent: ${why}. Nothing was sent. It is safe to run the command again.`,
    { code: 'not-sent', saysNothingSent: true, next: [paydesk('doctor')] },
  );
}

/** It provably never left, and the outcome of the same instruction before it is unknown. */
export function notSentAgain(sent: Sent, why: string): UnknownOutcomeError {
  return new UnknownOutcomeError(
    `${nameOf(sent)} was not sent again: ${why}. Nothing was sent now. The outcome of what was sent before is still unknown.`,
    { code: 'still-open', saysNothingSent: true, next: [check(sent.beforeRead), explain(sent.beforeRead)] },
  );
}

/** The service answered 425 or 429. */
export function notTaken(
  sent: Sent,
  { why, problem, retryAfterMs }: Extract<Evidence, { kind: 'not-taken' }>,
  { read, heldMs }: { read: PaymentRead | undefined; heldMs: number },
): TemporaryError {
  return new TemporaryError(`${nameOf(sent)} was not accepted: ${why}\n${standsNow(sent, read, heldMs)}`, {
    code: 'not-taken',
    ...(problem ? { httpStatus: problem.httpStatus } : {}),
    ...(retryAfterMs === undefined ? {} : { details: { retryAfterMs } }),
    next: [check(sent.beforeRead), explain(sent.beforeRead)],
  });
}

/** Under way, and known to have come back. */
export function failed(sent: Sent, read: PaymentRead): NotReachedError {
  const { operation } = sent.move;
  const back = stateOf(read) === sent.before.stateName;
  return new NotReachedError(
    `The ${nounOf(operation)} of payment ${labelOf(read)} failed: the payment is ${back ? 'back in' : 'in'} ${shownText(read)}.`,
    { code: 'not-reached', next: [paydesk('payments', operation, idOf(read), '--again'), explain(read)] },
  );
}

export function failedBefore(sent: Sent, { last, operation }: Entry): NotReachedError {
  const read = sent.beforeRead;
  const why = last?.why ? `\n${last.why}` : '';
  return new NotReachedError(
    `The ${nounOf(operation)} of payment ${labelOf(read)} was sent before and failed. Nothing was sent now.${why}`,
    {
      code: 'failed-before',
      saysNothingSent: true,
      next: [paydesk('payments', operation, idOf(read), '--again'), explain(read)],
    },
  );
}

/** Nothing is repeated because an answer is missing, also where this was the second time that a person asked for. */
const onceMore = ({ intent }: Sent): string =>
  intent.resend_of === null
    ? 'It was not sent again.'
    : 'It was sent again once, as you asked, and not repeated.';

const counts = ['One read', 'Two reads', 'Three reads', 'Four reads', 'Five reads'];

export function stillUnknown(sent: Sent, why: string, states: readonly string[]): UnknownOutcomeError {
  return new UnknownOutcomeError(
    `${nameOf(sent)} has an unknown outcome: ${why}\n` +
      `It may or may not have been carried out. ${onceMore(sent)}\n${seenText(states)}`,
    { code: 'outcome-unknown', next: [check(sent.beforeRead), explain(sent.beforeRead)] },
  );
}

function seenText(states: readonly string[]): string {
  if (states.length === 0) return 'The payment could not be read since then.';
  const count = counts[states.length - 1] ?? `${states.length} reads`;
  const texts = [...new Set(states.map(safeText))].join(', then ');
  return `${count} since then ${states.length === 1 ? 'shows' : 'show'} ${texts}.`;
}

/** The payment is not as it was, and that proves nothing: a state that we do not know, or any other difference. */
export function showsOther(sent: Sent, read: PaymentRead): UnknownOutcomeError {
  const { operation } = sent.move;
  const hint = read.state === undefined ? aliasHint(read) : undefined;
  return new UnknownOutcomeError(
    `${nameOf(sent)} has an unknown outcome: the payment ${differenceOf(sent, read)}.\n` +
      `The ${nounOf(operation)} may or may not have been carried out. ${onceMore(sent)}`,
    {
      code: hint ? 'unknown-state' : 'outcome-unknown',
      ...(hint && { details: hint.details }),
      next: [check(read), ...(hint?.next ?? [])],
    },
  );
}

function differenceOf(sent: Sent, read: PaymentRead): string {
  const now = shownText(read);
  if (stateOf(read) === sent.before.stateName)
    return `still shows ${now}, but is not exactly as it was before`;
  const unknown = read.state === undefined ? ', a state that paydesk does not know' : '';
  return `was ${safeText(sent.before.stateName ?? '?')} and now shows ${now}${unknown}`;
}

/** An earlier instruction whose outcome the reads do not settle. */
export function stillOpen(sent: Sent, entry: Entry, look: PaymentLook, heldMs: number): UnknownOutcomeError {
  const { operation } = sent.move;
  const read = look.last ?? sent.beforeRead;
  const id = idOf(read);
  const since = sentNote(entry);
  if (suggestsFailure(look.standing)) {
    const later =
      heldMs === 0
        ? 'The provider could not be asked whether that is final.'
        : `If that is still so ${whenText(heldMs)}, the ${nounOf(operation)} has failed.`;
    return new UnknownOutcomeError(
      `The ${nounOf(operation)} of payment ${labelOf(read)} was accepted, and the payment shows ${shownText(read)}${stateOf(read) === entry.before_state ? ' again' : ''}. ${later}\n` +
        'Nothing was sent.',
      { code: 'still-open', saysNothingSent: true, next: [check(read), explain(read)] },
    );
  }
  if (look.last !== undefined && look.standing === 'changed') return stillDiffers(sent, look.last, since);
  const again =
    heldMs === 0
      ? 'It can be sent again with --resend, which first makes sure that nothing has changed.'
      : `It can be sent again with --resend ${whenText(heldMs)}.`;
  const shows = [...new Set(look.states.map(safeText))].join(', then ') || shownText(read);
  return new UnknownOutcomeError(
    `The outcome of the ${nounOf(operation)} of payment ${labelOf(read)}, ${since}, is still unknown: ` +
      `the payment shows ${shows}.\nNothing was sent now. ${again}`,
    {
      code: 'still-open',
      saysNothingSent: true,
      next:
        heldMs === 0
          ? [paydesk('payments', operation, id, '--resend'), explain(read)]
          : [check(read), explain(read)],
    },
  );
}

/** However long one waits, it is not sent again: only a person can find out what became of it. */
function stillDiffers(sent: Sent, read: PaymentRead, since: string): UnknownOutcomeError {
  const { operation } = sent.move;
  const hint = read.state === undefined ? aliasHint(read) : undefined;
  return new UnknownOutcomeError(
    `The outcome of the ${nounOf(operation)} of payment ${labelOf(read)}, ${since}, is still unknown: ` +
      `the payment ${differenceOf(sent, read)}.\n` +
      'Nothing was sent, and paydesk does not send it again while the payment is not as it was. ' +
      'Ask the operator of the service whether it was carried out.',
    {
      code: 'still-open',
      saysNothingSent: true,
      ...(hint && { details: hint.details }),
      next: [explain(read), ...(hint?.next ?? [])],
    },
  );
}

/** Another operation is open for the payment: nothing else is sent until its outcome is known. */
export function heldBy(entry: Entry): GuardError {
  const stands =
    outcomeOf(entry) === 'accepted' ? 'was accepted and is not at its end yet' : 'has an unknown outcome';
  return new GuardError(
    `${capitalised(withArticle(entry.operation))} of payment ${entryLabel(entry)} by ${entry.operator} ${stands}. ` +
      'Nothing else is sent before its outcome is known. Nothing was sent.',
    { code: 'intent-open', next: [checkOf(entry)] },
  );
}

/** The reference that was typed named another payment when the earlier instruction was sent. */
export function referenceMoved(entry: Entry, read: PaymentRead): GuardError {
  const error = heldBy(entry);
  const { operation, reference_id } = entry;
  return error.with({
    message: `${error.message} The reference ${safeText(reference_id ?? '')} names payment ${idOf(read)} now.`,
    code: 'reference-moved',
    next: [checkOf(entry), paydesk('payments', operation, `id:${idOf(read)}`)],
  });
}

/** An earlier instruction is open, and the payment cannot be read. */
export function openUnread(entry: Entry, why: PaydeskError): UnknownOutcomeError {
  const { operation } = entry;
  const since = sentNote(entry);
  const label = entryLabel(entry);
  const stands =
    outcomeOf(entry) === 'accepted'
      ? `The ${nounOf(operation)} of payment ${label}, ${since}, was accepted`
      : `The outcome of the ${nounOf(operation)} of payment ${label}, ${since}, is still unknown`;
  return new UnknownOutcomeError(
    `${stands}, and the payment cannot be read now. Nothing was sent now.\n${why.message}`,
    { code: 'still-open', saysNothingSent: true, next: [checkOf(entry), ...why.next], cause: why },
  );
}

/** Before the quiet period has passed, an instruction that may have left may still show an effect. */
export function quietPeriod(entry: Entry, read: PaymentRead, heldMs: number): GuardError {
  const { operation } = entry;
  const endings: Partial<Record<Outcome, string>> = {
    refused: 'was refused',
    unsent: 'was not accepted',
    failed: 'failed',
  };
  const was = endings[outcomeOf(entry)];
  return new GuardError(
    `The ${nounOf(operation)} of payment ${labelOf(read)} was sent at ${moment(entry.time)} ` +
      `and ${was ?? 'has an unknown outcome'}. Nothing was sent now: it can be sent again ${whenText(heldMs)}, ` +
      'if the payment is still exactly as it was.',
    { code: 'quiet-period', details: { heldMs }, next: [check(read)] },
  );
}

export function nothingToResend(operation: SettleOperation, read: PaymentRead): GuardError {
  return new GuardError(
    `There is no ${nounOf(operation)} of payment ${labelOf(read)} with an unknown outcome to send again. Nothing was sent.`,
    { code: 'nothing-open', next: [paydesk('payments', operation, idOf(read))] },
  );
}

/** The state did not allow it when it was sent either: it was sent with --force, which speaks for that one time only. */
export function needsForce(
  refusal: GuardError,
  { operation, payment_id }: Entry,
  { resend }: { resend: boolean },
): GuardError {
  const again = paydesk('payments', operation, payment_id, ...(resend ? ['--resend'] : []), '--force');
  return new GuardError(`${refusal.message} The earlier ${nounOf(operation)} was sent with --force.`, {
    code: refusal.code,
    next: [...refusal.next, again],
  });
}

export function moved(entry: Entry, read: PaymentRead): GuardError {
  const what =
    stateOf(read) === entry.before_state
      ? 'is not exactly as it was before'
      : `has moved since: ${safeText(entry.before_state ?? '?')} → ${shownText(read)}`;
  return new GuardError(
    `The ${nounOf(entry.operation)} is not sent again: payment ${labelOf(read)} ${what}. Nothing was sent.`,
    { code: 'moved', next: [explain(read)] },
  );
}

export function notRechecked({ operation }: Pick<Entry, 'operation'>, read: PaymentRead): GuardError {
  return new GuardError(
    `The ${nounOf(operation)} of payment ${labelOf(read)} is not sent again: the service did not complete a recheck, ` +
      'so nobody knows whether the provider carried it out. Nothing was sent. ' +
      'If the service has no rechecks, or only queues them, ask its operator.',
    { code: 'not-rechecked', next: [paydesk('payments', 'recheck', idOf(read)), explain(read)] },
  );
}

export function changedMeanwhile(read: PaymentRead, now: PaymentRead): GuardError {
  const { referenceId = '' } = now.fields;
  const moved =
    stateOf(read) === stateOf(now) ? '' : `: it was ${stateText(read)} and now shows ${shownText(now)}`;
  const what = hasOtherReference(read.fields.referenceId, now)
    ? `: read by its ID, its reference is ${safeText(referenceId)}`
    : moved;
  return new GuardError(
    `Payment ${labelOf(read)} is no longer what was confirmed${what}. Nothing was sent.`,
    { code: 'changed-meanwhile', next: [explain(read)] },
  );
}

/** This process slept or was held up, and another one took the payment over. */
export function takenOver(sent: Sent): GuardError {
  return new GuardError(
    `${nameOf(sent)} was held up for so long that somebody else took it over. This command sent nothing.`,
    { code: 'taken-over', next: [check(sent.beforeRead)] },
  );
}

/** A person adopted the ledger, and what was sent just before may be missing in it. */
export function justAdopted(
  { operation, read }: Pick<Move, 'operation' | 'read'>,
  leftMs: number,
): GuardError {
  return new GuardError(
    `The ledger was adopted just now, so it may lack ${withArticle(operation)} of payment ${labelOf(read)} that was sent before. ` +
      `Nothing was sent: it can be sent ${whenText(leftMs)}, if the payment still allows it.`,
    { code: 'ledger-adopted', details: { heldMs: leftMs }, next: [explain(read)] },
  );
}

/** Somebody else's instruction was seen on the payment, and the payment shows the state before it again. */
export function seenElsewhere(
  { operation, read }: Pick<Move, 'operation' | 'read'>,
  leftMs: number,
): GuardError {
  return new GuardError(
    `Payment ${labelOf(read)} showed ${withArticle(operation)} that this desk did not send, and is ${stateText(read)} again. ` +
      `That ${nounOf(operation)} may still be carried out. Nothing was sent: it can be sent ${whenText(leftMs)}, if the payment still allows it.`,
    { code: 'seen-elsewhere', details: { heldMs: leftMs }, next: [explain(read)] },
  );
}

/** The ledger has it as done, and the payment says otherwise. */
export function ledgerConflict(entry: Entry, read: PaymentRead): GuardError {
  const { operation } = entry;
  return new GuardError(
    `Conflict: this desk has the ${nounOf(operation)} of payment ${labelOf(read)} as done ` +
      `(by ${entry.operator}, ${moment(entry.time)}), but the service shows ${shownText(read)}.\n` +
      'Nothing was sent. The service may be showing an old copy, or may have lost the change: ask its operator.',
    { code: 'ledger-conflict', next: [explain(read), paydesk('history', '--payment', idOf(read))] },
  );
}

/** Two services have payments with this id under one App ID. */
export function otherPayment(entry: Entry, read: PaymentRead): GuardError {
  return new GuardError(
    `Conflict: this desk has ${withArticle(entry.operation)} of payment ${entry.payment_id} with the reference ` +
      `${safeText(entry.reference_id ?? '')} (by ${entry.operator}, ${moment(entry.time)}, ` +
      `${entry.base_url}), but the service shows ${labelOf(read)}.\n` +
      'Nothing was sent. Check that the base URL and the App ID of the profile belong together.',
    { code: 'ledger-conflict', next: [paydesk('whoami'), paydesk('history', '--payment', idOf(read))] },
  );
}

/** The wait is over and the end is not reached: time up, Ctrl-C, or a state that says nothing. */
export function pendingOf(desk: Desk, sent: Sent, { last, standing, failure }: LastSeen): PaydeskError {
  const { operation } = sent.move;
  const id = idOf(sent.beforeRead);
  const end = endStateOf(operation);
  const watch = paydesk('payments', 'watch', id, ...(end === undefined ? [] : ['--until', end]));
  const isBack = suggestsFailure(standing);
  const is = failure ? 'was' : 'is';
  const stands =
    last === undefined ? 'could not be read' : `${is} ${stateText(last)}${isBack ? ' again' : ''}`;
  const then = last !== undefined && failure ? ' when it was last seen' : '';
  const text = `The ${nounOf(operation)} was accepted, and payment ${labelOf(sent.beforeRead)} ${stands}${then}.`;
  const final = isBack
    ? ` If that is still so ${whenText(quietOf(desk, sent.beforeRead))}, the ${nounOf(operation)} has failed.`
    : end === undefined
      ? ''
      : ` It is final when the state is ${end}.`;
  const why = failure ? ` The payment cannot be read now: ${failure.message}` : '';
  return waitEnded(desk.signal.reason, `${text}${final}${why}`, [watch, explain(sent.beforeRead)]);
}

/** Ctrl-C or the time limit, where that is why something did not leave. */
export function interruptedBy({ signal }: Desk): PaydeskError | undefined {
  return signal.aborted && signal.reason instanceof PaydeskError ? signal.reason : undefined;
}
