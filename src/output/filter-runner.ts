import { Worker } from 'node:worker_threads';
import { type FilterInput, type FilterOutput, runJq } from './run-jq.js';

/** What a filter needs to be run. */
export interface FilterRunOptions {
  /** The script of the thread, see `filter-thread.ts`. Without one the filter runs here, and nothing can end it. */
  threadFile?: string | undefined;
  /** Once it is aborted, nobody waits much longer for the filter. */
  signal?: AbortSignal | undefined;
}

/** Enough for any filter that ends at all. */
const GRACE_MS = 2_000;

let thread: Worker | undefined;
let lastRun: Promise<unknown> = Promise.resolve();

/** Runs filters one after another; undefined when this one had to be stopped. */
export function runFilter(
  input: FilterInput,
  { threadFile, signal }: FilterRunOptions,
): Promise<FilterOutput | undefined> {
  const run = () => (threadFile === undefined ? runJq(input) : runInThread(threadFile, input, signal));
  const finished = lastRun.then(run);
  lastRun = finished.catch(() => undefined);
  return finished;
}

function runInThread(
  threadFile: string,
  input: FilterInput,
  signal: AbortSignal | undefined,
): Promise<FilterOutput | undefined> {
  const running = (thread ??= new Worker(threadFile));
  const { promise, resolve, reject } = Promise.withResolvers<FilterOutput | undefined>();
  let timer: NodeJS.Timeout | undefined;
  const startTimer = () => (timer ??= setTimeout(end, GRACE_MS));
  function end(): void {
    thread = undefined;
    void running.terminate();
    resolve(undefined);
  }
  function onMessage(message: FilterOutput | 'started'): void {
    if (message !== 'started') return resolve(message);
    if (signal?.aborted) startTimer();
    else signal?.addEventListener('abort', startTimer);
  }
  function onError(error: unknown): void {
    thread = undefined;
    reject(error);
  }
  running.on('message', onMessage).on('error', onError);
  running.ref();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
  running.postMessage(input);
  return promise.finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', startTimer);
    running.off('message', onMessage).off('error', onError);
    // It waits for the next filter, and the program does not wait for it.
    running.unref();
  });
}
