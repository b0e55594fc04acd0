// Flags of the sandbox, and parsers for their values.

import { custom, string } from '@oclif/core/flags';
import type { Environment } from '../../child-environment.js';
import { commandText, paydesk } from '../../next-command.js';
import { isLoopbackHost } from '../../loopback.js';
import { resolve } from 'node:path';
import { BadValue, parseCount, parseDuration, parseInstant, isDuration } from '../../typed-values.js';
import { didYouMean } from '../../suggest.js';
import { UsageError } from '../../errors.js';
import type { CheckoutMethod } from '../../contract/checkout-methods.js';
import type { AnswerChoices } from '../../sandbox/index.js';
import { isPostgresUrl } from '../../store/location.js';
import { DATABASE_VARIABLE } from '../../sandbox-control/settings.js';

const bad = (problem: string): never => {
  throw new BadValue(problem);
};

export function parsePort(text: string): number {
  const port = Number(text);
  return /^\d+$/.test(text) && port <= 65_535 ? port : bad('use a number up to 65535; 0 picks a free port');
}

/** Only this machine, or all that can reach it. */
export function parseHost(text: string): string {
  const host = text.replace(/^\[(.*)\]$/, '$1');
  return isLoopbackHost(host.includes(':') ? `[${host}]` : host) || isWildcard(host)
    ? host
    : bad('127.0.0.1, ::1 or localhost for this machine alone; 0.0.0.0 or :: with --allow-remote for others');
}

const isWildcard = (host: string): boolean => host === '0.0.0.0' || host === '::';

/** Other machines get in only where somebody said so, and never with keys that anybody can compute. */
export function checkRemote(flags: {
  host: string;
  'allow-remote': boolean;
  seed?: number | undefined;
}): void {
  const isRemote = isWildcard(flags.host);
  const refuse = (message: string, ...words: string[]): never => {
    throw new UsageError(`${message} The sandbox was not started.`, {
      code: 'usage',
      next: [paydesk('sandbox', 'start', ...words)],
    });
  };
  const remote = ['--host', isRemote ? flags.host : '0.0.0.0', '--allow-remote'];
  if (isRemote && !flags['allow-remote']) {
    refuse(
      `--host ${flags.host} lets other machines use the sandbox, without encryption. If you want that, add --allow-remote.`,
      ...remote,
    );
  }
  if (!isRemote && flags['allow-remote']) {
    refuse(`With --host ${flags.host} only this machine can reach the sandbox.`, ...remote);
  }
  if (isRemote && flags.seed !== undefined) {
    refuse('--seed makes API keys predictable, so it cannot be used with --allow-remote.', ...remote);
  }
}

/** A file, as a whole path, or the address of a PostgreSQL database. */
export function parseDatabase(text: string): string {
  if (text.trim() === '') return bad('must not be empty');
  if (text === ':memory:') return bad('for a database in memory use --memory');
  if (isPostgresUrl(text)) {
    return URL.canParse(text) ? text : bad('an address such as postgres://host/database');
  }
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) return bad('a file, or an address that starts with postgres://');
  return resolve(text);
}

/** The database that the environment names; an empty one is none. */
export function databaseOf(env: Environment): string | undefined {
  const given = env[DATABASE_VARIABLE];
  if (!given || given === ':memory:') return undefined;
  try {
    return parseDatabase(given);
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    throw new UsageError('Invalid value. The sandbox was not started.', {
      code: 'bad-database',
      details: [{ input: DATABASE_VARIABLE, problem: error.message }],
    });
  }
}

/** `20/s`. */
function parseRate(text: string): number {
  const rate = /^(\d{1,9})(?:\/s)?$/.exec(text)?.[1];
  return rate !== undefined && Number(rate) > 0 ? Number(rate) : bad('requests per second, for example 20/s');
}

function parseHostName(text: string): string {
  const isName = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text);
  return isName ? text.toLowerCase() : bad('the name of a host, without scheme or path: hooks.shop.example');
}

