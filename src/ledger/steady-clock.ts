// Quiet periods are measured on a clock that nobody can set: the time since the machine started, sleep included.

import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';

export interface SteadyTime {
  /** Which start of the machine the time counts from. */
  boot: string;
  ms: number;
}

/** The `boot` of times by the clock of a shared database. */
export const DATABASE_CLOCK = 'database';

export function steadyNow(): SteadyTime {
  return { boot: (bootId ??= readBootId()), ms: Math.floor(uptime() * 1000) };
}

/** How long ago that was, at least. After a restart only the time since the restart is certain. */
export function elapsedSince(then: SteadyTime, now: SteadyTime): number {
  const sameBoot = then.boot === now.boot && now.ms >= then.ms;
  return sameBoot ? now.ms - then.ms : now.ms;
}

let bootId: string | undefined;

function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Elsewhere a restart shows in a time that is smaller than before.
    return process.platform;
  }
}
