// Where a payment stands, in plain words: the first thing that a support person reads.

import type { SettleOperation } from '../contract/states.js';
import type { StateName } from '../contract/states.js';
import { capitalised, safeText } from '../output/text.js';
import {
  type PaymentCondition,
  conditionOf,
  hasFailedAgain,
  isEnded,
  contradictingWebhook,
  hasSuspectedFailure,
  isLate,
  isOverdueNow,
  type NotDone,
} from './condition.js';
import { ABANDONED_MS } from './overdue.js';
import { nounOf } from '../payments/move/words.js';
import { ago, instructed, reservationEnd, sentBy, since } from './phrases.js';
import { moment } from '../output/time.js';
import type { LastOperation, Situation } from './situation.js';

export const severities = ['urgent', 'attention', 'waiting', 'failed', 'ok'] as const;
/** `urgent`: a person should act now. `attention`: a person has to decide. `failed` and `ok` are over. */
export type Severity = (typeof severities)[number];

export interface Verdict {
  text: string;
  severity: Severity;
  /** It is overdue, an instruction was not carried out, or the outcome of one is unknown. */
  stuck: boolean;
}

export function verdictOf(situation: Situation): Verdict {
  const verdict = verdictOn(conditionOf(situation), situation);
  const doubt = doubtAbout(situation);
  if (doubt === undefined) return verdict;
  const { text, severity } = verdict;
  return { ...verdict, text: `${text} ${doubt}`, severity: severity === 'urgent' ? severity : 'attention' };
}

const urgent = (text: string): Verdict => ({ text, severity: 'urgent', stuck: true });
const attention = (text: string, stuck: boolean): Verdict => ({ text, severity: 'attention', stuck });

function verdictOn(condition: PaymentCondition, situation: Situation): Verdict {
  const { now } = situation;
  switch (condition.kind) {
    case 'state':
      return byState[condition.state](situation);
    case 'unknown-state':
      return unknownState(situation, condition.notDone);
    case 'captured-anyway':
      return urgent(
        `Conflict: the service shows ${shownState(situation)}, and ${condition.captured} captured. The customer may have been charged.`,
      );
    case 'conflict': {
      const { last, operation } = condition;
      return urgent(
        `Conflict: this desk recorded the ${instructed(operation, situation)} as done, but the service shows ${shownState(situation)}. ${sentBy(last, now)}.`,
      );
    }
    case 'not-recorded': {
      const { last, operation, state } = condition;
      const standing = byState[state](situation).text;
      if (isEnded(condition)) return over(`${standing} ${sentBy(last, now)}.`);
      return attention(
        `${standing} The outcome of the ${nounOf(operation)} is not recorded yet: ${sentBy(last, now)}.`,
        false,
      );
    }
    case 'in-progress':
      return inProgress(condition, situation);
    case 'accepted':
      return accepted(condition, situation);
    case 'came-back':
      return cameBack(condition, situation);
    case 'unknown-outcome':
      return urgent(
        `Unknown outcome: the ${instructed(condition.operation, situation)} may or may not have been carried out. ` +
          `${sentBy(condition.last, now)}, and the payment shows ${shownState(situation)}${difference(condition.last)}.`,
      );
    case 'not-done':
      return notDone(condition, situation);
    case 'charged-anyway': {
      const { amount, taken } = situation;
      const charged = condition.state === 'Captured' ? `was charged ${taken}` : `is being charged ${amount}`;
      return attention(
        `${headlines[condition.outcome]('Cancellation')}: the customer ${charged}. ${details(condition.last, now)}${saidOf(condition.last)}`,
        true,
      );
    }
    default:
      return seenFailing(condition, situation);
  }
}

const difference = ({ differs }: LastOperation): string =>
  differs ? ', but is not exactly as it was before. Ask the operator of the service' : '';

const shownState = ({ shown }: Situation): string => (shown === '' ? 'no state' : safeText(shown));

function unknownState(
  situation: Situation,
  notDone: (LastOperation & { outcome: NotDone }) | undefined,
): Verdict {
  const { shown, now } = situation;
  const text =
    shown === ''
      ? 'The service shows no state, so paydesk cannot tell what is possible.'
      : `The service shows the state ${safeText(shown)}. paydesk does not know it and cannot tell what is possible.`;
  if (notDone === undefined) return attention(text, false);
  const headline = headlines[notDone.outcome](capitalised(nounOf(notDone.operation)));
  const full = `${headline}. ${details(notDone, now)} ${text}${saidOf(notDone)}`;
  return notDone.outcome === 'failed' ? urgent(full) : attention(full, true);
}

