import type { Handlers } from './call.js';
import { customerHandlers } from './customer-handlers.js';
import { paymentHandlers } from './payment-handlers.js';

/** What each endpoint of the contract does here. */
export const handlers: Handlers = { ...paymentHandlers, ...customerHandlers };
