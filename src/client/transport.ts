import type { Dispatcher } from 'undici';
import { BodyQueue, WholeBody } from './answer-body.js';
import { createDispatchers, type Connection, type Leased } from './dispatchers.js';
import type { Failure, SendRequest, Transport } from './exchange.js';
import { failure, failureOf } from './failures.js';

export interface TransportTimeouts {
  connectMs: number;
  headersMs: number;
  bodyMs: number;
}

const transportTimeouts: TransportTimeouts = { connectMs: 5_000, headersMs: 10_000, bodyMs: 10_000 };

/** An answer that is read whole may have this many bytes. */
const MAX_BODY = 16 * 1024 * 1024;

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
  const aborts = createAborts();

  return {
    async send(request) {
      if (request.signal?.aborted) return { kind: 'unsent', failure: aborted };
      const leased = await dispatchers.lease(request.fresh);
      return new Promise((resolve) => {
        dispatch(leased, request, { options: dispatchers.options(request), maxBody, aborts }, resolve);
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
  { options, maxBody, aborts }: { options: Dispatcher.DispatchOptions; maxBody: number; aborts: Aborts },
  resolve: (result: Awaited<ReturnType<Transport['send']>>) => void,
): void {
  let started = false;
  let over = false;
  let controller: Dispatcher.DispatchController | undefined;
  let head: { status: number; headers: Record<string, string> } | undefined;
  /** Of an answer that is read piece by piece. */
  let stream: BodyQueue | undefined;
  const whole = new WholeBody();

  const finish = () => {
    over = true;
    clearTimeout(timer);
    watched?.remove();
    done();
  };
  const fail = (why: Failure) => {
    if (over) return;
    finish();
    if (stream) stream.fail(why);
    else if (!started) resolve({ kind: 'unsent', failure: why });
    else resolve({ kind: 'lost', failure: why, ...(head && { status: head.status }) });
  };
  const stop = (why: Failure) => {
    fail(why);
    controller?.abort(new Error(why.message));
  };
  const onAbort = () => stop(aborted);
  const timer = setTimeout(() => stop(timeUp), request.limitMs);
  const watched = request.signal && aborts.add(request.signal, onAbort);
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
      head = { status, headers: flatten(headers) };
      if (!request.stream || status >= 300) return;
      clearTimeout(timer);
      stream = new BodyQueue(control, () => stop(aborted));
      resolve({ kind: 'open', ...head, body: stream });
    },
    onResponseData(control, chunk) {
      if (over) return;
      if (stream) return stream.push(chunk, control);
      if (whole.push(chunk) > maxBody)
        stop(failure('too-large', `the answer has more than ${maxBody} bytes`, true));
    },
    onResponseEnd() {
      if (over || !head) return;
      finish();
      if (stream) stream.end();
      else resolve({ kind: 'answer', ...head, body: whole.text() });
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

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat: Record<string, string> = {};
  // undici has made the names lower case.
  for (const name in headers) {
    const value = headers[name] ?? '';
    flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}

interface Aborts {
  /** Calls `onAbort` when the signal fires, until `remove` is called. */
  add(signal: AbortSignal, onAbort: () => void): { remove(): void };
}

interface UnderWay {
  onAbort: () => void;
  /** Where it stands in the list. */
  at: number;
}

/**
 * One listener for all requests under way with a signal: a signal compares each new listener with those that it has. In
 * a list and not in a Set: V8 links the tables that a Set outgrows, and the requests in them stay in memory for long.
 */
function createAborts(): Aborts {
  const lists = new Map<AbortSignal, { requests: UnderWay[]; listener: () => void }>();

  function listOf(signal: AbortSignal) {
    const known = lists.get(signal);
    if (known) return known;
    const requests: UnderWay[] = [];
    const listener = () => {
      // Each takes itself out of the list.
      for (const { onAbort } of requests.slice()) onAbort();
    };
    signal.addEventListener('abort', listener);
    const list = { requests, listener };
    lists.set(signal, list);
    return list;
  }

  return {
    add(signal, onAbort) {
      const { requests, listener } = listOf(signal);
      const added = { onAbort, at: requests.length };
      requests.push(added);
      return {
        remove() {
          // The last one takes its place.
          const last = requests.pop() as UnderWay;
          if (last !== added) requests[(last.at = added.at)] = last;
          if (requests.length > 0) return;
          signal.removeEventListener('abort', listener);
          lists.delete(signal);
        },
      };
    },
  };
}