/** `NAME=VARIANT` of the gaps in the spec. */
export async function parseAnswer(text: string): Promise<Partial<AnswerChoices>> {
  const { answerVariants } = await import('../../sandbox/index.js');
  const variants: Readonly<Record<string, readonly string[]>> = answerVariants;
  const [name = '', ...rest] = text.split('=');
  const variant = rest.join('=');
  const names = Object.keys(variants);
  if (!Object.hasOwn(variants, name)) {
    return bad(`NAME=VARIANT with a name out of ${names.join(', ')}.${didYouMean(name, names)}`);
  }
  const known = variants[name]!;
  if (known.includes(variant)) return { [name]: variant };
  return bad(`${name} is answered as one of ${known.join(', ')}.${didYouMean(variant, known)}`);
}

/** One of the kinds of method that a checkout offers. */
export async function parseCheckoutMethod(text: string): Promise<CheckoutMethod> {
  const { checkoutMethods } = await import('../../contract/checkout-methods.js');
  return (
    checkoutMethods.find((method) => method === text) ??
    bad(`one of ${checkoutMethods.join(', ')}.${didYouMean(text, checkoutMethods)}`)
  );
}

/** A duration, or 0. */
export const parseDelay = (text: string): number => (/^0(ms|s)?$/.test(text) ? 0 : parseDuration(text));

/** A time on the sandbox's clock. A duration is refused: it does not say from when. */
export function parseClockInstant(text: string): Date {
  if (isDuration(text)) {
    return bad(
      `an ISO time; to move by a duration: ${commandText(paydesk('sandbox', 'clock', 'advance', text))}`,
    );
  }
  try {
    return parseInstant(text);
  } catch {
    return bad('an ISO time such as 2027-01-01T00:00:00Z');
  }
}

/** A time in the provider's books, which follow the sandbox's clock: a duration would count from another one. */
export function parseBookedTime(text: string): Date {
  return /^\d{4}-/.test(text) ? parseInstant(text) : bad('an ISO time such as 2026-11-01T00:00:00Z');
}

/** Names of planted defects, separated by commas. */
export async function parseDefects(text: string): Promise<string> {
  const { defectNames } = await import('../../sandbox/index.js');
  const known = [...defectNames, 'all'];
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return names.join(',');
  return bad(
    `there is no ${unknown || 'empty one'}; choose from ${known.join(', ')}.${didYouMean(unknown, known)}`,
  );
}

export function parseProbability(text: string): number {
  const share = Number(text);
  return /^\d*\.?\d+$/.test(text) && share > 0 && share <= 1 ? share : bad('more than 0 and at most 1: 0.2');
}

export function parseErrorStatus(text: string): number {
  return /^[45]\d\d$/.test(text) ? Number(text) : bad('from 400 to 599, for example 503');
}

/** What a new sandbox holds and how it answers. */
export const contentFlags = {
  import: string({
    helpValue: 'FILE',
    exclusive: ['seed'],
    summary: 'Start a new database with an export; - reads stdin.',
  }),
  clock: custom<Date>({ parse: async (text) => parseClockInstant(text) })({
    helpValue: 'INSTANT',
    summary: 'Start with the clock stopped at this time.',
  }),
  seed: custom<number>({ parse: async (text) => parseCount(text, 0) })({
    helpValue: 'N',
    summary: 'Make the IDs, keys and outcomes of a new database repeatable.',
  }),
  answers: custom({ parse: parseAnswer })({
    helpValue: 'NAME=VARIANT',
    multiple: true,
    summary: 'Use another answer where the API specification is unclear.',
  }),
  'rate-limit': custom<number>({ parse: async (text) => parseRate(text) })({
    helpValue: 'N/s',
    summary: 'Answer faster requests with 429.',
  }),
  'webhook-host': custom({ parse: async (text) => parseHostName(text) })({
    helpValue: 'HOST',
    multiple: true,
    summary: 'Another host that webhooks may be sent to.',
  }),
};
