// Quiet periods are measured on a clock that nobody can set: the time since the machine started, sleep included.

import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';

export interface SteadyTime {
  /** Which start of the machine the time counts from. */
  boot: string;
  ms: number;
}

const DATABASE_START = /^database (\d+)$/;

/** The time since a shared database was started, by its own clock; after a restart, only the time since then counts. */
export const databaseTime = (startMs: number, nowMs: number): SteadyTime => ({
  boot: `database ${startMs}`,
  ms: nowMs - startMs,
});

/** The same on a machine whose clock is taken for that of the database; undefined where `boot` is of a machine. */
export function databaseTimeIn(boot: string, nowMs: number): SteadyTime | undefined {
  const startMs = databaseStart({ boot });
  return startMs === undefined ? undefined : databaseTime(startMs, nowMs);
}

export function steadyNow(): SteadyTime {
  return { boot: (bootId ??= readBootId()), ms: Math.floor(uptime() * 1000) };
}

/** How long ago that was, at least. After a restart only the time since the restart is certain. */
export function elapsedSince(then: SteadyTime, now: SteadyTime): number {
  const [thenStart, nowStart] = [databaseStart(then), databaseStart(now)];
  if (thenStart !== undefined && nowStart !== undefined) {
    const thenTime = thenStart + then.ms;
    // A server that was running before is not the one that was restarted: it took over, or its clock was set back.
    return nowStart > thenTime ? now.ms : Math.max(0, nowStart + now.ms - thenTime);
  }
  const sameBoot = then.boot === now.boot && now.ms >= then.ms;
  return sameBoot ? now.ms - then.ms : now.ms;
}

function databaseStart({ boot }: Pick<SteadyTime, 'boot'>): number | undefined {
  const [, startMs] = DATABASE_START.exec(boot) ?? [];
  return startMs === undefined ? undefined : Number(startMs);
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
