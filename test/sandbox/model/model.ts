import { cameFrom, lastExchange, type Instruction, type Story } from './story.js';

// What the service should do, written a second time from its description and sharing no code with it. Where chance
// or a fault decides, there is more than one allowed path; never a path that nothing explains.

export type Path = string[];

interface Card {
  declines?: true;
  answers?: 'later' | 'never';
  challenge?: true;
  held?: true;
  captureFails?: true;
  refundFails?: true;
  years?: number;
}

export const cards: Readonly<Record<string, Card>> = {
  approved: {},
  declined: { declines: true },
  'insufficient-funds': { declines: true },
  expired: { declines: true },
  'three-d-secure': { challenge: true },
  held: { held: true },
  blocked: { declines: true },
  'slow-approved': { answers: 'later' },
  'slow-declined': { answers: 'later', declines: true },
  'unknown-charged': { answers: 'never' },
  'unknown-not-charged': { answers: 'never', declines: true },
  'capture-fails': { captureFails: true },
  'refund-fails': { refundFails: true },
  'expires-later': { years: 2 },
};

export const cardNames = Object.keys(cards);

const DAY = 86_400_000;

/** The provider profiles of an app, in the order of their ids. */
export const profiles = [
  { method: 'CreditCard', slow: false, active: true, window: 7 * DAY },
  { method: 'ElectronicCheck', slow: false, active: true, window: 7 * DAY },
  { method: 'Crypto', slow: false, active: true, window: 7 * DAY },
  { method: 'Paypal', slow: false, active: true, window: 7 * DAY },
  { method: 'CreditCard', slow: true, active: true, window: 3 * DAY },
  { method: 'CreditCard', slow: false, active: false, window: 7 * DAY },
] as const;

/** The provider that takes its time. */
export const SLOW = 4;

export const methodTypes = ['CreditCard', 'ElectronicCheck', 'Crypto', 'Paypal'] as const;

/** The fraud policies of an app, in the order of their ids. */
export const policies = ['allow', 'above-100', 'hold', 'block'] as const;
export const POLICY_ABOVE = 100;

export const moves = ['capture', 'cancel', 'refund', 'unhold', 'recheck'] as const;
export type Move = (typeof moves)[number];

const legalFrom: Readonly<Record<Exclude<Move, 'recheck'>, readonly string[]>> = {
  capture: ['Authorised'],
  cancel: ['Created', 'ActionRequired', 'Processing', 'Held', 'Authorised'],
  refund: ['Captured'],
  unhold: ['Held'],
};

export function isAllowed(move: Move, state: string): boolean {
  return move === 'recheck' || legalFrom[move].includes(state);
}

/** A stored method: made by a payment, charged by others. */
export interface StoredMethod {
  id: number;
  card: string;
  profile: number;
  since: number;
  active: boolean;
  removed: boolean;
}

/** What is known of a payment besides its story. */
export interface Known {
  flow: 'hosted' | 'plain' | 'provider' | 'charge';
  reference: string;
  customer: string;
  amount: number;
  autoCapture: boolean;
  registers: boolean;
  offersSaving: boolean;
  expires?: number;
  /** Index of the policy that its request names. */
  policy?: number;
  /** Indexes of the provider profiles that it may be paid with. */
  offered: number[];
  card: string;
  profile?: number;
  /** Whether the customer chose to have the method stored. */
  saves: boolean;
  /** The stored method that is charged. */
  method?: StoredMethod;
}

export type ProviderFault = 'provider-silent' | 'provider-fails';
export type MayFail = (kind: ProviderFault, instruction: Instruction) => boolean;

export interface Circumstances {
  now: number;
  mayFail: MayFail;
  /** Whether a fault is set on the next instruction of this kind, whichever payment it is for. */
  mustFail(instruction: Instruction): boolean;
}

export type Verdict = 'allow' | 'hold' | 'block';

/** The policy of the payment before that of the customer before that of the app. */
export function verdictOf(known: Known, ofCustomer: number | undefined, ofApp: number | undefined): Verdict {
  const policy = policies[known.policy ?? ofCustomer ?? ofApp ?? 0];
  if (policy === 'block') return 'block';
  if (policy === 'hold' || (policy === 'above-100' && known.amount > POLICY_ABOVE)) return 'hold';
  return cardOf(known).held ? 'hold' : 'allow';
}

