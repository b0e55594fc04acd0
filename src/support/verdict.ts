// Where a payment stands, in plain words: the first thing that a support person reads.

import { safeText } from '../output/text.js';
import { canReach, isStateName, type StateName } from '../contract/states.js';
import type { Facts } from './facts.js';
import { nouns, openVerdict } from './open-verdict.js';
import { ABANDONED_MS, isOverdue } from './patience.js';
import { ago, clause, lasting, release, since } from './phrases.js';
import type { Verdict } from './severity.js';

export function verdictOf(facts: Facts): Verdict {
  const verdict = openVerdict(facts) ?? stateVerdict(facts);
  const contradiction = contradictionOf(facts) ?? rumourOf(facts);
  if (contradiction === undefined) return verdict;
  const { severity } = verdict;
  return {
    ...verdict,
    text: `${verdict.text} ${contradiction}`,
    severity: severity === 'urgent' ? severity : 'attention',
  };
}

function stateVerdict(facts: Facts): Verdict {
  const { state, shown } = facts;
  if (state !== undefined) return byState[state](facts);
  const text =
    shown === ''
      ? 'The service shows no state, so what may be done is not known.'
      : `The service shows the state ${safeText(shown)}, which paydesk does not know. What may be done is not known either.`;
  return { text, severity: 'attention', stuck: false };
}

const over = (text: string): Verdict => ({ text, severity: 'ok', stuck: false });
const failed = (text: string): Verdict => ({ text, severity: 'failed', stuck: false });

/** Whether it has been in its state for too long; where only its creation is known, that may be so. */
export function isStuck({ state, age }: Facts): boolean {
  return state !== undefined && age !== undefined && isOverdue(state, age.ms);
}

/** What waits by itself at first, and for somebody when it takes too long. */
function waiting(facts: Facts, usual: string, tooLong = usual): Verdict {
  const stuck = isStuck(facts);
  const asked =
    stuck && facts.recheckedTime !== undefined
      ? ` The provider was asked again ${since(facts.recheckedTime, facts)}, and nothing changed.`
      : '';
  return {
    text: `${stuck ? tooLong : usual}${asked}`,
    severity: stuck ? 'urgent' : 'waiting',
    stuck,
  };
}

/** An instruction that the provider has not confirmed. */
const onItsWay = (facts: Facts, doing: string, what: string): Verdict =>
  waiting(
    facts,
    `${doing}${lasting(facts.age)}. The ${what} of ${facts.amount} is on its way.`,
    `${doing}${lasting(facts.age)}: the provider has not confirmed the ${what} of ${facts.amount}.`,
  );

const byState: Readonly<Record<StateName, (facts: Facts) => Verdict>> = {
  Created(facts) {
    const { age } = facts;
    if (facts.bounced === 'cancel') return cancelFailed(facts, 'The customer has not paid yet.');
    const text =
      age !== undefined && age.ms >= ABANDONED_MS
        ? `Created${ago(age)} and never paid: the customer has probably left. Nothing was charged.`
        : `Created${ago(age)}. The customer has not paid yet.`;
    return { text, severity: 'waiting', stuck: false };
  },
  ActionRequired(facts) {
    if (facts.bounced === 'cancel')
      return cancelFailed(facts, 'The customer has not confirmed at the provider.');
    return waiting(
      facts,
      `Waiting${lasting(facts.age)} for the customer to confirm at the provider. Nothing has been charged yet.`,
      `The customer has not confirmed at the provider${lasting(facts.age)}, and has probably left. Nothing has been charged yet.`,
    );
  },
  Processing(facts) {
    if (facts.bounced === 'cancel') return cancelFailed(facts, 'The provider has not confirmed the payment.');
    return waiting(
      facts,
      `Processing${lasting(facts.age)}. The provider has not confirmed yet.`,
      `Processing${lasting(facts.age)}: the provider has not confirmed. The customer may have been charged or not.`,
    );
  },
  Held(facts) {
    if (facts.bounced === 'cancel')
      return cancelFailed(facts, 'A fraud rule still holds it, and nothing has been charged.');
    const stuck = isStuck(facts);
    const text = `Held by a fraud rule${lasting(facts.age)}. Nothing has been charged yet.`;
    return { text, severity: stuck ? 'urgent' : 'attention', stuck };
  },
  Authorised(facts) {
    const stuck = isStuck(facts);
    const severity = stuck ? 'urgent' : 'attention';
    const what = facts.bounced === 'capture' ? 'capture' : 'cancellation';
    const text =
      facts.bounced === 'capture' || facts.bounced === 'cancel'
        ? `The ${what} failed at the provider, and the payment is Authorised again: ${facts.amount} is reserved and not captured. ${release(facts)}`
        : `Authorised${ago(facts.age)} and not captured. ${release(facts)}`;
    return { text, severity, stuck };
  },
  Capturing: (facts) => onItsWay(facts, 'Capturing', 'capture'),
  Captured(facts) {
    if (facts.bounced !== 'refund') return over(`Captured. The customer has paid ${facts.amount}.`);
    const text = `The refund failed at the provider, and the payment is Captured again: the customer has not got ${facts.amount} back.`;
    return { text, severity: 'attention', stuck: false };
  },
  Refunding: (facts) => onItsWay(facts, 'Refunding', 'refund'),
  Refunded: (facts) => over(`Refunded. ${facts.amount} was given back to the customer.`),
  Cancelling: (facts) => onItsWay(facts, 'Cancelling', 'cancellation'),
  Cancelled: () => over('Cancelled. The customer was not charged.'),
  Declined: (facts) => failed(`Declined${because(facts)}. Nothing was charged.${retryOf(facts)}`),
  Failed: (facts) => failed(`Failed at the provider${because(facts)}. Nothing was charged.`),
  Expired: (facts) => failed(`${expiry(facts)} Nothing was charged.`),
};

function retryOf({ isCharge }: Facts): string {
  if (isCharge === undefined) return '';
  return isCharge
    ? ' Another try needs a new charge with a new reference.'
    : ' The customer can try again with the same link.';
}

function expiry({ wasAuthorised, amount }: Facts): string {
  if (wasAuthorised === undefined) return 'Expired: it was not paid or not captured in time.';
  return wasAuthorised
    ? `Expired: ${amount} was authorised and not captured in time, and the provider has released it.`
    : 'Expired: the customer did not pay in time.';
}

function cancelFailed(facts: Facts, standing: string): Verdict {
  const text = `The cancellation failed at the provider, and the payment is ${facts.state} again. ${standing}`;
  return { text, severity: 'attention', stuck: isStuck(facts) };
}

const because = ({ reason }: Facts): string => (reason === '' ? '' : `: ${clause(safeText(reason))}`);

/** Webhooks told of an instruction that was under way, and the payment is where it was before. */
function rumourOf({ saidToBounce, bounced, open }: Facts): string | undefined {
  if (saidToBounce === undefined || bounced !== undefined || open !== undefined) return undefined;
  return `A webhook told of a ${nouns[saidToBounce]} that was under way: it has probably failed at the provider.`;
}

/**
 * The last webhook told of a state from which the payment cannot have come to where it is. A webhook that was missed
 * is no contradiction: the payment has simply gone on.
 */
export function contradictionOf(facts: Facts): string | undefined {
  const { state, lastWebhook } = facts;
  if (state === undefined || lastWebhook === undefined || !isStateName(lastWebhook.said)) return undefined;
  const { said, time } = lastWebhook;
  if (said === state || canReach(said, state)) return undefined;
  return `The last webhook, ${since(time, facts)}, said ${said}, and the service shows ${safeText(facts.shown)}: the service is to be believed.`;
}
