import { custom } from '@oclif/core/args';
import { readAll } from './json-input.js';
import { type NamedPayment, parsePayment, parsePaymentLines } from '../../payments/named-payments.js';
import { parsePastedLines } from '../../payments/pasted-names.js';
import type { Streams } from '../../output/streams.js';

const paymentArg = (parseLines: (text: string) => NamedPayment[]) =>
  custom<NamedPayment[]>({
    parse: async (text, command) => {
      if (text !== '-') return [parsePayment(text)];
      return parseLines(await readAll((command as unknown as { streams: Streams }).streams.stdin));
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
