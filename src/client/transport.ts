import type { Dispatcher } from 'undici';
import { createDispatchers, type Connection, type Leased } from './dispatchers.js';
import { BodyLost, type Failure, type OpenAnswer, type SendRequest, type Transport } from './exchange.js';
import { failure, failureOf } from './failures.js';

export interface TransportTimeouts {
  connectMs: number;
  headersMs: number;
  bodyMs: number;
}

const transportTimeouts: TransportTimeouts = { connectMs: 5_000, headersMs: 10_000, bodyMs: 10_000 };

/** An answer that is read whole may have this many bytes. */
const MAX_BODY = 16 * 1024 * 1024;
// A streamed body that nobody reads is held up beyond this many bytes.
const HIGH_WATER = 1024 * 1024;

/** The one place that sends. HTTP/1.1 to one origin, no redirects, no retries. */
export function createTransport(options: {
  baseUrl: string;
  connection?: Connection | undefined;
  timeouts?: Partial<TransportTimeouts>;
  maxBody?: number;
}): Transport {
  const { origin } = new URL(options.baseUrl);
  const timeouts = { ...transportTimeouts, ...options.timeouts };
  const dispatchers = createDispatchers(origin, timeouts, options.connection ?? {});
  const maxBody = options.maxBody ?? MAX_BODY;

  return {
    async send(request) {
      if (request.signal?.aborted) return { kind: 'unsent', failure: aborted };
      const leased = await dispatchers.lease(request.fresh);
      return new Promise((resolve) => {
        dispatch(leased, request, dispatchers.options(request), maxBody, resolve);
      });
    },
    close: () => dispatchers.close(),
  };
}

const aborted = failure('aborted', 'it was interrupted', true);
const late = failure('late', 'it was delayed for too long before it could be sent', false);
const timeUp = failure('time-up', 'the time limit was reached', true);

/**
 * undici calls `onRequestStart` right before it writes the first byte, so whatever ends a request before that
 * call left nothing behind, and whatever ends it later may have arrived.
 */
function dispatch(
  { dispatcher, done }: Leased,
  request: SendRequest,
  options: Dispatcher.DispatchOptions,
  maxBody: number,
  resolve: (result: Awaited<ReturnType<Transport['send']>>) => void,
): void {
  let started = false;
  let over = false;
  let body: BodyQueue | undefined;
  let controller: Dispatcher.DispatchController | undefined;
  let received = 0;

  const finish = () => {
    over = true;
    clearTimeout(timer);
    request.signal?.removeEventListener('abort', onAbort);
    done();
  };
  const fail = (why: Failure) => {
    if (over) return;
    finish();
    if (body) body.fail(why);
    else resolve({ kind: started ? 'lost' : 'unsent', failure: why });
  };
  const stop = (why: Failure) => {
    fail(why);
    controller?.abort(new Error(why.message));
  };
  const onAbort = () => stop(aborted);
  const timer = setTimeout(() => stop(timeUp), request.limitMs);
  request.signal?.addEventListener('abort', onAbort);
  // It may have happened while undici was being loaded.
  if (request.signal?.aborted) return onAbort();

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(control) {
      // A request that was given up while connecting, or that was written before, must not be written now.
      if (over || started) throw new Error('this request is not to be written');
      if (request.beforeFirstByte?.() === false) {
        fail(late);
        throw new Error('this request is not to be written');
      }
      started = true;
      controller = control;
    },
    onResponseStart(control, status, headers) {
      if (status < 200 || over) return;
      if (request.stream && status < 300) clearTimeout(timer);
      body = new BodyQueue(control, () => stop(aborted));
      const open: OpenAnswer = { kind: 'open', status, headers: flatten(headers), body };
      resolve(open);
    },
    onResponseData(control, chunk) {
      if (over) return;
      received += chunk.length;
      if (!request.stream && received > maxBody) {
        return stop(failure('too-large', `the answer has more than ${maxBody} bytes`, true));
      }
      body?.push(chunk, control);
    },
    onResponseEnd() {
      if (over) return;
      finish();
      body?.end();
    },
    onResponseError(_control, error) {
      fail(failureOf(error, !started));
    },
  };

  try {
    dispatcher.dispatch(options, handler);
  } catch (error) {
    fail(failureOf(error, !started));
  }
}

/** Hands the pieces of a body from undici to one reader, and holds undici up when the reader is slow. */
class BodyQueue implements AsyncIterable<Uint8Array> {
  readonly #chunks: Uint8Array[] = [];
  readonly #control: Dispatcher.DispatchController;
  readonly #giveUp: () => void;
  #queued = 0;
  #ended = false;
  #failure: Failure | undefined;
  #wake: (() => void) | undefined;

  constructor(control: Dispatcher.DispatchController, giveUp: () => void) {
    this.#control = control;
    this.#giveUp = giveUp;
  }

  push(chunk: Uint8Array, control: Dispatcher.DispatchController): void {
    this.#chunks.push(chunk);
    this.#queued += chunk.length;
    if (this.#queued > HIGH_WATER) control.pause();
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  fail(why: Failure): void {
    this.#failure = why;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = this.#chunks.shift();
        if (chunk) {
          this.#queued -= chunk.length;
          if (this.#queued <= HIGH_WATER && this.#control.paused) this.#control.resume();
          yield chunk;
        } else if (this.#failure) {
          throw new BodyLost(this.#failure);
        } else if (this.#ended) {
          return;
        } else {
          await new Promise<void>((resolve) => (this.#wake = resolve));
        }
      }
    } finally {
      if (!this.#ended && !this.#failure) this.#giveUp();
    }
  }
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value = ''] of Object.entries(headers)) {
    flat[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}
