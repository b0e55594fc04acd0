// A process of an operator: it does its work until it ends or is killed. What it sent before is not called back.

import type { Timeline } from './timeline.ts';

export interface Life {
  readonly name: string;
  alive(): boolean;
  kill(): void;
  /** Goes on only while the process lives; a dead one waits here for ever. */
  gate<T>(work: () => Promise<T>): Promise<T>;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Resolves when the work is over or the process was killed, with what it came to in the first case. */
  live<T>(work: () => Promise<T>): Promise<{ value: T } | { error: unknown } | { killed: true }>;
}

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

/** `killAt`: the how manieth step is its last; an even one dies before what it was about to do, an odd one after it. */
export function createLife(
  name: string,
  timeline: Timeline,
  { killAt, onKilled }: { killAt?: number | undefined; onKilled(): void },
): Life {
  let isAlive = true;
  let steps = 0;
  let tellDeath: () => void = () => undefined;
  const death = new Promise<void>((resolve) => (tellDeath = resolve));

  function kill(): void {
    if (!isAlive) return;
    isAlive = false;
    onKilled();
    tellDeath();
  }

  function passes(): boolean {
    steps += 1;
    if (steps === killAt) kill();
    return isAlive;
  }

  async function gate<T>(work: () => Promise<T>): Promise<T> {
    if (!passes()) return never();
    try {
      const value = await work();
      return passes() ? value : await never<T>();
    } catch (error) {
      if (!passes()) return never();
      throw error;
    }
  }

  return {
    name,
    alive: () => isAlive,
    kill,
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
