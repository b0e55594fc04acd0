import {
  accountNumber,
  cardByNumber,
  isExpired,
  outcomeByAccount,
  type CardName,
  type Expiry,
} from '../../../domain/cards.js';
import { hasCardNumber, type Payer } from '../../../domain/payer.js';

/** What a form said, and what is wrong with it, by the name of the field. */
export interface Typed {
  values: Record<string, string>;
  errors: Record<string, string>;
  /** How it will end, when all of it can be used. */
  outcome: CardName | undefined;
  payer?: Payer;
}

/** The number of the bank that every test account is at. */
export const ROUTING_NUMBER = '110000000';

const MAX_NAME_LENGTH = 100;

/** A card as a customer types it. Numbers that are not ours, and security codes, are not shown again. */
export function readCard(form: URLSearchParams, now: number): Typed {
  const field = (name: string) => (form.get(name) ?? '').trim();
  const number = field('cardNumber').replaceAll(/[\s-]/g, '');
  const outcome = cardByNumber(number);
  const expiry = readExpiry(field('expiry'));
  const errors = withoutGaps({
    cardNumber: outcome === undefined ? numberProblem(number) : undefined,
    expiry: field('expiry') === '' ? 'Enter the month and the year.' : expiryProblem(expiry, now),
    cvc: codeProblem(field('cvc')),
    cardName: nameProblem(field('cardName'), 'Enter the name on the card.'),
  });
  return {
    values: {
      cardNumber: outcome === undefined ? '' : groupCardDigits(number),
      expiry: field('expiry').slice(0, 9),
      cardName: shownName(field('cardName')),
    },
    errors,
    outcome: Object.keys(errors).length === 0 ? outcome : undefined,
    payer: { name: field('cardName'), ...(expiry && { expiry }) },
  };
}

export function readAccount(form: URLSearchParams): Typed {
  const field = (name: string) => (form.get(name) ?? '').trim();
  const [routing, account] = [field('routingNumber'), field('accountNumber')].map((text) =>
    text.replaceAll(/[\s-]/g, ''),
  ) as [string, string];
  const outcome = outcomeByAccount(account);
  const errors = withoutGaps({
    accountHolder: nameProblem(field('accountHolder'), 'Enter the name of the account holder.'),
    routingNumber: routingProblem(routing),
    accountNumber: outcome === undefined ? accountProblem(account) : undefined,
  });
  return {
    values: {
      accountHolder: shownName(field('accountHolder')),
      routingNumber: routing === ROUTING_NUMBER ? routing : '',
      accountNumber: outcome === undefined ? '' : accountNumber(outcome),
    },
    errors,
    outcome: Object.keys(errors).length === 0 ? outcome : undefined,
    payer: { name: field('accountHolder') },
  };
}

const shownName = (text: string): string => (hasCardNumber(text) ? '' : text.slice(0, MAX_NAME_LENGTH));

export function groupCardDigits(number: string): string {
  return number.replaceAll(/(\d{4})(?=\d)/g, '$1 ');
}

function numberProblem(number: string): string {
  if (number === '') return 'Enter the card number.';
  if (!/^\d+$/.test(number)) return 'A card number has digits only.';
  if (number.length < 12 || number.length > 19) return 'A card number has 12 to 19 digits.';
  return 'Only the test cards below work here. Never use a real card.';
}

function readExpiry(text: string): Expiry | undefined {
  const match = /^(\d{1,2})\s*[/-]?\s*(\d{2}|\d{4})$/.exec(text);
  const month = Number(match?.[1]);
  if (!match || month < 1 || month > 12) return undefined;
  return { month, year: Number(match[2]) + (match[2]?.length === 2 ? 2000 : 0) };
}

function expiryProblem(expiry: Expiry | undefined, now: number): string | undefined {
  if (!expiry) return 'Month and year, for example 04/29.';
  return isExpired(expiry, now) ? 'This card has expired.' : undefined;
}

function codeProblem(text: string): string | undefined {
  if (text === '') return 'Enter the security code.';
  return /^\d{3,4}$/.test(text) ? undefined : 'Three or four digits.';
}

function nameProblem(text: string, missing: string): string | undefined {
  if (text === '') return missing;
  if (hasCardNumber(text)) return 'Enter a name, not a card number.';
  return text.length > MAX_NAME_LENGTH ? `At most ${MAX_NAME_LENGTH} characters.` : undefined;
}

function routingProblem(text: string): string | undefined {
  if (text === '') return 'Enter the routing number.';
  if (!/^\d{9}$/.test(text)) return 'A routing number has nine digits.';
  return text === ROUTING_NUMBER ? undefined : `Only the test bank ${ROUTING_NUMBER} works here.`;
}

function accountProblem(text: string): string {
  if (text === '') return 'Enter the account number.';
  if (!/^\d{4,17}$/.test(text)) return 'An account number has 4 to 17 digits.';
  return 'Only the test accounts below work here. Never use a real account.';
}

function withoutGaps(errors: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(errors).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
