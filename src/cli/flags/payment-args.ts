import { custom } from '@oclif/core/args';
import { readAll } from './json-input.js';
import { type Command } from '../../next-command.js';
import {
  type NamedPayment,
  namesApart,
  parsePayment,
  parsePaymentLines,
} from '../../payments/named-payments.js';
import { parsePastedLines } from '../../payments/pasted-names.js';
import type { Streams } from '../../output/streams.js';

interface TypedCommand {
  streams: Streams;
  typed: Command;
}

/** The command with a space instead of the commas between names. A word after a flag may be its value. */
function withoutCommas({ words, ...command }: Command, name: string): Command {
  const isValue = (word: string, before = '') => before.startsWith('-') && word !== name;
  return {
    ...command,
    words: words.flatMap((word, at) =>
      word.startsWith('-') || isValue(word, words[at - 1]) ? [word] : namesApart(word),
    ),
  };
}

function parseTyped(text: string, { typed }: TypedCommand): NamedPayment {
  const name = parsePayment(text);
  const hasNames = /[,;]/.test(text) && namesApart(text).length > 0;
  return hasNames ? { ...name, apart: withoutCommas(typed, text) } : name;
}

const paymentArg = (parseLines: (text: string) => NamedPayment[]) =>
  custom<NamedPayment[]>({
    parse: async (text, command) => {
      const typed = command as unknown as TypedCommand;
      if (text !== '-') return [parseTyped(text, typed)];
      return parseLines(await readAll(typed.streams.stdin));
    },
  });

const description = 'Payment ID or reference (id: or ref: in front decides)';

const several = {
  required: true,
  multiple: true,
  description: `${description}; - reads them from stdin, one per line.`,
} as const;

/** PAYMENT... on the commands that take several; `-` reads them from stdin. */
export const paymentArgs = { payment: paymentArg(parsePaymentLines)(several) };

/** The same on commands that move no money: what is on stdin may be a list that was pasted from somewhere. */
export const pastedPaymentArgs = { payment: paymentArg(parsePastedLines)(several) };

/** The same where they may be asked for. */
export const optionalPaymentArgs = {
  payment: paymentArg(parsePastedLines)({
    multiple: true,
    ignoreStdin: true,
    description: `${description}.`,
  }),
};

export const namesIn = (args: { payment: readonly NamedPayment[][] }): NamedPayment[] => args.payment.flat();

/** What `--json` prints: one object for one payment, a list for several. */
export function oneOrAll<T>(json: readonly T[]): T | T[] {
  const [first, ...others] = json;
  return first !== undefined && others.length === 0 ? first : [...json];
}