export function chooseProfile(
  known: Known,
  wanted: { profile?: number; method?: string },
): number | undefined {
  if (wanted.profile !== undefined)
    return known.offered.includes(wanted.profile) ? wanted.profile : undefined;
  for (const method of wanted.method ? [wanted.method] : methodTypes) {
    const profile = known.offered.find((index) => profiles[index]?.method === method);
    if (profile !== undefined) return profile;
  }
  return undefined;
}

export function cardOf(known: Known): Card {
  return cards[known.card] ?? {};
}

function isSlow(known: Known): boolean {
  return known.profile !== undefined && profiles[known.profile]?.slow === true;
}

/** When the authorisation runs out, counted from when the provider gave it; undefined when there is none. */
export function authorisedUntil(known: Known, story: Story): number | undefined {
  const given = lastExchange(story, 'authorize');
  if (given?.done !== 1 || given.answered_time === null) return undefined;
  return given.answered_time + (profiles[known.profile ?? 0]?.window ?? 0);
}

export function isCapturable(known: Known, story: Story, now: number): boolean {
  const until = authorisedUntil(known, story);
  return isAllowed('capture', story.payment.paymentState) && until !== undefined && now < until;
}

/** The ways that an instruction can go, given how it usually does. */
function ways(
  instruction: Instruction,
  { mayFail, mustFail }: Circumstances,
  { usual, failed, lost }: { usual: Path[]; failed: Path; lost: Path },
): Path[] {
  return [
    ...(mustFail(instruction) ? [] : usual),
    ...(mayFail('provider-fails', instruction) ? [failed] : []),
    ...(mayFail('provider-silent', instruction) ? [lost] : []),
  ];
}

function capturePaths(known: Known, circumstances: Circumstances): Path[] {
  if (isSlow(known)) return [['Capturing']];
  const failed = ['Capturing', 'Authorised'];
  const usual = [cardOf(known).captureFails ? failed : ['Capturing', 'Captured']];
  return ways('capture', circumstances, { usual, failed, lost: ['Capturing'] });
}

function authorisedPaths(known: Known, circumstances: Circumstances): Path[] {
  if (!known.autoCapture) return [['Authorised']];
  return capturePaths(known, circumstances).map((path) => ['Authorised', ...path]);
}

export function authorisePaths(known: Known, circumstances: Circumstances): Path[] {
  const card = cardOf(known);
  const lost = ['Processing'];
  if (card.answers === 'never') return [lost];
  const failed = ['Declined'];
  const usual: Path[] = [];
  if (card.answers === 'later' || isSlow(known)) usual.push(lost);
  else {
    const expired = known.method ? hasExpired(known.method, circumstances.now) : 'no';
    if (card.declines || expired !== 'no') usual.push(failed);
    if (!card.declines && expired !== 'yes') usual.push(...authorisedPaths(known, circumstances));
  }
  return ways('authorize', circumstances, { usual, failed, lost });
}

/** A stored card is good to the end of a month; around that end the model does not say. */
function hasExpired(method: StoredMethod, now: number): 'yes' | 'no' | 'perhaps' {
  if (profiles[method.profile]?.method !== 'CreditCard') return 'no';
  const years = cards[method.card]?.years ?? 5;
  const age = now - method.since;
  if (age < years * 365 * DAY) return 'no';
  return age > years * 366 * DAY + 31 * DAY ? 'yes' : 'perhaps';
}

export function paidPaths(known: Known, verdict: Verdict, circumstances: Circumstances): Path[] {
  if (verdict === 'block') return [['Declined']];
  if (cardOf(known).challenge && known.flow !== 'charge') return [['ActionRequired']];
  if (verdict === 'hold') return [['Held']];
  return authorisePaths(known, circumstances);
}

