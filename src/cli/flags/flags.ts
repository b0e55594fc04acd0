// Flags that several commands share, and those that all of them have.

import { boolean, custom, string } from '@oclif/core/flags';
import { didYouMean } from '../../suggest.js';
import {
  BadValue,
  parseAmount,
  parseCount,
  parseCurrency,
  parseEmail,
  parseId,
  parseInstant,
  parseNumericId,
  parsePair,
  parsePastInstant,
  parseTimeout,
  parseUrl,
  type Pair,
} from '../../typed-values.js';
import { DAY_MS } from '../../day.js';

export const durationFlag = custom<number>({
  helpValue: 'DURATION',
  parse: async (text) => parseTimeout(text),
});
export const instantFlag = custom<Date>({ helpValue: '24h|ISO', parse: async (text) => parseInstant(text) });
export const sinceFlag = custom<Date>({ helpValue: '7d|ISO', parse: async (text) => parsePastInstant(text) });

/** A day without a time counts to its end. */
export const untilFlag = custom<Date>({
  helpValue: '7d|ISO',
  parse: async (text) =>
    new Date(parsePastInstant(text).getTime() + (/^[\d-]{10}$/.test(text) ? DAY_MS - 1 : 0)),
});
export const amountFlag = custom({ helpValue: '10.23', parse: parseAmount });
export const currencyFlag = custom({ helpValue: 'EUR', parse: async (text) => parseCurrency(text) });
export const urlFlag = custom({ helpValue: 'URL', parse: async (text) => parseUrl(text) });
export const idFlag = custom({ helpValue: 'ID', parse: async (text) => parseId(text) });
export const numericIdFlag = custom<number>({ helpValue: 'N', parse: async (text) => parseNumericId(text) });
export const countFlag = custom<number>({ helpValue: 'N', parse: async (text) => parseCount(text) });
export const emailFlag = custom({ helpValue: 'ADDRESS', parse: async (text) => parseEmail(text) });
export const pairFlag = custom<Pair>({ helpValue: 'KEY=VALUE', parse: async (text) => parsePair(text) });

export const DEFAULT_READS = 16;
/** On the commands that read every payment of a file. */
export const readsFlag = countFlag({
  summary: `Maximum number of reads at once (default ${DEFAULT_READS}).`,
});

const helpGroup = 'GLOBAL';

/** On every command. */
export const globalFlags = {
  profile: string({
    char: 'p',
    helpValue: 'NAME',
    summary: 'Profile to use (or PAYDESK_PROFILE).',
    helpGroup,
  }),
  json: boolean({ summary: 'Print JSON to stdout.', helpGroup }),
  jq: string({
    helpValue: 'EXPR',
    summary:
      'Filter the JSON with jq (implies --json). Strings are printed without quotes; integers above 2^53 ' +
      'may be rounded.',
    helpGroup,
  }),
  'no-input': boolean({
    summary: 'Never ask; a missing value is an error (also when CI is set).',
    helpGroup,
  }),
  timeout: durationFlag({
    summary: 'Time limit for the command, for example 500ms, 30s, 5m or 24h.',
    helpGroup,
  }),
  debug: boolean({
    summary: 'Print requests and timings to stderr, without secrets (or PAYDESK_DEBUG).',
    helpGroup,
  }),
};

function parseColumns(text: string, known: readonly string[]): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw new BadValue('names separated by commas, for example a,b,c');
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new BadValue(
      `there is no ${unknown}; choose from ${known.join(', ')}.${didYouMean(unknown, known)}`,
    );
  }
  return names;
}

const rowFlags = {
  csv: boolean({ summary: 'Print the rows as CSV.' }),
  header: boolean({
    allowNo: true,
    summary: 'Print the names of the columns first (default: on a terminal and in CSV, but not in a pipe).',
  }),
  raw: boolean({ summary: 'With --csv: no protection against cells that a spreadsheet takes for formulas.' }),
};

/** On commands that print a list. A column that is not there is refused before anything is done. */
export function listFlagsFor(view: { columns: ReadonlyArray<{ key: string }> }) {
  const known = view.columns.map(({ key }) => key);
  return {
    columns: custom<string[]>({ parse: async (text) => parseColumns(text, known) })({
      helpValue: 'a,b,c',
      summary: `Columns to print, in this order: ${known.join(', ')}.`,
    }),
    ...rowFlags,
  };
}
