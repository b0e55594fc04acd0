// Values that people type: how each is read, and what to type instead when it cannot be used.

import { currencies } from './contract/currencies.js';
import { suggest } from './suggest.js';

/** A value that cannot be used; the message says what to type instead and stands beside the flag. */
export class BadValue extends Error {}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;
// The longest wait that a timer can take.
const MAX_TIMER_MS = 2 ** 31 - 1;

export const isDuration = (text: string): boolean => DURATION.test(text);

/** Milliseconds of `500ms`, `30s`, `5m`, `24h`, `7d`. */
export function parseDuration(text: string): number {
  const match = DURATION.exec(text);
  if (!match) {
    throw new BadValue(
      /^\d*[1-9]\d*$/.test(text)
        ? `a number and a unit, for example ${text}s`
        : 'a duration such as 500ms, 30s, 5m, 24h or 7d',
    );
  }
  const milliseconds = Math.round(Number(match[1]) * units[match[2]!]!);
  if (milliseconds <= 0) throw new BadValue('must be more than zero');
  return milliseconds;
}

/** A duration that a timer can wait for. */
export function parseTimeout(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds > MAX_TIMER_MS) throw new BadValue('at most 24d');
  return milliseconds;
}

const ISO = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

function instant(text: string, direction: 1 | -1, now: Date): Date {
  if (isDuration(text)) {
    const at = new Date(now.getTime() + direction * parseDuration(text));
    if (Number.isNaN(at.getTime())) throw new BadValue('is too far in the past or future');
    return at;
  }
  const at = new Date(text);
  if (!ISO.test(text) || Number.isNaN(at.getTime())) {
    throw new BadValue('a duration such as 24h or 7d, or an ISO time such as 2026-11-14T09:00:00Z');
  }
  return at;
}

/** An instant to come: ISO 8601, or a duration from now. */
export const parseInstant = (text: string, now = new Date()): Date => instant(text, 1, now);
/** An instant that was: ISO 8601, or a duration ago. */
export const parsePastInstant = (text: string, now = new Date()): Date => instant(text, -1, now);

/** A decimal amount in major units, kept as it was typed. */
export const parseAmount = (text: string): Promise<string> => parseMoney(text, 'amountProblem');
/** A sum of amounts, with as many decimals as they have. */
export const parseTotal = (text: string): Promise<string> => parseMoney(text, 'totalProblem');

async function parseMoney(text: string, check: 'amountProblem' | 'totalProblem'): Promise<string> {
  // The contract brings zod along: only commands that are given an amount pay for that.
  const { [check]: problemOf } = await import('./contract/money.js');
  if (/^\d+,\d{1,2}$/.test(text))
    throw new BadValue(`use a decimal point, for example ${text.replace(',', '.')}`);
  if (/^\d{1,3}([,' ]\d{3})+(\.\d+)?$/.test(text)) {
    throw new BadValue(`leave out thousands separators, for example ${text.replaceAll(/[,' ]/g, '')}`);
  }
  const problem = problemOf(text);
  if (problem !== undefined) throw new BadValue(problem);
  return text;
}

/** Three capital letters; whether the service supports them is for the service to say. */
export function parseCurrency(text: string): string {
  if (/^[A-Z]{3}$/.test(text)) return text;
  const close = suggest(text.toUpperCase(), currencies);
  throw new BadValue(
    `use three capital letters${close === undefined ? ', for example EUR' : `, did you mean ${close}?`}`,
  );
}

/** An http or https address. */
export function parseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    const host = /^[a-z0-9-]+(\.[a-z0-9-]+)+([:/?#]|$)/i.test(text);
    throw new BadValue(
      host ? `add the scheme: https://${text}` : 'a web address, for example https://shop.example/done',
    );
  }
  if (url.username !== '' || url.password !== '') throw new BadValue('remove the user name and password');
  return text;
}

/** An identifier of the merchant's own: any visible text. */
export function parseId(text: string): string {
  if (text.trim() === '') throw new BadValue('must not be empty');
  if (text !== text.trim()) throw new BadValue('remove the spaces around it');
  // The second expression takes half a millisecond to make.
  if (!/^[ -~]*$/.test(text) && /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(text))
    throw new BadValue('remove control and invisible characters');
  if (text.length > 255) throw new BadValue('at most 255 characters');
  return text.normalize('NFC');
}

/** A numeric id of the service. */
export function parseNumericId(text: string): number {
  const id = Number(text);
  if (!/^[1-9]\d*$/.test(text) || !Number.isSafeInteger(id))
    throw new BadValue('a whole number, for example 3');
  return id;
}

/** A whole number from `least` up. */
export function parseCount(text: string, least = 1): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(count))
    throw new BadValue(`a whole number, ${least} or more`);
  if (count < least) throw new BadValue(`${least} or more`);
  return count;
}

export function parseEmail(text: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(text)) throw new BadValue('an e-mail address, for example buyer@example.org');
  return text;
}

export interface Pair {
  key: string;
  value: string;
}

/** `KEY=VALUE`; the value may be empty and may hold further equals signs. */
export function parsePair(text: string): Pair {
  const at = text.indexOf('=');
  if (at < 1) throw new BadValue('KEY=VALUE, for example limit=50');
  return { key: text.slice(0, at), value: text.slice(at + 1) };
}
