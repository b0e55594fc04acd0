// An exception in a sentence: who says what.

import { formatAmount } from '../contract/amount-format.js';
import { safeText } from '../output/text.js';
import type { Exception } from './exception.js';
import type { ExceptionName } from './verdict.js';

type ExceptionFacts = Omit<Exception, 'text' | 'verdict' | 'severity' | 'next'> & {
  problem?: string | undefined;
  /** The capture that the service shows. */
  captureId?: string | undefined;
  /** Why the payment is not to be refunded yet. */
  objection?: string | undefined;
};

const inFile = ({ amount, currency }: ExceptionFacts): string =>
  formatAmount(amount.replace('-', ''), currency);
const atService = ({ serviceAmount, serviceCurrency }: ExceptionFacts): string =>
  serviceAmount === null ? 'no amount' : formatAmount(serviceAmount, serviceCurrency ?? undefined);
const state = (facts: ExceptionFacts): string => facts.state || 'no state';

const WHICH_IS_RIGHT = 'Ask the provider which is right.';

const texts: Readonly<Record<ExceptionName, (facts: ExceptionFacts) => string>> = {
  'not-captured': (facts) => `The provider captured ${inFile(facts)}, but the service shows ${state(facts)}.`,
  'refunded-at-provider': (facts) =>
    `The provider refunded ${inFile(facts)}, but the service shows ${state(facts)}.`,
  'captured-twice': (facts) =>
    `The provider captured the payment twice: ${inFile(facts)} here, and on line ${facts.firstLine}.` +
    (facts.objection === undefined ? ' A refund returns one of them, and the other stays paid.' : ''),
  'duplicate-line': (facts) =>
    `The file has this capture of ${inFile(facts)} twice, first on line ${facts.firstLine}. Ask the provider whether it is one charge.`,
  'refunded-twice': (facts) =>
    `The provider refunded the payment twice: ${inFile(facts)} here, and on line ${facts.firstLine}. ` +
    'Ask the provider whether both were paid out.',
  'amount-differs': (facts) =>
    `The file has ${inFile(facts)}, the service ${atService(facts)}. ${WHICH_IS_RIGHT}`,
  'currency-differs': (facts) =>
    `The file has ${inFile(facts)}, the service ${atService(facts)}. ${WHICH_IS_RIGHT}`,
  'fee-differs': ({ fee, serviceFee, currency }) =>
    `The file has a fee of ${formatAmount(fee ?? '', currency)}, ` +
    `the service ${formatAmount(serviceFee ?? '', currency)}. ${WHICH_IS_RIGHT}`,
  'capture-id-differs': (facts) =>
    `The provider captured ${inFile(facts)} as ${safeText(facts.operationId ?? '')}, but the service shows the capture ` +
    `${safeText(facts.captureId ?? '')}. It may be a second charge: check with the provider.`,
  chargeback: (facts) =>
    facts.payment === null
      ? `Chargeback of ${inFile(facts)}. No known payment matches. Ask the provider which payment it is.`
      : `Chargeback of ${inFile(facts)}. The service shows ${state(facts)}. A refund would pay the customer twice: ` +
        'ask the provider how to answer it.',
  'other-kind': (facts) =>
    `The provider booked ${formatAmount(facts.amount, facts.currency)} as ${facts.kind}.`,
  'not-at-service': (facts) =>
    `The provider booked a ${facts.kind} of ${inFile(facts)}, but the service has no such payment. ` +
    'Ask the provider what it is.',
  'not-known': (facts) =>
    `No known payment matches this ${facts.kind} of ${inFile(facts)}, and the line has no reference in the field for it: ` +
    'paydesk never matches by free text.',
  'not-in-file': (facts) =>
    `The service shows ${state(facts)}, but the file has no ${facts.kind} of ${inFile(facts)}.`,
  unreadable: ({ problem }) => `The service did not show the payment: ${problem ?? 'it gave no reason'}`,
};

export function describeException(facts: ExceptionFacts): string {
  const text = texts[facts.exception](facts);
  return facts.objection === undefined ? text : `${text} Check with the provider first: ${facts.objection}.`;
}
