// A sandbox that a signal or a debugger has stopped: its process exists, but does nothing.

import { readFileSync } from 'node:fs';
import { ServiceError } from '../errors.js';
import { type Command, otherProgram } from '../next-command.js';
import type { Run } from './run.js';

/** Only Linux tells. */
export function isPaused(pid: number): boolean {
  try {
    // The name of the program may hold anything, so the state is looked for after its end.
    const [state] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? '';
    return state === 'T' || state === 't';
  } catch {
    return false;
  }
}

/** The error for a sandbox that is paused; undefined if it is not. `afterwards` is what to type once it runs again. */
export function pausedSandbox(
  { url, pid }: Run,
  { consequence = '', afterwards = [] }: { consequence?: string; afterwards?: Command[] } = {},
): ServiceError | undefined {
  if (!isPaused(pid)) return undefined;
  return new ServiceError(`The sandbox at ${url} is paused (pid ${pid})${consequence}.`, {
    code: 'sandbox-paused',
    next: [otherProgram('kill', '-CONT', pid), ...afterwards],
  });
}
