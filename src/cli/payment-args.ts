import { custom } from '@oclif/core/args';
import { readAll } from './json-input.js';
import { type NamedPayment, parsePayment, parsePaymentLines } from '../operations/named-payments.js';
import type { Streams } from '../output/streams.js';

/** PAYMENT... on the commands that take several; `-` reads them from stdin. */
export const paymentArgs = {
  payment: custom<NamedPayment[]>({
    parse: async (text, command) => {
      if (text !== '-') return [parsePayment(text)];
      return parsePaymentLines(await readAll((command as unknown as { streams: Streams }).streams.stdin));
    },
  })({
    required: true,
    multiple: true,
    description:
      'A paymentId when it is all digits, else a referenceId (id: and ref: force it); - reads them from stdin, one a line.',
  }),
};

export const namesIn = (args: { payment: readonly NamedPayment[][] }): NamedPayment[] => args.payment.flat();
