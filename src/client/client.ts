import type { EndpointName } from '../contract/endpoints.js';
import type { JsonValue } from '../contract/json.js';
import { canonicalState, type StateAliases } from '../contract/states.js';
import { resolvePath } from './app-path.js';
import { callTimeouts, createCaller, type CallTimeouts, type ClientEvent } from './call.js';
import { systemClock, type Clock } from './clock.js';
import type { Connection } from './dispatchers.js';
import { createCustomerCalls } from './customer-calls.js';
import { createEndpointCalls } from './endpoint-calls.js';
import type { Exchange, Transport } from './exchange.js';
import { checkIdentity, type AppIdentity } from './identity.js';
import { createPaymentCalls } from './payment-calls.js';
import { createRetryBudget, retryPolicy, type Retried, type RetryPolicy } from './retry.js';
import { createTransport, type TransportTimeouts } from './transport.js';

export interface ClientOptions extends AppIdentity {
  baseUrl: string;
  apiKey: () => Promise<string> | string;
  /** Their state names mapped to ours. */
  aliases?: StateAliases;
  /** A sandbox of ours: its generation is believed. */
  isSandbox?: boolean;
  timeouts?: Partial<TransportTimeouts & CallTimeouts>;
  retry?: RetryPolicy;
  clock?: Clock;
  random?: () => number;
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Nothing but reads is sent. */
  readOnly?: boolean;
  /** The proxy and the certificates to use. */
  connection?: Connection | undefined;
  transport?: Transport;
  onEvent?: (event: ClientEvent) => void;
  signal?: AbortSignal;
}

interface RawResult extends Retried<Exchange> {
  /** Which endpoint of the contract it was, if any. */
  endpoint: EndpointName | undefined;
}

export type Client = ReturnType<typeof createClient>;

/** The authenticated client of one app: a method for every endpoint of the contract. */
export function createClient(options: ClientOptions) {
  const { appId, baseUrl, aliases = {} } = options;
  const clock = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const budget = createRetryBudget();
  const policy = options.retry ?? retryPolicy;
  const timeouts = { ...callTimeouts, ...options.timeouts };
  const transport =
    options.transport ??
    createTransport({
      baseUrl,
      connection: options.connection,
      ...(options.timeouts === undefined ? {} : { timeouts: options.timeouts }),
    });
  const caller = createCaller({ ...options, transport, clock, random, budget, policy, timeouts });
  const calls = createEndpointCalls(caller, appId, options.signal);

  return {
    appId,
    baseUrl,
    canonicalState: (name: string | undefined) => canonicalState(name, aliases),
    checkIdentity: (raw: JsonValue | undefined) => checkIdentity(raw, options),
    ...createPaymentCalls(calls, options, aliases),
    ...createCustomerCalls(calls, options, { clock, random, budget, policy }),

    /** Any path below the app. Repeated as the contract says; what the contract does not know is sent once. */
    async raw(
      method: string,
      path: string,
      given: { query?: Record<string, string>; body?: JsonValue } = {},
    ): Promise<RawResult> {
      const { query, body } = given;
      const resolved = resolvePath(method, path, appId, query);
      const result = await caller.call({
        method: resolved.method,
        path: resolved.path,
        repeat: resolved.repeat,
        ...(body === undefined ? {} : { body }),
      });
      return { ...result, endpoint: resolved.endpoint };
    },

    close: () => transport.close(),
  };
}
