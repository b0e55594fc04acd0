// Amounts and days as a caller says them.

import { custom } from '@oclif/core/flags';
import { type AmountRange, parseSpokenAmount } from '../../contract/spoken-amount.js';
import { parseSpokenDate, type TimeSpan } from '../../support/find/dates.js';
import { BadValue } from '../../typed-values.js';

export const spokenAmount = custom<AmountRange>({
  helpValue: "49.90|'~50'",
  parse: async (text) => {
    const amount = parseSpokenAmount(text);
    if (amount) return amount;
    throw new BadValue(`an amount such as 49.90, "EUR 49.90" or '~50'`);
  },
});

export const spokenDate = custom<(now: Date) => TimeSpan>({
  helpValue: 'DATE',
  parse: async (text) => {
    const problem = 'a date such as yesterday, "12 Nov", 2026-11-10 or 2026-11-10..12';
    const read = (now: Date) => {
      const span = parseSpokenDate(text, now);
      if (span) return span;
      throw new BadValue(problem);
    };
    read(new Date());
    return read;
  },
});
