import { Refusal } from './domain/refusal.js';

/** Work that is done in rounds: woken, or when the next piece falls due. At most one round runs at a time. */
interface Loop {
  wake(): void;
  /** Resolves when no round runs and none is asked for. Rejects when the last one failed. */
  idle(): Promise<void>;
  /** No further round begins; resolves when the running one has ended. */
  stop(): Promise<void>;
}

interface LoopOptions {
  round(): Promise<void>;
  /** How long to wait for the next round, in milliseconds; undefined for until woken. */
  nextIn(): Promise<number | undefined>;
  onError(error: unknown): void;
}

const AFTER_ERROR_MS = 500;
const MAX_WAIT_MS = 3_600_000;

export function createLoop({ round, nextIn, onError }: LoopOptions): Loop {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let again = false;
  let stopped = false;
  let failed = false;

  function wake(): void {
    if (stopped) return;
    again = true;
    if (running) return;
    clearTimeout(timer);
    running = run();
  }

  async function run(): Promise<void> {
    failed = false;
    try {
      while (again && !stopped) {
        again = false;
        await round();
      }
      const wait = await nextIn();
      if (wait !== undefined) schedule(wait);
    } catch (error) {
      if (!stopped) onError(error);
      failed = !stopped;
      schedule(AFTER_ERROR_MS);
    } finally {
      running = undefined;
      if (again) wake();
    }
  }

  function schedule(ms: number): void {
    if (stopped) return;
    clearTimeout(timer);
    timer = setTimeout(wake, Math.min(Math.max(ms, 0), MAX_WAIT_MS));
    timer.unref();
  }

  return {
    wake,
    async idle() {
      while (running) await running;
      if (failed) throw new Refusal('internal', 'Work that is due failed; the log of the sandbox says why.');
    },
    async stop() {
      stopped = true;
      again = false;
      clearTimeout(timer);
      await running;
    },
  };
}
