// Runs a listener until its expectation is met, somebody stops it or the time is up.

import { randomInt } from 'node:crypto';
import { systemClock } from '../client/clock.js';
import type { Client } from '../client/client.js';
import { InterruptedError, PaydeskError, PendingError } from '../errors.js';
import type { DeskDatabase } from '../ledger/desk.js';
import type { Line } from '../output/lines.js';
import { createOwner } from '../store/owner.js';
import { type Chaos, type ChaosKind, createChaos } from './forwarding/chaos.js';
import type { WebhookExpectation } from './expectation.js';
import { type Listener, type ListenEvent, startListener } from './listen.js';
import type { AppRef } from '../ledger/payment-ref.js';
import type { Filter, Target } from './forwarding/targets.js';
import type { Tunnel } from './tunnels/tunnel.js';

export interface RunningListener {
  listener: Listener;
  chaos: Chaos | undefined;
  /** Resolves when it is over: to the error to end with, or undefined when that is well. */
  ended: Promise<PaydeskError | undefined>;
  end(error?: PaydeskError): void;
  stop(): Promise<void>;
}

interface RunListenerOptions {
  database: DeskDatabase;
  client: Client;
  place: AppRef;
  tunnel: Tunnel;
  targets: readonly Target[];
  filter: Filter;
  port: number;
  /** Takes another port where this one is in use. */
  orAnother: boolean;
  ack: 'immediate' | 'forwarded';
  chaos: { kinds: ChaosKind[] | undefined; seed: number | undefined };
  expectation: WebhookExpectation | undefined;
  interactive: boolean;
  signal: AbortSignal;
  note: (...lines: Line[]) => void;
  onEvent(event: ListenEvent): void;
  onError(error: unknown): void;
}

const MAX_SEED = 1_000_000;

export async function runListener(options: RunListenerOptions): Promise<RunningListener> {
  const { database, client, expectation, signal, onEvent } = options;
  const { kinds, seed } = options.chaos;
  const chaos = kinds === undefined ? undefined : createChaos(kinds, seed ?? randomInt(MAX_SEED));
  let end: (error?: PaydeskError) => void = () => {};
  const ended = new Promise<PaydeskError | undefined>((resolve) => (end = resolve));
  // Before the handler that takes them for a Ctrl-C: these are proper ways to end a listener.
  const onTerminate = () => end();
  process.prependListener('SIGTERM', onTerminate).prependListener('SIGHUP', onTerminate);
  const onAbort = () => end(endOf(signal.reason, expectation));
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  const close = () => {
    process.off('SIGTERM', onTerminate).off('SIGHUP', onTerminate);
    signal.removeEventListener('abort', onAbort);
  };

  const { place, tunnel, targets, filter, ack, interactive, note, onError } = options;
  try {
    const listener = await startListener({
      store: database.store,
      client,
      place,
      owner: createOwner(),
      clock: systemClock,
      port: options.port,
      orAnother: options.orAnother,
      tunnel,
      // Who waits for something counts only what comes from now on.
      retriesFailed: expectation?.waits !== true,
      targets,
      filter,
      ack,
      chaos,
      interactive,
      signal,
      note,
      onEvent(event) {
        onEvent(event);
        if (event.type === 'failed') end(event.error);
        if (event.type === 'progress') expectation?.hear(event.delivery);
        if (event.type !== 'settled') return;
        const verdict = expectation?.see(event.delivery);
        if (verdict === 'met') end();
        else if (verdict !== undefined) end(verdict);
      },
      onError,
    });
    const stop = () => listener.stop().finally(close);
    return { listener, chaos, ended, end, stop };
  } catch (error) {
    close();
    throw error;
  }
}

/** Ctrl-C is an interruption; when the time is up it depends on what came. */
function endOf(reason: unknown, expectation: WebhookExpectation | undefined): PaydeskError | undefined {
  if (reason instanceof PendingError) return expectation === undefined ? reason : expectation.timeUp();
  return reason instanceof PaydeskError
    ? reason
    : new InterruptedError('Interrupted.', { code: 'interrupted', cause: reason });
}
