import { custom } from '@oclif/core/args';
import { readAll } from './json-input.js';
import { type NamedPayment, parsePayment, parsePaymentLines } from '../../payments/named-payments.js';
import type { Streams } from '../../output/streams.js';

const paymentArg = custom<NamedPayment[]>({
  parse: async (text, command) => {
    if (text !== '-') return [parsePayment(text)];
    return parsePaymentLines(await readAll((command as unknown as { streams: Streams }).streams.stdin));
  },
});

const description = 'Payment ID or reference (id: or ref: in front decides)';

/** PAYMENT... on the commands that take several; `-` reads them from stdin. */
export const paymentArgs = {
  payment: paymentArg({
    required: true,
    multiple: true,
    description: `${description}; - reads them from stdin, one per line.`,
  }),
};

/** The same where they may be asked for. */
export const optionalPaymentArgs = {
  payment: paymentArg({ multiple: true, ignoreStdin: true, description: `${description}.` }),
};

export const namesIn = (args: { payment: readonly NamedPayment[][] }): NamedPayment[] => args.payment.flat();

/** What `--json` prints: one object for one payment, a list for several. */
export function oneOrAll<T>(json: readonly T[]): T | T[] {
  const [first, ...others] = json;
  return first !== undefined && others.length === 0 ? first : [...json];
}
