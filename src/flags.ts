// Values that people type: how each is read, and what to type instead when it cannot be used.

import { boolean, custom, string } from '@oclif/core/flags';
import { currencies } from './contract/currencies.js';
import { didYouMean, suggest } from './suggest.js';

/** A value that cannot be used; the message says what to type instead and stands beside the flag. */
export class BadValue extends Error {}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;
// The longest wait that a timer can take.
const LONGEST_MS = 2 ** 31 - 1;

/** Milliseconds of `500ms`, `30s`, `5m`, `24h`, `7d`. */
export function parseDuration(text: string): number {
  const match = DURATION.exec(text);
  if (!match) {
    throw new BadValue(
      /^\d+$/.test(text)
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
  if (milliseconds > LONGEST_MS) throw new BadValue('at most 24d');
  return milliseconds;
}

const ISO = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

function instant(text: string, direction: 1 | -1, now: Date): Date {
  if (DURATION.test(text)) {
    const at = new Date(now.getTime() + direction * parseDuration(text));
    if (Number.isNaN(at.getTime())) throw new BadValue('too far away');
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
export async function parseAmount(text: string): Promise<string> {
  // The contract brings zod along: only commands that are given an amount pay for that.
  const { amountProblem } = await import('./contract/money.js');
  if (/^\d+,\d{1,2}$/.test(text))
    throw new BadValue(`a point before the decimals: ${text.replace(',', '.')}`);
  if (/^\d{1,3}([,' ]\d{3})+(\.\d+)?$/.test(text)) {
    throw new BadValue(`no thousands separators: ${text.replaceAll(/[,' ]/g, '')}`);
  }
  const problem = amountProblem(text);
  if (problem !== undefined) throw new BadValue(problem);
  return text;
}

/** Three capital letters; whether the service supports them is for the service to say. */
export function parseCurrency(text: string): string {
  if (/^[A-Z]{3}$/.test(text)) return text;
  const close = suggest(text.toUpperCase(), currencies);
  throw new BadValue(
    `three capital letters${close === undefined ? ', for example EUR' : `, did you mean ${close}?`}`,
  );
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** An http or https address. */
export function parseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    const host = /^[a-z0-9-]+(\.[a-z0-9-]+)+([:/?#]|$)/i.test(text);
    throw new BadValue(
      host ? `with its scheme: https://${text}` : 'a web address, for example https://shop.example/done',
    );
  }
  if (url.username !== '' || url.password !== '') throw new BadValue('without a user name or password in it');
  return text;
}

/** Whether an address is on this machine. */
export const isLoopback = (url: string): boolean => loopback.test(new URL(url).hostname);

/** An identifier of the merchant's own: any visible text. */
export function parseId(text: string): string {
  if (text.trim() === '') throw new BadValue('must not be empty');
  if (text !== text.trim()) throw new BadValue('without spaces around it');
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(text))
    throw new BadValue('without control or invisible characters');
  if (text.length > 255) throw new BadValue('at most 255 characters');
  return text;
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

export const durationFlag = custom<number>({
  helpValue: 'DURATION',
  parse: async (text) => parseTimeout(text),
});
export const instantFlag = custom<Date>({ helpValue: '24h|ISO', parse: async (text) => parseInstant(text) });
export const sinceFlag = custom<Date>({ helpValue: '7d|ISO', parse: async (text) => parsePastInstant(text) });
export const amountFlag = custom({ helpValue: '10.23', parse: parseAmount });
export const currencyFlag = custom({ helpValue: 'EUR', parse: async (text) => parseCurrency(text) });
export const urlFlag = custom({ helpValue: 'URL', parse: async (text) => parseUrl(text) });
export const idFlag = custom({ helpValue: 'ID', parse: async (text) => parseId(text) });
export const numericIdFlag = custom<number>({ helpValue: 'N', parse: async (text) => parseNumericId(text) });
export const countFlag = custom<number>({ helpValue: 'N', parse: async (text) => parseCount(text) });
export const emailFlag = custom({ helpValue: 'ADDRESS', parse: async (text) => parseEmail(text) });
export const pairFlag = custom<Pair>({ helpValue: 'KEY=VALUE', parse: async (text) => parsePair(text) });

const helpGroup = 'GLOBAL';

/** On every command. */
export const globalFlags = {
  profile: string({
    char: 'p',
    helpValue: 'NAME',
    summary: 'Which app to act on (or PAYDESK_PROFILE).',
    helpGroup,
  }),
  json: boolean({ summary: 'One JSON document on stdout, and nothing else there.', helpGroup }),
  jq: string({
    helpValue: 'EXPR',
    summary:
      'Filter that JSON with jq (implies --json); strings are printed bare, integers above 2^53 may be rounded.',
    helpGroup,
  }),
  'no-input': boolean({
    summary: 'Never ask; what is missing is an error (also when CI is set).',
    helpGroup,
  }),
  timeout: durationFlag({ summary: 'Limit for the whole command: 500ms, 30s, 5m, 24h, 7d.', helpGroup }),
  debug: boolean({
    summary: 'Requests and timings on stderr, secrets redacted (or PAYDESK_DEBUG).',
    helpGroup,
  }),
};

function parseColumns(text: string, known?: readonly string[]): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw new BadValue('names with commas between them, for example a,b,c');
  const unknown = known === undefined ? undefined : names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new BadValue(
      `there is no ${unknown}; choose from ${known!.join(', ')}.${didYouMean(unknown, known!)}`,
    );
  }
  return names;
}

const csvFlag = boolean({ summary: 'Print the rows as CSV, with a header.' });

/** On commands that print lists. */
export const listFlags = {
  columns: custom<string[]>({ parse: async (text) => parseColumns(text) })({
    helpValue: 'a,b,c',
    summary: 'Which columns to print, in this order.',
  }),
  csv: csvFlag,
};

/** The same for one list, so that a column that is not there is refused before anything is done. */
export function listFlagsFor(view: { columns: ReadonlyArray<{ key: string }> }): typeof listFlags {
  const known = view.columns.map(({ key }) => key);
  return {
    columns: custom<string[]>({ parse: async (text) => parseColumns(text, known) })({
      helpValue: 'a,b,c',
      summary: `Which columns to print, in this order: ${known.join(', ')}.`,
    }),
    csv: csvFlag,
  };
}
