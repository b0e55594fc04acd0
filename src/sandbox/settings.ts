import { join, resolve } from 'node:path';
import { UsageError } from '../errors.js';
import { didYouMean } from '../suggest.js';
import type { AnswerChoices } from './answers.js';

// What people may set when they start a sandbox: how each value is read, and what to type instead.

const bad = (problem: string): never => {
  throw new Error(problem);
};

export function parsePort(text: string): number {
  const port = Number(text);
  return /^\d+$/.test(text) && port <= 65_535 ? port : bad('a number up to 65535; 0 picks a free port');
}

/** Only this machine: whoever can reach the sandbox can use it. */
export function parseLoopbackHost(text: string): string {
  const host = text.replace(/^\[(.*)\]$/, '$1');
  const isLoopback = host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
  return isLoopback ? host : bad('an address of this machine alone: 127.0.0.1, ::1 or localhost');
}

/** A file, as a whole path, or the address of a PostgreSQL database. */
export function parseDatabase(text: string): string {
  if (text.trim() === '') return bad('must not be empty');
  if (text === ':memory:') return bad('for a database in memory use --memory');
  if (/^postgres(ql)?:\/\//i.test(text)) {
    return URL.canParse(text) ? text : bad('an address such as postgres://user@host/database');
  }
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) return bad('a file, or an address that starts with postgres://');
  return resolve(text);
}

/** `20/s`. */
export function parseRate(text: string): number {
  const rate = /^(\d{1,9})(?:\/s)?$/.exec(text)?.[1];
  return rate !== undefined && Number(rate) > 0 ? Number(rate) : bad('requests a second, for example 20/s');
}

export function parseHostName(text: string): string {
  const isName = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text);
  return isName ? text.toLowerCase() : bad('the name of a host, without scheme or path: hooks.shop.example');
}

/** `NAME=VARIANT` of the gaps in the spec. */
export async function parseAnswer(text: string): Promise<Partial<AnswerChoices>> {
  const { answerVariants } = await import('./answers.js');
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

/** What the flags of `sandbox start` say. */
export interface StartFlags {
  host: string;
  port: number;
  database?: string | undefined;
  memory?: boolean;
  seed?: number | undefined;
  answers?: Array<Partial<AnswerChoices>> | undefined;
  'rate-limit'?: number | undefined;
  'webhook-host'?: string[] | undefined;
}

export interface SandboxSettings {
  host: string;
  port: number;
  /** `:memory:`, a file, or postgres://… */
  location: string;
  /** Where run files are, and the database unless another was chosen. */
  dataFolder: string;
  seed?: number | undefined;
  answers: Partial<AnswerChoices>;
  rateLimit?: number | undefined;
  webhookHosts: string[];
}

export function chooseSettings(flags: StartFlags, dataFolder: string): SandboxSettings {
  const answers: Partial<AnswerChoices> = {};
  for (const choice of flags.answers ?? []) {
    const [name] = Object.keys(choice) as Array<keyof AnswerChoices>;
    if (name && Object.hasOwn(answers, name)) {
      throw new UsageError(`--answers ${name} was given twice: choose one.`, { code: 'usage' });
    }
    Object.assign(answers, choice);
  }
  return {
    host: flags.host,
    port: flags.port,
    location: flags.memory ? ':memory:' : (flags.database ?? join(dataFolder, 'sandbox.db')),
    dataFolder,
    seed: flags.seed,
    answers,
    rateLimit: flags['rate-limit'],
    webhookHosts: flags['webhook-host'] ?? [],
  };
}

/** One of the kinds of method that a checkout offers. */
export async function parseMethod(text: string): Promise<string> {
  const { checkoutMethods } = await import('../contract/payment.js');
  const known: readonly string[] = checkoutMethods;
  return known.includes(text) ? text : bad(`one of ${known.join(', ')}.${didYouMean(text, known)}`);
}
