import { setTimeout as wait } from 'node:timers/promises';
import { ServiceError } from '../errors.js';
import { createRemote } from './remote.js';
import { isProcess } from './runs.js';
import type { Run } from './run.js';

const LIMIT_MS = 10_000;
const POLL_MS = 20;

/** Asks a sandbox to stop and returns when its process has ended. */
export async function stopAndWait(run: Run, signal: AbortSignal): Promise<void> {
  await createRemote(run, signal).stop();
  const limit = performance.now() + LIMIT_MS;
  while (isProcess(run.pid)) {
    if (performance.now() > limit) {
      throw new ServiceError(
        `The sandbox at ${run.url} was told to stop and is still running (pid ${run.pid}).`,
        {
          code: 'sandbox-still-running',
          next: [`kill ${run.pid}`],
        },
      );
    }
    await wait(POLL_MS, undefined, { signal });
  }
}
