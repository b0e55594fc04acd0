import type { PaydeskError } from '../../errors.js';
import type { StoreError } from '../../store/errors.js';
import type { WorkedRow } from '../rows/worked-row.js';

export type StopReason =
  /** Ctrl-C, or the time was up. */
  | { kind: 'asked'; error: PaydeskError }
  /** The service can no longer be read. */
  | { kind: 'outage'; error: PaydeskError }
  /** No other row would fare better: the key is not accepted, or the app is another. */
  | { kind: 'hopeless'; error: PaydeskError }
  /** The database of the ledger is away. */
  | { kind: 'ledger'; error: PaydeskError | StoreError }
  | { kind: 'canary'; row: { line: number; typed: string; result: WorkedRow } }
  | { kind: 'failures'; failures: number };

/** Whether a run is to stop, and why: the first reason counts. */
export interface Stopping {
  /** Once it has fired, no row is begun any more. */
  readonly signal: AbortSignal;
  readonly reason: StopReason | undefined;
  stop(reason: StopReason): void;
  /** An unexpected error was thrown. The error itself says why. */
  abort(): void;
  close(): void;
}

export function createStopping(asked: AbortSignal): Stopping {
  const halt = new AbortController();
  let reason: StopReason | undefined;
  const stop = (why: StopReason) => {
    reason ??= why;
    halt.abort();
  };
  const onAsked = () => stop({ kind: 'asked', error: asked.reason as PaydeskError });
  if (asked.aborted) onAsked();
  asked.addEventListener('abort', onAsked, { once: true });
  return {
    signal: halt.signal,
    get reason() {
      return reason;
    },
    stop,
    abort: () => halt.abort(),
    close: () => asked.removeEventListener('abort', onAsked),
  };
}
