// What each fault does, and what it may be limited to.

import { endpointNames, type EndpointName } from '../../contract/endpoints.js';
import { stateNames } from '../../contract/states.js';
import { providerInstructions } from './provider-instructions.js';

/** What a fault can be given beside the calls that it hits. */
const faultOptions = ['status', 'delayMs', 'afterCommit', 'retryAfterS'] as const;
export type FaultOption = (typeof faultOptions)[number];

interface FaultDescription {
  at: 'request' | 'provider' | 'webhook';
  /** Those that have an effect on it. */
  options: readonly FaultOption[];
  summary: string;
}

export const faultKinds = {
  latency: {
    at: 'request',
    options: ['delayMs', 'afterCommit'],
    summary: 'delays the request before it is carried out, or its answer after that',
  },
  'error-before-commit': {
    at: 'request',
    options: ['status'],
    summary: 'answers with a 5xx and carries nothing out',
  },
  'error-after-commit': {
    at: 'request',
    options: ['status'],
    summary: 'carries it out and answers with a 5xx',
  },
  'drop-before-commit': {
    at: 'request',
    options: [],
    summary: 'drops the connection and carries nothing out',
  },
  'drop-after-commit': { at: 'request', options: [], summary: 'carries it out and drops the connection' },
  truncate: { at: 'request', options: [], summary: 'carries it out and cuts the answer short' },
  'rate-limit': {
    at: 'request',
    options: ['retryAfterS'],
    summary: 'answers 429, with Retry-After unless it is 0',
  },
  'stale-read': {
    at: 'request',
    options: [],
    summary: 'answers a read with the payment as it was before its last change',
  },
  'provider-silent': {
    at: 'provider',
    options: [],
    summary: 'the provider carries it out, but its answer is lost',
  },
  'provider-fails': { at: 'provider', options: [], summary: 'the provider fails the instruction' },
  'webhook-duplicate': { at: 'webhook', options: [], summary: 'sends the webhook twice' },
  'webhook-delay': { at: 'webhook', options: ['delayMs'], summary: 'sends the webhook later' },
  'webhook-reorder': {
    at: 'webhook',
    options: [],
    summary: 'sends the next webhook of the payment first, when one waits',
  },
  'webhook-drop': { at: 'webhook', options: [], summary: 'never sends the webhook' },
} as const satisfies Record<string, FaultDescription>;

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
  // Only what reads one payment can show it as it was.
  if (kind === 'stale-read') return ['*', 'get', ...(routeAliases['get'] ?? [])];
  return ['*', ...shortRoutes, ...endpointNames];
}

/** What is wrong with options that a kind does not have. `nameOf` says how the reader writes an option. */
export function optionProblems(
  kind: FaultKind,
  given: Readonly<Partial<Record<FaultOption, unknown>>>,
  nameOf: (option: FaultOption) => string = (option) => option,
): Array<{ option: FaultOption; problem: string }> {
  const { options }: FaultDescription = faultKinds[kind];
  const possible = options.length === 0 ? '' : `, which takes ${options.map(nameOf).join(', ')}`;
  return faultOptions
    .filter((option) => given[option] !== undefined && !options.includes(option))
    .map((option) => ({ option, problem: `has no effect on ${kind}${possible}` }));
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