function inProgress(
  { last, operation }: Extract<PaymentCondition, { kind: 'in-progress' }>,
  situation: Situation,
): Verdict {
  const { now } = situation;
  const what = instructed(operation, situation);
  if (!isLate(last, now)) {
    return {
      text: `The ${what} is in progress. ${sentBy(last, now)}.`,
      severity: 'waiting',
      stuck: false,
    };
  }
  return urgent(
    `The provider has not confirmed the ${what}. ${sentBy(last, now)}.${checkedWithoutChange(situation)}`,
  );
}

function accepted(
  { last, operation }: Extract<PaymentCondition, { kind: 'accepted' }>,
  situation: Situation,
): Verdict {
  const { now } = situation;
  const shown = shownState(situation);
  const text = `The service accepted the ${instructed(operation, situation)}, but the payment still shows ${shown}. ${sentBy(last, now)}.`;
  if (now < last.quietUntil) return { text, severity: 'waiting', stuck: false };
  return urgent(`${text}${checkedWithoutChange(situation)}`);
}

function cameBack(
  { last, operation }: Extract<PaymentCondition, { kind: 'came-back' }>,
  situation: Situation,
): Verdict {
  const { now } = situation;
  if (now < last.quietUntil) return soonCertain(operation, situation, last.quietUntil);
  const probably = `The ${nounOf(operation)} has probably failed: check the outcome.`;
  return urgent(`${isBackText(operation, situation)} ${probably} ${sentBy(last, now)}.`);
}

const isBackText = (operation: SettleOperation, situation: Situation): string =>
  `The ${instructed(operation, situation)} was in progress, and the payment shows ${shownState(situation)} again.`;

/** A read may be behind: whether it failed is certain only after that time. */
function soonCertain(operation: SettleOperation, situation: Situation, at: number): Verdict {
  const time = moment(at, situation.now, situation.zone);
  const failed = `If a check with the provider shows the same after ${time}, the ${nounOf(operation)} has failed.`;
  return attention(`${isBackText(operation, situation)} ${failed}`, true);
}

const headlines: Readonly<Record<NotDone, (noun: string) => string>> = {
  failed: (noun) => `${noun} failed`,
  refused: (noun) => `${noun} refused`,
  unsent: (noun) => `${noun} not sent`,
};

function notDone(
  { last, operation, outcome, state }: Extract<PaymentCondition, { kind: 'not-done' }>,
  situation: Situation,
): Verdict {
  const { now } = situation;
  const headline = `${headlines[outcome](capitalised(nounOf(operation)))}: ${missing(operation, state, situation)}.`;
  const reservation = operation === 'capture' ? ` ${reservationEnd(situation)}` : '';
  const text = `${headline} ${details(last, now)}${reservation}`;
  if (outcome === 'failed') return urgent(text);
  const wait =
    now < last.quietUntil ? ` It can be sent again at ${moment(last.quietUntil, now, situation.zone)}.` : '';
  return attention(`${text}${wait}${saidOf(last)}`, true);
}

/** What the customer or the merchant has not got because an instruction was not carried out. */
function missing(operation: SettleOperation, state: StateName, { amount, taken }: Situation): string {
  if (operation === 'refund') return `the customer has not received ${taken}`;
  if (operation === 'capture') return `${amount} is reserved, and the customer has not been charged`;
  if (operation === 'unhold' || state === 'Held')
    return 'the payment is still held, and nothing has been charged';
  if (state === 'Authorised') return `${amount} is still reserved`;
  if (state === 'Processing') return 'the customer may still be charged';
  return 'the customer can still pay';
}

/** What the service said. It comes last: it may end with a full stop, or not. */
const saidOf = ({ outcome, why }: LastOperation): string =>
  outcome === 'failed' || why === undefined ? '' : ` ${safeText(why)}`;

/** Who sent it, and how often it failed. */
function details(last: LastOperation, now: number): string {
  const times = hasFailedAgain(last)
    ? ` It has failed ${last.failures} times: ask the provider why before you send it again.`
    : '';
  return `${sentBy(last, now)}.${times}`;
}

function seenFailing(
  { operation, state, isCertain }: Extract<PaymentCondition, { kind: 'seen-failing' }>,
  situation: Situation,
): Verdict {
  const { confirmedTime = 0, failedFrom = 0, now } = situation;
  if (now < failedFrom) return soonCertain(operation, situation, failedFrom);
  const missed = missing(operation, state, situation);
  if (!isCertain)
    return urgent(`${isBackText(operation, situation)} It has probably failed. If so, ${missed}.`);
  const headline = `${capitalised(nounOf(operation))} failed: ${missed}.`;
  return urgent(`${headline} paydesk checked with the provider ${ago(confirmedTime, now)}.`);
}

