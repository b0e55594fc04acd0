// What each fault does, and what it may be limited to.

import { endpointNames, type EndpointName } from '../../contract/endpoints.js';
import { stateNames } from '../../contract/states.js';
import { providerInstructions } from './provider-instructions.js';

export const faultKinds = {
  latency: {
    at: 'request',
    summary: 'delays the request before it is carried out, or its answer after that',
  },
  'error-before-commit': { at: 'request', summary: 'answers with a 5xx and carries nothing out' },
  'error-after-commit': { at: 'request', summary: 'carries it out and answers with a 5xx' },
  'drop-before-commit': { at: 'request', summary: 'drops the connection and carries nothing out' },
  'drop-after-commit': { at: 'request', summary: 'carries it out and drops the connection' },
  truncate: { at: 'request', summary: 'carries it out and cuts the answer short' },
  'rate-limit': { at: 'request', summary: 'answers 429, with Retry-After unless it is 0' },
  'stale-read': {
    at: 'request',
    summary: 'answers a read with the payment as it was before its last change',
  },
  'provider-silent': { at: 'provider', summary: 'the provider carries it out, but its answer is lost' },
  'provider-fails': { at: 'provider', summary: 'the provider fails the instruction' },
  'webhook-duplicate': { at: 'webhook', summary: 'sends the webhook twice' },
  'webhook-delay': { at: 'webhook', summary: 'sends the webhook later' },
  'webhook-reorder': {
    at: 'webhook',
    summary: 'sends the next webhook of the payment first, when one waits',
  },
  'webhook-drop': { at: 'webhook', summary: 'never sends the webhook' },
} as const satisfies Record<string, { at: 'request' | 'provider' | 'webhook'; summary: string }>;

export type FaultKind = keyof typeof faultKinds;
export const faultKindNames = Object.keys(faultKinds) as FaultKind[];

/** Short names of endpoints that people type. */
const routeAliases: Readonly<Record<string, EndpointName[]>> = {
  capture: ['capturePayment'],
  cancel: ['cancelPayment'],
  refund: ['refundPayment'],
  unhold: ['unholdPayment'],
  recheck: ['recheckPayment'],
  get: ['getPayment', 'getPaymentByReference'],
  create: ['createHostedPayment', 'createPayment', 'createProviderHostedPayment'],
  charge: ['createAutoPayment'],
};

export const shortRoutes = Object.keys(routeAliases);

/** What a fault of this kind may be limited to. */
export function faultRoutes(kind: FaultKind): string[] {
  const { at } = faultKinds[kind];
  if (at === 'provider') return ['*', ...providerInstructions];
  if (at === 'webhook') return ['*', ...stateNames];
  return ['*', ...shortRoutes, ...endpointNames];
}

/** Whether a fault that is limited to `limit` hits a call of `route`. */
export function coversRoute(limit: string, route: string): boolean {
  return limit === '*' || limit === route || (routeAliases[limit]?.some((name) => name === route) ?? false);
}

/** `the next 2 calls`, `20 % of calls`, `every call`, or `used up`. */
export function callsText({
  remaining,
  probability,
}: {
  remaining: number | null;
  probability: number | null;
}): string {
  if (remaining === 0) return 'used up';
  if (remaining !== null) return remaining === 1 ? 'the next call' : `the next ${remaining} calls`;
  return probability === null ? 'every call' : `${Number((probability * 100).toPrecision(6))} % of calls`;
}

export const routeText = ({ route }: { route: string }): string => (route === '*' ? 'everywhere' : route);
