// What the ledger can hold: the operations of intents, and what became of them.

import { operations } from '../../contract/states.js';

/** What is done to a payment. */
const paymentOperations = ['create', 'charge', ...operations] as const;

/** What is done to a customer. */
const customerOperations = [
  'customer-create',
  'customer-update',
  'remove-method',
  'stop-auto-payment',
  'panel-link',
] as const;
export type CustomerOperation = (typeof customerOperations)[number];

export const intentOperations = [...paymentOperations, ...customerOperations] as const;
export type IntentOperation = (typeof intentOperations)[number];

export const outcomes = ['done', 'accepted', 'failed', 'refused', 'unsent', 'unknown'] as const;
export type Outcome = (typeof outcomes)[number];
