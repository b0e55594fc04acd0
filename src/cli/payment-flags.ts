// Flags that several commands on payments share.

import { boolean, custom, string } from '@oclif/core/flags';
import { emailFlag, idFlag, numericIdFlag, urlFlag } from './flags.js';
import { BadValue } from '../typed-values.js';

function parseNote(text: string): string {
  if (text.trim() === '') throw new BadValue('must not be empty');
  if (text.length > 500) throw new BadValue('at most 500 characters');
  return text;
}

const noteFlag = custom({ helpValue: 'TEXT', parse: async (text) => parseNote(text) });

/** On everything that moves money. */
export const moneyFlags = {
  'dry-run': boolean({ summary: 'Do every read and check, show what would be sent, and send nothing.' }),
  confirm: string({
    helpValue: 'APP_ID',
    summary: 'The App ID that is meant: needed on a live app where nobody can be asked.',
  }),
  reason: noteFlag({ summary: 'Why this is done; kept in the ledger.' }),
  ticket: noteFlag({ helpValue: 'ID', summary: 'The ticket that this belongs to; kept in the ledger.' }),
  wait: boolean({ summary: 'Follow until the end state, or until --timeout (5m without one).' }),
};

/** On whatever must not be sent twice. */
export const localLedgerFlag = boolean({
  summary: 'On a live app in CI: the ledger of this machine alone will do.',
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
  'order-id': noteFlag({ helpValue: 'ID', summary: 'Order number as the buyer sees it.' }),
  description: noteFlag({ summary: 'Shown on the checkout page and in the management console.' }),
  'first-name': noteFlag({ helpValue: 'NAME', summary: "The buyer's first name." }),
  'last-name': noteFlag({ helpValue: 'NAME', summary: "The buyer's last name." }),
  email: emailFlag({ summary: "The buyer's e-mail address." }),
  phone: noteFlag({ helpValue: 'NUMBER', summary: "The buyer's phone number." }),
  'webhook-url': urlFlag({
    summary: 'Where webhooks of this payment go, instead of the address of the app.',
  }),
  'fraud-policy': numericIdFlag({ summary: 'Apply this fraud policy instead of the usual one.' }),
  'auto-capture': boolean({
    allowNo: true,
    summary: 'Capture as soon as it is authorised (default), or --no-auto-capture to authorise only.',
  }),
};

export const customerFlag = idFlag({ summary: 'Your identifier of the buyer.' });
