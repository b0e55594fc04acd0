// Flags that several commands on payments share.

import { boolean, custom, string } from '@oclif/core/flags';
import { emailFlag, idFlag, numericIdFlag, urlFlag } from './flags.js';
import { BadValue } from '../../typed-values.js';

function parseNote(text: string): string {
  if (text.trim() === '') throw new BadValue('must not be empty');
  if (text.length > 500) throw new BadValue('at most 500 characters');
  return text;
}

const noteFlag = custom({ helpValue: 'TEXT', parse: async (text) => parseNote(text) });

/** On everything that a live app must confirm. */
export const confirmFlag = string({
  helpValue: 'APP_ID',
  summary: 'App ID to confirm: required on a live app without a terminal.',
});

/** On everything that moves money. */
export const moneyFlags = {
  'dry-run': boolean({ summary: 'Read and check everything, show what would be sent, and send nothing.' }),
  confirm: confirmFlag,
  reason: noteFlag({ summary: 'Reason, saved in the ledger.' }),
  ticket: noteFlag({ helpValue: 'ID', summary: 'Ticket, saved in the ledger.' }),
  wait: boolean({ summary: 'Wait until the payment is settled, or until --timeout (default 5m).' }),
};

/** On whatever must not be sent twice. */
export const localLedgerFlag = boolean({
  summary: 'Allow a live app in CI with the ledger of this machine only.',
});

export type MoneyFlags = {
  'dry-run': boolean;
  confirm?: string | undefined;
  reason?: string | undefined;
  ticket?: string | undefined;
  wait: boolean;
  timeout?: number | undefined;
};

/** The customer's order, on create and charge. */
export const orderFlags = {
  'order-id': noteFlag({ helpValue: 'ID', summary: 'Order number, as shown to the customer.' }),
  description: noteFlag({ summary: 'Shown on the checkout page and in the management console.' }),
  'first-name': noteFlag({ helpValue: 'NAME', summary: 'First name of the customer.' }),
  'last-name': noteFlag({ helpValue: 'NAME', summary: 'Last name of the customer.' }),
  email: emailFlag({ summary: 'E-mail address of the customer.' }),
  phone: noteFlag({ helpValue: 'NUMBER', summary: 'Phone number of the customer.' }),
  'webhook-url': urlFlag({
    summary: "Where to send webhooks of this payment, instead of the app's address.",
  }),
  'fraud-policy': numericIdFlag({ summary: 'Use this fraud policy instead of the default.' }),
  'auto-capture': boolean({
    allowNo: true,
    summary: 'Charge as soon as it is authorised (default); --no-auto-capture only authorises.',
  }),
};

export const customerFlag = idFlag({ summary: 'Your customer ID.' });
