// A process of an operator: it does its work until it ends or is killed, and may be paused for a while at any step, like
// a laptop whose lid is closed. What it sent before is not called back.

import type { Timeline } from './timeline.ts';

export interface Life {
  readonly name: string;
  alive(): boolean;
  kill(): void;
  /** How long it was paused, or will have been. */
  pausedMs(): number;
  /** Resolves once the process runs, with whether it goes on; one that was killed does not. */
  step(): Promise<boolean>;
  /** Resolves once the process runs: what comes due while it is paused comes after. */
  awake(): Promise<void>;
  /** Goes on only while the process lives; a dead one waits here for ever. */
  gate<T>(work: () => Promise<T>): Promise<T>;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Resolves when the work is over or the process was killed, with what it came to in the first case. */
  live<T>(work: () => Promise<T>): Promise<{ value: T } | { error: unknown } | { killed: true }>;
}

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

export interface LifeOptions {
  /** The number of its last step: at an even one it dies before what it was about to do, at an odd one after it. */
  killAt?: number | undefined;
  onKilled(): void;
  /** The number of the step that it is paused at, and for how long. */
  pause?: { at: number; ms: number } | undefined;
  onPaused(ms: number): void;
}

export function createLife(
  name: string,
  timeline: Timeline,
  { killAt, onKilled, pause, onPaused }: LifeOptions,
): Life {
  let isAlive = true;
  let steps = 0;
  let wakesAt = 0;
  let pausedMs = 0;
  let tellDeath: () => void = () => undefined;
  const death = new Promise<void>((resolve) => (tellDeath = resolve));

  function kill(): void {
    if (!isAlive) return;
    isAlive = false;
    onKilled();
    tellDeath();
  }

  function awake(): Promise<void> | undefined {
    if (timeline.now() >= wakesAt) return undefined;
    return new Promise((resolve) => timeline.at(wakesAt, resolve));
  }

  async function step(): Promise<boolean> {
    steps += 1;
    if (steps === killAt) kill();
    if (steps === pause?.at && isAlive) {
      wakesAt = timeline.now() + pause.ms;
      pausedMs += pause.ms;
      onPaused(pause.ms);
    }
    await awake();
    return isAlive;
  }

  async function gate<T>(work: () => Promise<T>): Promise<T> {
    if (!(await step())) return never();
    try {
      const value = await work();
      return (await step()) ? value : await never<T>();
    } catch (error) {
      if (!(await step())) return never();
      throw error;
    }
  }

  return {
    name,
    alive: () => isAlive,
    kill,
    pausedMs: () => pausedMs,
    step,
    awake: async () => awake(),
    gate,
    sleep: (ms, signal) =>
      gate(
        () =>
          new Promise<void>((resolve) => {
            if (signal?.aborted) return resolve();
            const end = () => {
              timeline.cancel(timer);
              signal?.removeEventListener('abort', end);
              resolve();
            };
            const timer = timeline.at(timeline.now() + ms, end);
            signal?.addEventListener('abort', end);
          }),
      ),
    async live(work) {
      const done = work().then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      );
      const result = await Promise.race([done, death.then(() => ({ killed: true as const }))]);
      isAlive = false;
      return result;
    },
  };
}
