import { readFileSync } from 'node:fs';

/** Whether a process is stopped by a signal or a debugger; known on Linux alone. */
export function isPaused(pid: number): boolean {
  try {
    // The name of the program may hold anything, so the state is looked for after its end.
    const [state] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? '';
    return state === 'T' || state === 't';
  } catch {
    return false;
  }
}
