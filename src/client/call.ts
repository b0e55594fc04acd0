import { paydesk } from '../next-command.js';
import { loadOnce } from '../concurrency.js';
import type { RepeatClass } from '../contract/endpoints.js';
import { GuardError, ProfileError } from '../errors.js';
import { readAnswer } from './answers.js';
import type { Clock } from './clock.js';
import type { Exchange, Fence, OpenAnswer, Transport } from './exchange.js';
import { createScrubber, hideLinks } from '../redact.js';
import { withRetry, type Retried, type RetryBudget, type RetryPolicy } from './retry.js';

export interface CallTimeouts {
  /** One attempt, from connecting to the last byte of the answer. */
  attemptMs: number;
  /** One call with its retries. */
  overallMs: number;
}

export const callTimeouts: CallTimeouts = { attemptMs: 30_000, overallMs: 60_000 };

/** For `--debug`. Keys are taken out, and addresses are shortened to their origin. */
export type ClientEvent = { call: number; attempt: number; method: string; path: string } & (
  | { type: 'request'; body?: string }
  | { type: 'answer'; ms: number; httpStatus: number; requestId?: string; body?: string }
  | { type: 'failure'; ms: number; sent: 'no' | 'maybe'; reason: string; message: string }
  | { type: 'retry'; waitMs: number }
);

export interface Call {
  method: string;
  /** Path and query below the base URL. */
  path: string;
  repeat: RepeatClass;
  body?: unknown;
  signal?: AbortSignal;
  fence?: Fence;
  /** Asked before it is repeated when it may have been carried out. */
  mayRepeat?: () => Promise<boolean>;
}

export interface Caller {
  /** One call with the retries that its class allows; the body of the answer is read whole. */
  call(call: Call): Promise<Retried<Exchange>>;
  /** The same, with the body of a success left to be read piece by piece. */
  open(call: Call): Promise<Retried<Exchange | OpenAnswer>>;
}

const EVENT_BODY = 4096;

interface CallerOptions {
  baseUrl: string;
  apiKey: () => Promise<string> | string;
  transport: Transport;
  clock: Clock;
  random: () => number;
  budget: RetryBudget;
  policy?: RetryPolicy;
  timeouts: CallTimeouts;
  onEvent?: (event: ClientEvent) => void;
  signal?: AbortSignal;
  readOnly?: boolean;
  headers?: Readonly<Record<string, string>> | undefined;
}

export function createCaller(options: CallerOptions): Caller {
  const { clock, timeouts, onEvent } = options;
  const sendOnce = createAttempts(options);
  let calls = 0;
  const readCredentials = loadOnce(async () => readKey(await options.apiKey()));

  async function run(call: Call, stream: boolean): Promise<Retried<Exchange | OpenAnswer>> {
    if (options.readOnly && call.method !== 'GET' && call.method !== 'HEAD') {
      throw new GuardError('This desk is read-only. Nothing was sent.', { code: 'read-only' });
    }
    const known = await readCredentials();
    const number = (calls += 1);
    const signal = join(options.signal, call.signal);
    // Written once: a repeated call carries the very same bytes.
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    const show = (text: string) => hideLinks(known.scrub(text)).slice(0, EVENT_BODY);
    const about = (attempt: number) => ({ call: number, attempt, method: call.method, path: call.path });

    return withRetry<Exchange | OpenAnswer>(
      call.repeat,
      async (attempt, remainingMs) => {
        await call.fence?.beforeAttempt(attempt);
        onEvent?.({
          type: 'request',
          ...about(attempt),
          ...(body === undefined ? {} : { body: show(body) }),
        });
        const from = clock.monotonic();
        const result = await sendOnce(call, { stream, body, remainingMs, signal, credentials: known });
        onEvent?.({ ...about(attempt), ms: clock.monotonic() - from, ...eventOf(result, show) });
        return result.kind === 'answer' && call.repeat === 'read' ? withReadability(result) : result;
      },
      {
        clock,
        random: options.random,
        budget: options.budget,
        overallMs: timeouts.overallMs,
        ...(options.policy ? { policy: options.policy } : {}),
        ...(signal ? { signal } : {}),
        ...(call.mayRepeat ? { mayRepeat: call.mayRepeat } : {}),
        onRetry: ({ attempt, waitMs }) => onEvent?.({ type: 'retry', ...about(attempt), waitMs }),
      },
    );
  }

  return {
    call: (call) => run(call, false) as Promise<Retried<Exchange>>,
    open: (call) => run(call, true),
  };
}

interface Attempt {
  /** Leave the body of a success to be read piece by piece. */
  stream: boolean;
  body: string | undefined;
  remainingMs: number;
  signal: AbortSignal | undefined;
  credentials: Credentials;
}

/** Sends one attempt of a call. The key is taken out of what comes back. */
function createAttempts({ baseUrl, transport, timeouts, headers: extra }: CallerOptions) {
  const prefix = new URL(baseUrl).pathname.replace(/\/+$/, '');
  return async (call: Call, attempt: Attempt): Promise<Exchange | OpenAnswer> => {
    const { stream, body, signal, credentials } = attempt;
    const result = await transport.send({
      method: call.method,
      path: prefix + call.path,
      headers: {
        authorization: credentials.authorization,
        accept: 'application/json',
        'accept-encoding': 'identity',
        'user-agent': 'paydesk',
        ...extra,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      fresh: call.repeat === 'settle',
      limitMs: Math.min(timeouts.attemptMs, attempt.remainingMs),
      ...(body === undefined ? {} : { body }),
      ...(stream ? { stream } : {}),
      ...(signal ? { signal } : {}),
      ...(call.fence ? { beforeFirstByte: call.fence.beforeFirstByte } : {}),
    });
    const { scrub } = credentials;
    if (result.kind === 'open') return { ...result, scrub };
    if (result.kind !== 'answer') return result;
    return { ...result, headers: scrubHeaders(result.headers, scrub), body: scrub(result.body) };
  };
}

/** Hardly any answer holds the key, and one look at all headers takes less time than one at each. */
function scrubHeaders(
  headers: Record<string, string>,
  scrub: (text: string) => string,
): Record<string, string> {
  const all = Object.values(headers).join('\n');
  if (scrub(all) === all) return headers;
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, scrub(value)]));
}

interface Credentials {
  authorization: string;
  scrub: (text: string) => string;
}

function readKey(key: string): Credentials {
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new ProfileError('The API key is empty or has spaces or line breaks. Nothing was sent.', {
      code: 'bad-key',
      saysNothingSent: true,
      next: [paydesk('whoami')],
    });
  }
  return { authorization: `Bearer ${key}`, scrub: createScrubber(key) };
}

function withReadability<T extends Exchange>(exchange: T): T {
  const success = exchange.kind === 'answer' && exchange.status >= 200 && exchange.status < 300;
  return success && !readAnswer(exchange).readable ? { ...exchange, unreadable: true } : exchange;
}

function eventOf(result: Exchange | OpenAnswer, show: (text: string) => string) {
  if (result.kind === 'open') return { type: 'answer', httpStatus: result.status } as const;
  if (result.kind === 'answer') {
    const { requestId } = readAnswer(result);
    return {
      type: 'answer',
      httpStatus: result.status,
      ...(requestId === undefined ? {} : { requestId }),
      ...(result.body === '' ? {} : { body: show(result.body) }),
    } as const;
  }
  const { reason, message } = result.failure;
  return { type: 'failure', sent: result.kind === 'unsent' ? 'no' : 'maybe', reason, message } as const;
}

function join(...signals: (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length > 1 ? AbortSignal.any(given) : given[0];
}