function checkedWithoutChange({ recheckedTime, now }: Situation): string {
  if (recheckedTime === undefined) return '';
  return ` paydesk checked with the provider ${ago(recheckedTime, now)}, and nothing changed.`;
}

/** Waits by itself at first, and needs a person when it is overdue. */
function waiting(situation: Situation, usual: string, overdue: string): Verdict {
  if (!isOverdueNow(situation)) return { text: usual, severity: 'waiting', stuck: false };
  return urgent(`${overdue}${checkedWithoutChange(situation)}`);
}

function providerWorks(situation: Situation, doing: string, operation: SettleOperation): Verdict {
  const what = instructed(operation, situation);
  return waiting(
    situation,
    `${doing}${since(situation)}. The ${what} is in progress.`,
    `${doing}${since(situation)}. The provider has not confirmed the ${what}.`,
  );
}

const over = (text: string): Verdict => ({ text, severity: 'ok', stuck: false });
const failed = (text: string): Verdict => ({ text, severity: 'failed', stuck: false });

const byState: Readonly<Record<StateName, (situation: Situation) => Verdict>> = {
  Created({ age, now, createdTime }) {
    const created = createdTime === undefined ? 'Created' : `Created ${ago(createdTime, now)}`;
    const text =
      age !== undefined && age.ms >= ABANDONED_MS
        ? `${created} and never paid. The customer has probably left. Nothing was charged.`
        : `${created}. The customer has not paid yet.`;
    return { text, severity: 'waiting', stuck: false };
  },
  ActionRequired: (situation) =>
    waiting(
      situation,
      `Waiting${since(situation)} for the customer to confirm at the provider. Nothing has been charged.`,
      `Waiting${since(situation)} for the customer to confirm at the provider. They have probably left. Nothing has been charged.`,
    ),
  Processing: (situation) =>
    waiting(
      situation,
      `Processing${since(situation)}. The provider has not confirmed the payment yet.`,
      `Processing${since(situation)}. The provider has not confirmed the payment: the customer may or may not have been charged.`,
    ),
  Held(situation) {
    const text = `Held by a fraud rule${since(situation)}. Nothing has been charged.`;
    return isOverdueNow(situation) ? urgent(text) : attention(text, false);
  },
  Authorised(situation) {
    const text = `Authorised${since(situation)} and not captured yet. ${reservationEnd(situation)}`;
    return isOverdueNow(situation) ? urgent(text) : attention(text, false);
  },
  Capturing: (situation) => providerWorks(situation, 'Capturing', 'capture'),
  Captured: ({ amount, taken }) =>
    over(`Captured. The customer has paid ${taken === amount ? amount : `${taken} of ${amount}`}.`),
  Refunding: (situation) => providerWorks(situation, 'Refunding', 'refund'),
  Refunded: ({ taken }) => over(`Refunded. ${taken} was returned to the customer.`),
  Cancelling: (situation) => providerWorks(situation, 'Cancelling', 'cancel'),
  Cancelled: () => over('Cancelled. The customer was not charged.'),
  Declined: (situation) => failed(`Declined${because(situation)} Nothing was charged.${retry(situation)}`),
  Failed: (situation) => failed(`Failed at the provider${because(situation)} Nothing was charged.`),
  Expired: (situation) => failed(`${expiry(situation)} Nothing was charged.`),
};

const because = ({ reason }: Situation): string => (reason === '' ? '.' : ` (${safeText(reason)}).`);

function retry({ isCharge }: Situation): string {
  if (isCharge === undefined) return '';
  return isCharge
    ? ' To try again, make a new charge with a new reference.'
    : ' The customer can try again with the same link.';
}

function expiry({ wasAuthorised, amount }: Situation): string {
  if (wasAuthorised === undefined) return 'Expired: it was not paid or not captured in time.';
  return wasAuthorised
    ? `Expired: ${amount} was authorised and not captured in time. It is no longer reserved.`
    : 'Expired: the customer did not pay in time.';
}

/** What webhooks reported and no read confirms. */
function doubtAbout(situation: Situation): string | undefined {
  const webhook = contradictingWebhook(situation);
  if (webhook) {
    return `The last webhook, ${ago(webhook.time, situation.now)}, reported ${webhook.state}. Trust what the service shows.`;
  }
  if (!hasSuspectedFailure(situation)) return undefined;
  const noun = nounOf(situation.suspectedFailure);
  return `A webhook reported a ${noun} in progress. It may have failed.`;
}
