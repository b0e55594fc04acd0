import type { Flow, PaymentRead } from '../client/payment-calls.js';
import { isJsonObject, numberText, scalarText, type JsonObject } from '../contract/json.js';
import { sameAmount } from '../contract/money.js';
import { paymentFlows } from '../contract/payment.js';

/** A field of a payment that is there already and is not what was asked for. */
export interface OtherDetail {
  field: string;
  asked: string;
  found: string;
}

/** A create by its flow, or a charge on a stored method. */
export type RequestKind = Flow | 'charge';

const flowNames: Readonly<Record<RequestKind, (typeof paymentFlows)[number]>> = {
  'hosted-page': 'HostedPage',
  plain: 'Direct',
  'provider-hosted-page': 'ProviderHostedPage',
  charge: 'AutoPayment',
};

/**
 * What makes a payment another one: amount, currency, customer, flow. What the service does not show, or calls by a
 * name that we do not know, differs from nothing; a charge has no currency of its own.
 */
export function differences(kind: RequestKind, body: JsonObject, read: PaymentRead): OtherDetail[] {
  const { amount, currency, customerId, paymentFlow } = read.fields;
  const knownFlow = paymentFlows.find((name) => name === paymentFlow);
  const pairs: Array<[string, string | undefined, string | undefined]> = [
    ['amount', scalarText(body['amount']), amount === undefined ? undefined : numberText(amount)],
    ['currency', kind === 'charge' ? undefined : scalarText(body['currency']), currency],
    ['customer', customerOf(body), customerId],
    ['flow', flowNames[kind], knownFlow],
  ];
  return pairs.flatMap(([field, asked, found]) => {
    if (asked === undefined || found === undefined || isSame(field, asked, found)) return [];
    return [{ field, asked, found }];
  });
}

function isSame(field: string, asked: string, found: string): boolean {
  if (field === 'amount') return sameAmount(asked, found);
  if (field === 'currency') return asked.toUpperCase() === found.toUpperCase();
  return asked === found;
}

/** The customer that a body names. */
export function customerOf(body: JsonObject): string | undefined {
  const order = body['customerOrder'];
  const customer = isJsonObject(order) ? order['customer'] : undefined;
  return isJsonObject(customer) ? scalarText(customer['customerId']) : undefined;
}
