import { didYouMean } from '../suggest.js';
import type { StartOptions } from './types.js';

interface Rule {
  accepts(value: unknown): boolean;
  must: string;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isWhole = (value: unknown, most: number): boolean =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= most;

const rules: Readonly<Record<keyof StartOptions, Rule>> = {
  seed: {
    accepts: (value) => isWhole(value, Number.MAX_SAFE_INTEGER),
    must: 'must be a whole number, 0 or more',
  },
  clock: {
    accepts: (value) => isText(value) || value instanceof Date,
    must: 'must be an ISO time or a Date',
  },
  contents: { accepts: (value) => typeof value === 'string', must: 'must be the text of an export' },
  answers: {
    accepts: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    must: "must be an object, for example { errors: 'html' }",
  },
  database: { accepts: isText, must: 'must be a file or an address that starts with postgres://' },
  port: { accepts: (value) => isWhole(value, 65_535), must: 'must be a whole number up to 65535' },
  host: { accepts: isText, must: 'must be an address of this machine, for example 127.0.0.1' },
  allowRemote: { accepts: (value) => typeof value === 'boolean', must: 'must be true or false' },
  rateLimit: {
    accepts: (value) => Number.isFinite(value) && Number(value) > 0,
    must: 'must be a number of requests per second, more than 0',
  },
  webhookHosts: {
    accepts: (value) => Array.isArray(value) && value.every(isText),
    must: 'must be a list of host names',
  },
};

/** Refuses options that do not exist and values that cannot be used: a typo would start another sandbox than was meant. */
export function checkStartOptions(options: StartOptions): void {
  const names = Object.keys(rules);
  for (const [name, value] of Object.entries(options) as Array<[keyof StartOptions, unknown]>) {
    if (!names.includes(name)) {
      throw new TypeError(`${name} is not an option of startSandbox.${didYouMean(name, names)}`);
    }
    const { accepts, must } = rules[name];
    if (value !== undefined && !accepts(value)) throw new TypeError(`${name} ${must}.`);
  }
}
