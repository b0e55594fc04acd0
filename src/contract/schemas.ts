import * as z from 'zod/mini';
import { customer, customerList, panelLink, paymentMethodList } from './customer.js';
import { customerBody, customerListQuery, customerPatch } from './customer-request.js';
import type { EndpointName, PathParameters } from './endpoints.js';
import { object, text } from './fields.js';
import { payment } from './payment.js';
import {
  autoPaymentBody,
  hostedPaymentBody,
  plainPaymentBody,
  providerHostedPaymentBody,
} from './payment-request.js';

/** What an endpoint takes and answers. */
interface Schemas {
  query?: z.ZodMiniObject;
  body?: z.ZodMiniType;
  /** The body of a success; undefined for an empty one. */
  answer?: z.ZodMiniType;
}

const schemas = {
  createHostedPayment: { body: hostedPaymentBody, answer: payment },
  createPayment: { body: plainPaymentBody, answer: payment },
  createProviderHostedPayment: { body: providerHostedPaymentBody, answer: payment },
  capturePayment: { answer: payment },
  cancelPayment: { answer: payment },
  refundPayment: { query: object({ description: z.optional(text) }), answer: payment },
  unholdPayment: { answer: payment },
  recheckPayment: { answer: payment },
  getPaymentByReference: { answer: payment },
  getPayment: { answer: payment },
  createAutoPayment: { body: autoPaymentBody, answer: payment },
  createCustomer: { body: customerBody, answer: customer },
  getCustomer: { answer: customer },
  listCustomers: { query: customerListQuery, answer: customerList },
  updateCustomer: { body: customerPatch, answer: customer },
  listPaymentMethods: { answer: paymentMethodList },
  removePaymentMethod: {},
  stopAutoPayment: {},
  getPanelLink: { answer: panelLink },
} as const satisfies Record<EndpointName, Schemas>;

export function schemasOf(name: EndpointName): Schemas {
  return schemas[name];
}

type Part<Row, Name extends keyof Schemas> = Row extends { readonly [Key in Name]: infer Schema }
  ? z.infer<Schema>
  : undefined;

/** What each endpoint is asked with, once it was checked. */
export type Requests = {
  [Name in EndpointName]: {
    parameters: PathParameters[Name];
    query: Part<(typeof schemas)[Name], 'query'>;
    body: Part<(typeof schemas)[Name], 'body'>;
  };
};

/** The query of each endpoint as it goes into an address. */
export type QueryTexts = {
  [Name in EndpointName]: { readonly [Key in keyof Requests[Name]['query']]?: string | number | undefined };
};

/** What each endpoint answers with; undefined for an empty body. */
export type Answers = { [Name in EndpointName]: Part<(typeof schemas)[Name], 'answer'> };
