// Runs a listener until its expectation is met, somebody stops it or the time is up.

import { randomInt } from 'node:crypto';
import { systemClock } from '../client/clock.js';
import { InterruptedError, PaydeskError, PendingError } from '../errors.js';
import { createOwner } from '../store/owner.js';
import { type Chaos, type ChaosKind, createChaos } from './forwarding/chaos.js';
import type { WebhookExpectation } from './expectation.js';
import { type Listener, type ListenOptions, startListener } from './start-listener.js';

export interface RunningListener {
  listener: Listener;
  chaos: Chaos | undefined;
  /** Resolves when it is over: to the error to end with, or undefined when that is well. */
  ended: Promise<PaydeskError | undefined>;
  /** Somebody ends it: well, unless something that is counted has not come yet. */
  quit(): void;
  stop(): Promise<void>;
}

export interface RunListenerOptions extends Omit<
  ListenOptions,
  'owner' | 'clock' | 'chaos' | 'retries' | 'readRetries'
> {
  /** No chaos without kinds; a random seed where none is given. */
  chaos: { kinds: ChaosKind[] | undefined; seed: number | undefined };
  expectation: WebhookExpectation | undefined;
}

const MAX_SEED = 1_000_000;
/** How long the webhook about a state may take once the service shows the state. */
export const LAST_WEBHOOK_MS = 3_000;

export async function runListener(options: RunListenerOptions): Promise<RunningListener> {
  const { expectation, signal, onEvent } = options;
  const { kinds, seed } = options.chaos;
  const chaos = kinds === undefined ? undefined : createChaos(kinds, seed ?? randomInt(MAX_SEED));
  let end: (error?: PaydeskError) => void = () => {};
  const ended = new Promise<PaydeskError | undefined>((resolve) => (end = resolve));
  const quit = () => end(expectation?.counts === true ? interrupted() : undefined);
  // Before the handler that takes them for a Ctrl-C: these are proper ways to end a listener.
  process.prependListener('SIGTERM', quit).prependListener('SIGHUP', quit);
  const onAbort = () => end(endOf(signal.reason, expectation));
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  let lastWebhooks: NodeJS.Timeout | undefined;
  const stopWaiting = () => void (expectation?.stopWaiting() === 'met' && end());
  const close = () => {
    clearTimeout(lastWebhooks);
    process.off('SIGTERM', quit).off('SIGHUP', quit);
    signal.removeEventListener('abort', onAbort);
  };

  try {
    const listener = await startListener({
      ...options,
      owner: createOwner(),
      clock: systemClock,
      chaos,
      onEvent(event) {
        onEvent(event);
        if (event.type === 'failed') end(event.error);
        // A run that waits for something counts only what arrives from now on.
        if (!('isEarlier' in event) || event.isEarlier) return;
        if (event.type === 'arrived' || event.type === 'progress') expectation?.noteArrival(event.delivery);
        if (event.type !== 'settled') return;
        const verdict = expectation?.noteSettled(event.delivery);
        if (verdict === 'met') end();
        else if (verdict === 'nearly') lastWebhooks ??= setTimeout(stopWaiting, LAST_WEBHOOK_MS);
        else if (verdict !== undefined) end(verdict);
      },
    });
    const stop = () => listener.stop().finally(close);
    return { listener, chaos, ended, quit, stop };
  } catch (error) {
    close();
    throw error;
  }
}

/** Ctrl-C is an interruption; when the time is up it depends on what came. */
function endOf(reason: unknown, expectation: WebhookExpectation | undefined): PaydeskError | undefined {
  if (reason instanceof PendingError) return expectation === undefined ? reason : expectation.timeUp();
  return reason instanceof PaydeskError ? reason : interrupted(reason);
}

const interrupted = (cause?: unknown): InterruptedError =>
  new InterruptedError('Interrupted.', { code: 'interrupted', cause });
