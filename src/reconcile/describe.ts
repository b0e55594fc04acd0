// An exception in a sentence: who says what.

import { formatAmount } from '../contract/amount-format.js';
import { safeText } from '../output/text.js';
import type { Exception } from './exception.js';
import type { ExceptionName } from './verdict.js';

type Told = Omit<Exception, 'text' | 'verdict' | 'severity' | 'next'> & {
  problem?: string | undefined;
  /** The capture that the service shows. */
  captureId?: string | undefined;
  /** Why the payment is not to be refunded yet. */
  objection?: string | undefined;
};

const inFile = ({ amount, currency }: Told): string => formatAmount(amount.replace('-', ''), currency);
const atService = ({ serviceAmount, serviceCurrency }: Told): string =>
  serviceAmount === null ? 'no amount' : formatAmount(serviceAmount, serviceCurrency ?? undefined);
const state = (told: Told): string => told.state || 'no state';

const WHICH_IS_RIGHT = 'Ask the provider which is right.';

const texts: Readonly<Record<ExceptionName, (told: Told) => string>> = {
  'not-captured': (told) => `The provider captured ${inFile(told)}, but the service shows ${state(told)}.`,
  'refunded-at-provider': (told) =>
    `The provider refunded ${inFile(told)}, but the service shows ${state(told)}.`,
  'captured-twice': (told) =>
    `The provider captured the payment twice: ${inFile(told)} here, and on line ${told.firstLine}.` +
    (told.objection === undefined ? ' A refund returns one of them, and the other stays paid.' : ''),
  'duplicate-line': (told) =>
    `The file has this capture of ${inFile(told)} twice, first on line ${told.firstLine}. Ask the provider whether it is one charge.`,
  'refunded-twice': (told) =>
    `The provider refunded the payment twice: ${inFile(told)} here, and on line ${told.firstLine}. ` +
    'Ask the provider whether both were paid out.',
  'amount-differs': (told) =>
    `The file has ${inFile(told)}, the service ${atService(told)}. ${WHICH_IS_RIGHT}`,
  'currency-differs': (told) =>
    `The file has ${inFile(told)}, the service ${atService(told)}. ${WHICH_IS_RIGHT}`,
  'fee-differs': ({ fee, serviceFee, currency }) =>
    `The file has a fee of ${formatAmount(fee ?? '', currency)}, ` +
    `the service ${formatAmount(serviceFee ?? '', currency)}. ${WHICH_IS_RIGHT}`,
  'capture-id-differs': (told) =>
    `The provider captured ${inFile(told)} as ${safeText(told.operationId ?? '')}, but the service shows the capture ` +
    `${safeText(told.captureId ?? '')}. It may be a second charge: check with the provider.`,
  chargeback: (told) =>
    told.payment === null
      ? `Chargeback of ${inFile(told)}. No known payment matches. Ask the provider which payment it is.`
      : `Chargeback of ${inFile(told)}. The service shows ${state(told)}. A refund would pay the customer twice: ` +
        'ask the provider how to answer it.',
  'other-kind': (told) => `The provider booked ${formatAmount(told.amount, told.currency)} as ${told.kind}.`,
  'not-at-service': (told) =>
    `The provider booked a ${told.kind} of ${inFile(told)}, but the service has no such payment. ` +
    'Ask the provider what it is.',
  'not-known': (told) =>
    `No known payment matches this ${told.kind} of ${inFile(told)}, and the line has no reference to ask the service for.`,
  'not-in-file': (told) =>
    `The service shows ${state(told)}, but the file has no ${told.kind} of ${inFile(told)}.`,
  unreadable: ({ problem }) => `The service did not show the payment: ${problem ?? 'it gave no reason'}`,
};

export function describeException(told: Told): string {
  const text = texts[told.exception](told);
  return told.objection === undefined ? text : `${text} Check with the provider first: ${told.objection}.`;
}
