// The clocks of the machines: wall clocks differ and jump, the steady clock does neither. `Date.now` of whatever a
// process runs is the wall clock of its machine.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { FaultKind } from './faults.ts';
import type { Random } from './random.ts';
import type { Timeline } from './timeline.ts';

export interface Machine {
  readonly name: string;
  readonly jumps: boolean;
  wall(): number;
}

const MINUTE = 60_000;
const offsets = [0, 0, 0, 90_000, -90_000, 11 * MINUTE, -11 * MINUTE, 2 * 24 * 60 * MINUTE];

const current = new AsyncLocalStorage<Machine>();

/** Whatever this work calls, and calls later, reads the clock of this machine. */
export const runOn = <T>(machine: Machine, work: () => Promise<T>): Promise<T> => current.run(machine, work);

/** The clock of the machine that asks; outside of every machine, the true time. */
export const wallClock = (timeline: Timeline): number => current.getStore()?.wall() ?? timeline.now();

export interface MachineOptions {
  random: Random;
  timeline: Timeline;
  /** How many of the machines have a clock that jumps. */
  jumps: number;
  until: number;
  count(kind: FaultKind): void;
  trace(text: string): void;
}

export function createMachine(name: string, options: MachineOptions): Machine {
  const { random, timeline, jumps, until, count, trace } = options;
  let offset = 0;
  const isOff = random.chance(jumps);
  if (isOff) {
    offset = random.pick(offsets);
    for (let times = random.between(1, 3); times > 0; times -= 1) {
      timeline.at(random.between(timeline.now(), until), () => {
        offset += random.pick(offsets.filter((ms) => ms !== 0)) * (random.chance(0.5) ? 1 : -1);
        count('clock-jump');
        trace(`the clock of ${name} jumps: it is off by ${offset / 1000} s`);
      });
    }
  }
  return { name, jumps: isOff, wall: () => timeline.now() + offset };
}

/** The clock that quiet periods are measured on: it does not jump, and begins again when the machine restarts. */
export interface SteadyClock {
  now(): { boot: string; ms: number };
  restart(): void;
}

export function createSteadyClock(timeline: Timeline): SteadyClock {
  let boots = 1;
  let began = timeline.now() - 86_400_000;
  return {
    now: () => ({ boot: `boot-${boots}`, ms: timeline.now() - began }),
    restart() {
      boots += 1;
      began = timeline.now();
    },
  };
}
