import type { Agent } from 'undici';
import type request from 'undici/lib/api/api-request.js';
import { startOf } from '../../answer-start.js';
import { failureMessage } from '../../client/failures.js';
import type { Attempt } from './forward-queue.js';
import type { ForwardedRequest } from './forwarded-request.js';

/** Sends one request to a target: no redirects, no retries, nothing decoded. What came of it is never thrown. */
export interface Sender {
  /** Undefined when it is closed: nothing was sent, or nobody knows what came of it. */
  send(request: ForwardedRequest, options: { skipVerify: boolean }): Promise<Attempt | undefined>;
  /** Cuts off what is under way. */
  close(): Promise<void>;
}

/** How long a target may take to answer. */
const ANSWER_MS = 5_000;
const MAX_ANSWER_BYTES = 500;
const MAX_CONNECTIONS = 64;

export function createSender(now: () => number): Sender {
  const loading = new Map<boolean, Promise<Dispatch>>();
  const loaded = new Map<boolean, Dispatch>();
  const underWay = new Set<AbortController>();
  let closed = false;

  async function load(skipVerify: boolean): Promise<Dispatch> {
    let dispatch = loading.get(skipVerify);
    if (dispatch === undefined) {
      dispatch = loadDispatch(skipVerify);
      loading.set(skipVerify, dispatch);
    }
    loaded.set(skipVerify, await dispatch);
    return dispatch;
  }

  return {
    async send(request, { skipVerify }) {
      if (closed) return undefined;
      // Once it is loaded, nothing is waited for: the target gets the request before anybody else is answered.
      const { agent, send } = loaded.get(skipVerify) ?? (await load(skipVerify));
      const time = now();
      const started = performance.now();
      const attempt = (result: Pick<Attempt, 'status' | 'answer' | 'error'>): Attempt => ({
        time,
        ms: Math.round(performance.now() - started),
        ...result,
      });
      let late = false;
      const abort = new AbortController();
      const timer = setTimeout(() => {
        late = true;
        abort.abort();
      }, ANSWER_MS);
      underWay.add(abort);
      try {
        const answer = await send.call(agent, {
          ...request,
          method: request.method as 'POST',
          headersTimeout: ANSWER_MS,
          bodyTimeout: ANSWER_MS,
          signal: abort.signal,
        });
        return attempt({
          status: answer.statusCode,
          answer: await startOf(answer.body, MAX_ANSWER_BYTES),
          error: null,
        });
      } catch (error) {
        if (closed) return undefined;
        const why = late ? `no answer within ${ANSWER_MS / 1000} s` : reasonOf(error);
        return attempt({ status: null, answer: null, error: why });
      } finally {
        clearTimeout(timer);
        underWay.delete(abort);
      }
    },
    async close() {
      closed = true;
      for (const abort of underWay) abort.abort();
      for (const dispatch of loading.values()) await (await dispatch).agent.destroy();
    },
  };
}

interface Dispatch {
  agent: Agent;
  send: typeof request;
}

/** Loaded by file, and only once there is something to send: the index of undici brings everything along. */
async function loadDispatch(skipVerify: boolean): Promise<Dispatch> {
  const { default: send } = await import('undici/lib/api/api-request.js');
  const { default: OwnAgent } = await import('undici/lib/dispatcher/agent.js');
  const agent = new OwnAgent({
    allowH2: false,
    connections: MAX_CONNECTIONS,
    connect: { timeout: ANSWER_MS, ...(skipVerify ? { rejectUnauthorized: false } : {}) },
  });
  return { agent, send };
}

const selfSigned = ['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'];

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: string };
  if (error instanceof AggregateError && code === undefined) return reasonOf(error.errors[0]);
  if (code === undefined) return error.message;
  if (selfSigned.includes(code)) return 'its certificate is self-signed (--skip-verify accepts it)';
  return failureMessage(code) ?? code;
}
