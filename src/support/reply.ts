// What may be told to the customer: no names, no addresses, nothing of how the desk works.

import { safeText } from '../output/text.js';
import type { StateName } from '../contract/states.js';
import type { Facts } from './facts.js';

const look = 'We are looking into it and will tell you as soon as we know more.';

const texts: Readonly<Record<StateName, (paid: string, facts: Facts) => string>> = {
  Created: (paid) =>
    `We have not received ${paid} yet. You have not been charged. You can still pay with the link that you were sent.`,
  ActionRequired: (paid) =>
    `Your bank is still waiting for you to confirm ${paid}. You have not been charged. Please confirm it, or start the payment again.`,
  Processing: (paid) =>
    `We are still waiting for the bank's answer about ${paid}. Please do not pay again: ${lower(look)}`,
  Held: (paid) => `We are still checking ${paid}. You have not been charged. ${look}`,
  Authorised: (paid) =>
    `The bank has reserved the money for ${paid}. It has not been charged yet, and you need not do anything.`,
  Capturing: (paid) => `We are just completing ${paid}. You need not do anything.`,
  Captured: (paid) => `We have received ${paid}. Thank you.`,
  Refunding: (paid) =>
    `We are giving you back ${paid}. Depending on your bank it can take a few days until you see it.`,
  Refunded: (paid) =>
    `We have given you back ${paid}. Depending on your bank it can take a few days until you see it.`,
  Cancelling: (paid) =>
    `We are just cancelling ${paid}. You will not be charged. If the money was reserved, your bank makes it available again.`,
  Cancelled: (paid) =>
    `We have cancelled ${paid}. You have not been charged. If the money was reserved, your bank makes it available again.`,
  Declined: (paid, { isCharge }) =>
    isCharge
      ? `Your bank did not accept ${paid}. You have not been charged. Please check your card or choose another way to pay.`
      : `Your bank did not accept ${paid}. You have not been charged. You can try again, also with another card.`,
  Failed: (paid) => `${upper(paid)} did not go through. You have not been charged. Please start it again.`,
  Expired: (paid, { wasAuthorised }) =>
    wasAuthorised
      ? `${upper(paid)} was not completed in time, and your bank makes the reserved money available again. You have not been charged.`
      : `${upper(paid)} was not made in time, and the link no longer works. You have not been charged. Please start it again.`,
};

/** A short text for the customer. */
export function replyOf(facts: Facts): string {
  const { state, open } = facts;
  const reference = facts.referenceId === undefined ? '' : ` (${safeText(facts.referenceId)})`;
  const paid = `your payment of ${facts.amount}${reference}`;
  // Where nobody knows, nothing is promised.
  if (state === undefined || open?.outcome === 'unknown')
    return `Thank you for asking about ${paid}. ${look}`;
  return texts[state](paid, facts);
}

const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
