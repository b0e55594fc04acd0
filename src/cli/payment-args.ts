import { custom } from '@oclif/core/args';
import { readAll } from './json-input.js';
import { type NamedPayment, parsePayment, parsePaymentLines } from '../payments/named-payments.js';
import type { Streams } from '../output/streams.js';

const paymentArg = custom<NamedPayment[]>({
  parse: async (text, command) => {
    if (text !== '-') return [parsePayment(text)];
    return parsePaymentLines(await readAll((command as unknown as { streams: Streams }).streams.stdin));
  },
});

const description = 'A paymentId when it is all digits, else a referenceId (id: and ref: force it)';

/** PAYMENT... on the commands that take several; `-` reads them from stdin. */
export const paymentArgs = {
  payment: paymentArg({
    required: true,
    multiple: true,
    description: `${description}; - reads them from stdin, one a line.`,
  }),
};

/** The same where they may be asked for. */
export const optionalPaymentArgs = {
  payment: paymentArg({ multiple: true, ignoreStdin: true, description: `${description}.` }),
};

export const namesIn = (args: { payment: readonly NamedPayment[][] }): NamedPayment[] => args.payment.flat();
