// Test cards: what the provider does with each. Only the name is ever stored, never a number.

interface TestCard {
  /** A number of the familiar shape, for the checkout form. */
  number: string;
  brand: string;
  type: 'credit' | 'debit';
  summary: string;
  /** What the provider decides about the authorisation. */
  verdict: 'approve' | 'decline';
  reason?: string;
  /** When its answer reaches the service; a lost one is brought in by recheck. */
  answer: 'now' | 'later' | 'lost';
  /** The customer must confirm at the provider first. */
  challenge?: true;
  /** Held as if by a fraud rule, whatever the policy. */
  hold?: true;
  captureFails?: true;
  refundFails?: true;
  /** Years until the card itself expires. */
  years: number;
}

const base = { brand: 'Visa', type: 'credit', verdict: 'approve', answer: 'now', years: 5 } as const;

export const testCards = {
  approved: { ...base, number: '4242424242424242', summary: 'approved at once' },
  declined: {
    ...base,
    number: '4000000000000002',
    summary: 'declined by the issuer',
    verdict: 'decline',
    reason: 'declined by the issuer',
  },
  'insufficient-funds': {
    ...base,
    number: '4000000000009995',
    summary: 'declined: insufficient funds',
    verdict: 'decline',
    reason: 'insufficient funds',
  },
  expired: {
    ...base,
    number: '4000000000000069',
    summary: 'declined: expired card',
    verdict: 'decline',
    reason: 'expired card',
    years: -1,
  },
  'three-d-secure': {
    ...base,
    number: '4000000000003220',
    summary: 'the customer must confirm at the provider',
    challenge: true,
  },
  held: { ...base, number: '4100000000000019', summary: 'held as if by a fraud rule', hold: true },
  blocked: {
    ...base,
    number: '4000000000004954',
    summary: 'blocked by the provider',
    verdict: 'decline',
    reason: 'blocked by the provider',
  },
  'slow-approved': {
    ...base,
    number: '4000000000000077',
    summary: 'Processing for 30 seconds, then approved',
    answer: 'later',
  },
  'slow-declined': {
    ...base,
    number: '4000000000000085',
    summary: 'Processing for 30 seconds, then declined',
    verdict: 'decline',
    reason: 'declined by the issuer',
    answer: 'later',
  },
  'unknown-charged': {
    ...base,
    number: '4000000000000093',
    summary: 'stays Processing; authorised at the provider, a recheck finds out',
    answer: 'lost',
  },
  'unknown-not-charged': {
    ...base,
    number: '4000000000000101',
    summary: 'stays Processing; unknown to the provider, a recheck finds out',
    verdict: 'decline',
    reason: 'the provider never received it',
    answer: 'lost',
  },
  'capture-fails': {
    ...base,
    number: '4000000000000119',
    summary: 'authorised; the capture fails',
    captureFails: true,
  },
  'refund-fails': {
    ...base,
    number: '4000000000000127',
    summary: 'captured; the refund fails',
    refundFails: true,
  },
  'expires-later': {
    ...base,
    number: '5555555555554444',
    brand: 'Mastercard',
    type: 'debit',
    summary: 'approved; the card expires within three years',
    years: 2,
  },
} as const satisfies Record<string, TestCard>;

export type CardName = keyof typeof testCards;
export const cardNames = Object.keys(testCards) as CardName[];

/** What only a card can do: no account or wallet expires or asks its bank for a confirmation. */
const cardsOnly: readonly CardName[] = ['expired', 'three-d-secure', 'expires-later'];

/** How a payment that is not made with a card may end, by the names of the cards that end the same way. */
export const outcomeNames = cardNames.filter((name) => !cardsOnly.includes(name));

/** How long a provider that answers later takes. */
export const LATE_ANSWER_MS = 30_000;

/** Whether a slow test card has still not been answered after this many milliseconds. */
export const isStillSlow = (ms: number): boolean => ms < LATE_ANSWER_MS;

export function testCard(name: string): TestCard {
  const card: TestCard | undefined = Object.hasOwn(testCards, name) ? testCards[name as CardName] : undefined;
  if (!card) throw new RangeError(`no test card named ${name}`);
  return card;
}

export function cardByNumber(number: string): CardName | undefined {
  return cardNames.find((name) => testCards[name].number === number);
}

/** The bank account of the sandbox that ends as the card does: the last ten digits of its number. */
export function accountNumber(name: CardName): string {
  return testCards[name].number.slice(-10);
}

export function outcomeByAccount(number: string): CardName | undefined {
  return outcomeNames.find((name) => accountNumber(name) === number);
}

export interface Expiry {
  month: number;
  year: number;
}

export function cardExpiry(card: TestCard, now: number): Expiry {
  const date = new Date(now);
  return { month: date.getUTCMonth() + 1, year: date.getUTCFullYear() + card.years };
}

/** A card is good to the end of its month. */
export function isExpired(expiry: Expiry, now: number): boolean {
  return now >= Date.UTC(expiry.year, expiry.month, 1);
}
