import { joined, type ReplyText, type ReplyTexts } from './texts.js';

const noAction = 'You don’t need to do anything.';
const available =
  'If your bank has reserved the amount, it becomes available again, usually within a few business days.';
const bankTime =
  'Depending on your bank, it can take 5 to 10 business days until the money is in your account.';

const unclear: ReplyText = ({ payment, by }) =>
  `We are checking the status of your payment ${payment}. Please do not pay again for now. We will write to you by ${by}.`;
const completing: ReplyText = ({ payment }) => `Your payment ${payment} is being completed. ${noAction}`;
const cancelling: ReplyText = ({ payment }) =>
  `Your payment ${payment} is being cancelled. ${noAction} ${available}`;
const notCaptured: ReplyText = ({ payment, by }) =>
  `We are sorry that we have not been able to complete your payment ${payment} yet. You have not been charged; your bank has only reserved the amount. ${noAction} We are working on it and will write to you by ${by}.`;
const notRefunded: ReplyText = ({ payment, by }) =>
  `We are sorry that we have not been able to refund your payment ${payment} yet. We are working on it and will write to you by ${by}.`;
const notCancelled: ReplyText = ({ payment, by }) =>
  `We are sorry that we have not been able to cancel your payment ${payment} yet. We are working on it and will write to you by ${by}.`;
const stillReviewing: ReplyText = ({ payment, by }) =>
  `We are sorry for the delay. We are still reviewing your payment ${payment}, and you have not been charged. ${noAction} We will write to you by ${by}.`;

export const en: ReplyTexts = {
  locale: 'en-GB',
  greeting: (firstName) => (firstName === undefined ? 'Hello,' : `Hello ${firstName},`),
  payment: ({ amount, date, reference }) =>
    joined(amount && `of ${amount}`, date && `from ${date}`, reference && `(reference ${reference})`),
  states: {
    Created: ({ payment }) =>
      `We have not received your payment ${payment} yet, and you have not been charged. You can still pay with the link we sent you.`,
    ActionRequired: ({ payment }) =>
      `Your bank is waiting for you to confirm your payment ${payment}. You have not been charged yet. Please confirm it in your banking app or on your bank’s page, or start the payment again.`,
    Processing: ({ payment, by }) =>
      `We are waiting for your bank to confirm your payment ${payment}. Please do not pay again for now. We will write to you by ${by}.`,
    Held: ({ payment, by }) =>
      `We are still reviewing your payment ${payment}, and you have not been charged. ${noAction} We will write to you by ${by}.`,
    Authorised: ({ payment }) =>
      `Your bank has reserved the amount for your payment ${payment}. You have not been charged yet. ${noAction}`,
    Capturing: completing,
    Captured: ({ payment }) =>
      `We have received your payment ${payment}. Thank you! You don’t need to do anything else.`,
    Refunding: ({ payment }) => `The refund of your payment ${payment} is being processed. ${bankTime}`,
    Refunded: ({ payment }) => `We have refunded your payment ${payment}. ${bankTime}`,
    Cancelling: cancelling,
    Cancelled: ({ payment }) =>
      `We have cancelled your payment ${payment}. You have not been charged. ${available}`,
    Declined: ({ payment }) =>
      `Your bank declined your payment ${payment}. You have not been charged. You can try again with the same link, or with another card.`,
    Failed: ({ payment }) =>
      `Your payment ${payment} did not go through, and you have not been charged. Please start the payment again.`,
    Expired: ({ payment }) =>
      `Your payment ${payment} was not completed in time, and the payment link has expired. You have not been charged. If you still want to pay, please start the payment again.`,
  },
  declinedCharge: ({ payment }) =>
    `Your bank declined your payment ${payment}. You have not been charged. Please check your card details or choose another payment method.`,
  expiredReservation: ({ payment }) =>
    `Your payment ${payment} was not completed in time. You have not been charged, and your bank makes the reserved amount available again, usually within a few business days.`,
  cancelledTooLate: ({ payment, by }) =>
    `We are sorry that we could not cancel your payment ${payment} in time. We are working on it and will write to you by ${by}.`,
  paidTwice: ({ payments, count, by }) =>
    `Our records show your payments ${payments}. You may have paid ${count === 2 ? 'twice' : 'more than once'}. We are checking this and will write to you by ${by}.`,
  more: (count) => `${count} more`,
  paidAlready: ({ payment, paid }) =>
    `We have received your payment ${paid}. Your payment ${payment} was not completed, and you have not been charged for it. You don’t need to pay again.`,
  alsoReceived: ({ payment }) => `We have also received your payment ${payment}.`,
  alsoRefunded: ({ payment }) => `We have also refunded your payment ${payment}.`,
  unclear,
  operations: {
    capture: {
      accepted: completing,
      unknown: unclear,
      failed: notCaptured,
      refused: notCaptured,
      unsent: notCaptured,
    },
    refund: {
      accepted: ({ payment, by }) =>
        `We have requested the refund of your payment ${payment}. We will confirm it by ${by}.`,
      unknown: ({ payment, by }) =>
        `We are checking the status of the refund of your payment ${payment}. We will write to you by ${by}.`,
      failed: ({ payment, by }) =>
        `We are sorry: the refund of your payment ${payment} did not go through, and you have not received the money. We are looking into it and will write to you by ${by}.`,
      refused: notRefunded,
      unsent: notRefunded,
    },
    cancel: {
      accepted: cancelling,
      unknown: ({ payment, by }) =>
        `We are checking whether your payment ${payment} has been cancelled. We will write to you by ${by}.`,
      failed: notCancelled,
      refused: notCancelled,
      unsent: notCancelled,
    },
    unhold: {
      accepted: completing,
      unknown: unclear,
      failed: stillReviewing,
      refused: stillReviewing,
      unsent: stillReviewing,
    },
  },
};
