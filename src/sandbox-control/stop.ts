import { otherProgram, paydesk } from '../next-command.js';
import { setTimeout as wait } from 'node:timers/promises';
import { ServiceError } from '../errors.js';
import { createRemote } from './remote.js';
import { isRunning } from '../store/owner.js';
import { pausedSandbox } from './paused.js';
import { portOf, type Run } from './run.js';

const TIMEOUT_MS = 10_000;
const POLL_MS = 20;

/** Asks a sandbox to stop and returns when its process has ended. */
export async function stopAndWait(run: Run, signal: AbortSignal): Promise<void> {
  const limit = performance.now() + TIMEOUT_MS;
  const late = AbortSignal.timeout(TIMEOUT_MS);
  await createRemote(run, AbortSignal.any([signal, late]))
    .stop()
    .catch((error: unknown) => {
      throw late.aborted && !signal.aborted ? notStopped(run) : error;
    });
  while (isRunning(run.pid)) {
    if (performance.now() > limit) throw notStopped(run);
    await wait(POLL_MS, undefined, { signal });
  }
}

/** Why a sandbox whose process is there was not stopped. */
export function notStopped(run: Run): ServiceError {
  const { url, pid } = run;
  return (
    pausedSandbox(run, {
      consequence: ', so it was not stopped',
      afterwards: [paydesk('sandbox', 'stop', '--port', portOf(run))],
    }) ??
    new ServiceError(`The sandbox at ${url} does not answer and is still running (pid ${pid}).`, {
      code: 'sandbox-still-running',
      next: [otherProgram('kill', pid)],
    })
  );
}