export function movePaths(move: Move, known: Known, story: Story, circumstances: Circumstances): Path[] {
  const state = story.payment.paymentState;
  switch (move) {
    case 'capture':
      return capturePaths(known, circumstances);
    case 'unhold':
      if (known.method && !known.method.active) return [['Declined']];
      return authorisePaths(known, circumstances);
    case 'refund':
      if (isSlow(known)) return [['Refunding']];
      return ways('refund', circumstances, {
        usual: [['Refunding', cardOf(known).refundFails ? 'Captured' : 'Refunded']],
        failed: ['Refunding', 'Captured'],
        lost: ['Refunding'],
      });
    case 'cancel': {
      const authorisation = lastExchange(story, 'authorize');
      const isTold = authorisation?.done === 1 || authorisation?.answer === 'pending';
      if (!isTold) return [['Cancelling', 'Cancelled']];
      if (isSlow(known)) return [['Cancelling']];
      return ways('void', circumstances, {
        usual: [['Cancelling', 'Cancelled']],
        failed: ['Cancelling', state],
        lost: ['Cancelling'],
      });
    }
    default:
      return recheckPaths(known, story, circumstances);
  }
}

const waitingFor: Readonly<Record<string, Instruction>> = {
  Processing: 'authorize',
  Capturing: 'capture',
  Refunding: 'refund',
  Cancelling: 'void',
};

export function isWaiting(state: string): boolean {
  return waitingFor[state] !== undefined;
}

/** Recheck brings in what the provider's books say, and nothing else. */
function recheckPaths(known: Known, story: Story, circumstances: Circumstances): Path[] {
  const waiting = waitingFor[story.payment.paymentState];
  const exchange = waiting && lastExchange(story, waiting);
  if (!exchange || exchange.answer === 'pending') return [[]];
  return answerPaths(known, story, exchange.done === 1, circumstances);
}

/** What follows when the answer of the provider becomes known. */
export function answerPaths(known: Known, story: Story, done: boolean, circumstances: Circumstances): Path[] {
  switch (story.payment.paymentState) {
    case 'Processing':
      if (!done) return [['Failed']];
      // What the provider authorised long ago has run out by the time that it becomes known.
      if ((authorisedUntil(known, story) ?? Infinity) <= circumstances.now)
        return [['Authorised', 'Expired']];
      return authorisedPaths(known, circumstances);
    case 'Capturing':
      return [[done ? 'Captured' : 'Authorised']];
    case 'Refunding':
      return [[done ? 'Refunded' : 'Captured']];
    default:
      return [[done ? 'Cancelled' : cameFrom(story)]];
  }
}

const byTime: Readonly<Record<string, readonly string[]>> = {
  Created: ['Expired'],
  ActionRequired: ['Expired'],
  Declined: ['Expired'],
  Processing: ['Authorised', 'Declined'],
  Authorised: ['Capturing', 'Expired'],
  Capturing: ['Captured', 'Authorised'],
  Refunding: ['Refunded', 'Captured'],
  Cancelling: ['Cancelled', 'Created', 'ActionRequired', 'Processing', 'Held', 'Authorised'],
};

/** Whether time alone can have taken a payment along the last steps of its story. */
export function isPathOfTime(known: Known, { events }: Story, steps: number): boolean {
  return events.slice(events.length - steps).every((event, index) => {
    const from = event.from_state ?? '';
    if (!byTime[from]?.includes(event.to_state)) return false;
    if (from === 'Authorised' && event.to_state === 'Capturing') return known.autoCapture;
    const since = events[events.length - steps + index - 1]?.time ?? 0;
    return !isWaiting(from) || event.time >= since + answerTime(known, from);
  });
}

/** How long the provider takes, where it does not answer at once. */
function answerTime(known: Known, state: string): number {
  if (state === 'Processing' && cardOf(known).answers === 'later') return 30_000;
  return isSlow(known) ? 60_000 : 0;
}

/** What time should have done by now and has not; undefined when all is as it should be. */
export function overdue(known: Known, story: Story, now: number): string | undefined {
  const state = story.payment.paymentState;
  const until = authorisedUntil(known, story);
  if (state === 'Authorised' && until !== undefined && until <= now) return 'the authorisation ran out';
  const isOpen = ['Created', 'ActionRequired', 'Declined'].includes(state);
  if (isOpen && known.expires !== undefined && known.expires <= now) return 'the checkout link ran out';
  return undefined;
}
