import type { PaymentRead } from '../client/payment-calls.js';
import type { Flow } from '../contract/checkout-flows.js';
import { numberText, scalarText, valueAtPath, type JsonObject, type JsonValue } from '../contract/json.js';
import { sameAmount } from '../contract/exact.js';
import { paymentFlows } from '../contract/payment.js';
import { wasCaptured } from '../contract/states.js';

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

/** A detail as it was asked for and as it is shown; undefined where it was not asked for, or is not shown. */
type Pair = [field: string, asked: string | undefined, found: string | undefined];

/**
 * How the payment of a reference that was used before is another one. What the service does not show, or calls by a name
 * that we do not know, differs from nothing; a charge has no currency of its own.
 */
export function differencesFound(kind: RequestKind, body: JsonObject, read: PaymentRead): OtherDetail[] {
  const { autoCapture, returnUrl } = read.fields;
  return differing([
    ...pairsOf(kind, body, read),
    autoCapturePair(body, autoCapture),
    ['return-url', scalarText(body['returnUrl']), returnUrl],
  ]);
}

/**
 * How a payment that was just made is not what was asked for. Money that was captured at once was captured
 * automatically, whatever else is shown; an address may have been completed by the service.
 */
export function differencesMade(kind: RequestKind, body: JsonObject, read: PaymentRead): OtherDetail[] {
  const { amount, customerId } = read.fields;
  const isCaptured = read.state !== undefined && (wasCaptured(read.state) || read.state === 'Capturing');
  const autoCapture = isCaptured || read.fields.autoCapture;
  const differs = differing([...pairsOf(kind, body, read), autoCapturePair(body, autoCapture)]);
  // A service may call the flow of a charge as it likes: who was charged, and how much, tells more.
  const isNamed = amount !== undefined && customerId !== undefined;
  return kind === 'charge' && isNamed ? exceptFlow(differs) : differs;
}

/** For comparisons in which the flow says nothing. */
export const exceptFlow = (differs: readonly OtherDetail[]): OtherDetail[] =>
  differs.filter(({ field }) => field !== 'flow');

function autoCapturePair(body: JsonObject, found: boolean | undefined): Pair {
  const asked = body['autoCapture'];
  return ['auto-capture', typeof asked === 'boolean' ? String(asked) : undefined, found?.toString()];
}

function pairsOf(kind: RequestKind, body: JsonObject, read: PaymentRead): Pair[] {
  const { amount, currency, customerId, paymentFlow } = read.fields;
  const knownFlow = paymentFlows.find((name) => name === paymentFlow);
  return [
    ['amount', scalarText(body['amount']), amount === undefined ? undefined : numberText(amount)],
    ['currency', kind === 'charge' ? undefined : scalarText(body['currency']), currency],
    ['customer', customerOf(body), customerId],
    ['flow', flowNames[kind], knownFlow],
  ];
}

function differing(pairs: readonly Pair[]): OtherDetail[] {
  return pairs.flatMap(([field, asked, found]) => {
    if (asked === undefined || found === undefined || isSame(field, asked, found)) return [];
    return [{ field, asked, found }];
  });
}

function isSame(field: string, asked: string, found: string): boolean {
  if (field === 'amount') return sameAmount(asked, found);
  if (field === 'currency') return asked.toUpperCase() === found.toUpperCase();
  if (field === 'return-url') return hrefOf(asked) === hrefOf(found);
  return asked === found;
}

/** An address in its usual spelling: `https://shop.example` is `https://shop.example/`. */
const hrefOf = (address: string): string => URL.parse(address)?.href ?? address;

/** The customer that a body names; an empty text names nobody. */
export const customerOf = (body: JsonValue | undefined): string | undefined =>
  scalarText(valueAtPath(body, 'customerOrder.customer.customerId')) || undefined;
