import { describe, expect, it } from 'vitest';
import { createPace, type Slot } from '../../src/pace/pace.js';
import { createOutage } from '../../src/pace/paced-reads.js';
import type { Clock } from '../../src/client/clock.js';
import { TemporaryError } from '../../src/errors.js';

/** Time that passes only when somebody sleeps. */
function manualClock(): Clock & { pass(ms: number): void } {
  let time = 1_000;
  return {
    now: () => time,
    monotonic: () => time,
    pass: (ms) => void (time += ms),
    sleep: async (ms) => void (time += ms),
  };
}

function open(concurrency: number, rate?: number) {
  const clock = manualClock();
  const stop = new AbortController();
  return { clock, stop, pace: createPace({ concurrency, rate, clock, signal: stop.signal }) };
}

async function enter(pace: ReturnType<typeof open>['pace']) {
  const slot = await pace.enter();
  if (!slot) throw new Error('nobody is let in');
  return slot;
}

/** How many may be at work at the same time, when nobody is inside. They all leave again. */
async function roomIn(pace: ReturnType<typeof open>['pace']): Promise<number> {
  const inside: Slot[] = [];
  const leaveAll = () => inside.splice(0).forEach((slot) => pace.leave(slot));
  for (;;) {
    const count = inside.length;
    const entering = enter(pace).then((slot) => inside.push(slot));
    await new Promise(setImmediate);
    if (inside.length > count) continue;
    leaveAll();
    await entering;
    leaveAll();
    return count;
  }
}

describe('the pace', () => {
  it('begins with one alone and widens with each answer', async () => {
    const { pace } = open(8);
    const first = await enter(pace);
    pace.leave(first);
    expect(await roomIn(pace)).toBe(1);
    pace.answered(first, 10);
    expect(await roomIn(pace)).toBe(2);
    for (let count = 0; count < 20; count += 1) pace.answered(first, 10);
    expect(await roomIn(pace)).toBe(8);
  });

  it('wakes no more than may enter, however many wait', async () => {
    const { pace, clock } = open(4);
    let asked = 0;
    clock.monotonic = () => (asked += 1);
    let done = 0;
    const work = async () => {
      const slot = await enter(pace);
      done += 1;
      pace.answered(slot);
      pace.leave(slot);
    };
    await Promise.all(Array.from({ length: 2_000 }, work));
    expect(done).toBe(2_000);
    // A few looks at the clock for each; waking everybody at every turn would take millions.
    expect(asked).toBeLessThan(20_000);
  });

  it('halves once for all that were told 429 together, waits as told, and grows slowly again', async () => {
    const { pace, clock } = open(16);
    const early = await enter(pace);
    for (let count = 0; count < 20; count += 1) pace.answered(early, 10);
    const slots = [early, await enter(pace), await enter(pace)];
    clock.pass(5);
    for (const slot of slots) pace.throttled(slot, 2_000);
    expect(pace.throttles).toBe(1);
    const before = clock.now();
    for (const slot of slots) pace.leave(slot);
    const next = await enter(pace);
    expect(clock.now() - before).toBe(2_000);
    pace.leave(next);
    expect(await roomIn(pace)).toBe(8);
    pace.answered(next, 10);
    expect(await roomIn(pace)).toBe(8);
    for (let count = 0; count < 9; count += 1) pace.answered(next, 10);
    expect(await roomIn(pace)).toBe(9);
  });

  it('halves when answers take much longer than they did', async () => {
    const { pace, clock } = open(16);
    const slot = await enter(pace);
    for (let count = 0; count < 50; count += 1) pace.answered(slot, 20);
    pace.leave(slot);
    expect(await roomIn(pace)).toBe(16);
    clock.pass(1);
    const late = await enter(pace);
    for (let count = 0; count < 3; count += 1) pace.answered(late, 900);
    pace.leave(late);
    expect(await roomIn(pace)).toBe(8);
  });

  it('lets in no more than the rate', async () => {
    const { pace, clock } = open(4, 10);
    const from = clock.now();
    for (let count = 0; count < 11; count += 1) {
      const slot = await enter(pace);
      await pace.turn(slot);
      pace.answered(slot);
      pace.leave(slot);
    }
    expect(clock.now() - from).toBe(1_000);
  });

  it('keeps nobody waiting for a turn that is not needed', async () => {
    const { pace, clock } = open(4, 0.1);
    const first = await enter(pace);
    await pace.turn(first);
    pace.answered(first);
    const from = clock.now();
    pace.leave(await enter(pace));
    expect(clock.now() - from).toBe(0);
  });

  it('lets nobody in once it is stopped', async () => {
    const { pace, stop } = open(1);
    await enter(pace);
    const waiting = pace.enter();
    stop.abort();
    expect(await waiting).toBeUndefined();
    expect(await pace.enter()).toBeUndefined();
  });
});

describe('an outage', () => {
  const error = new TemporaryError('gone', { code: 'refused' });

  it('is three failures in succession, and told once', () => {
    const told: unknown[] = [];
    const outage = createOutage((each) => told.push(each));
    outage.unreadable(error, '1');
    outage.unreadable(error, '2');
    outage.readable();
    outage.unreadable(error, '3');
    outage.unreadable(error, '4');
    expect(told).toEqual([]);
    outage.unreadable(error, '5');
    outage.unreadable(error, '6');
    expect(told).toEqual([error]);
    expect(outage.error).toBe(error);
  });

  it('is not one payment that fails again and again', () => {
    const outage = createOutage(() => {});
    for (let count = 0; count < 10; count += 1) outage.unreadable(error, '1');
    expect(outage.error).toBeUndefined();
  });
});
