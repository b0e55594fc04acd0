import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/client/clock.js';
import { ServiceError, TemporaryError } from '../../src/errors.js';
import { readUntil, type Turn } from '../../src/payments/wait.js';

/** A clock that stands still but for what is slept. */
function fakeClock(): Clock & { slept: number[]; set(time: number): void } {
  let now = 0;
  let offset = 0;
  const slept: number[] = [];
  return {
    slept,
    set: (time) => void (offset = time - now),
    now: () => now + offset,
    monotonic: () => now,
    sleep: async (ms) => {
      slept.push(ms);
      now += ms;
    },
  };
}

const temporary = () => new TemporaryError('not now', { code: 'x' });
const signal = new AbortController().signal;

describe('readUntil', () => {
  it('reads with growing pauses, up to the longest, until the value will do', async () => {
    const clock = fakeClock();
    let reads = 0;
    const options = { clock, signal, limitMs: 100_000, firstMs: 100, maxMs: 400 };
    expect(
      await readUntil(
        async () => (reads += 1),
        (value) => value === 6,
        options,
      ),
    ).toEqual({
      reached: true,
      last: 6,
    });
    expect(clock.slept).toEqual([100, 150, 225, 337.5, 400]);
  });

  it.each([-2, 2])('ends at its limit when somebody sets the clock by %s days meanwhile', async (days) => {
    const clock = fakeClock();
    let reads = 0;
    const read = async () => {
      if ((reads += 1) === 2) clock.set(days * 86_400_000);
      if (reads > 100) throw new Error('it does not end');
    };
    await readUntil(read, () => false, { clock, signal, limitMs: 1_000, firstMs: 400 });
    expect(clock.slept).toEqual([400, 600]);
  });

  it('makes a last read when the time is up, and never sleeps beyond it', async () => {
    const clock = fakeClock();
    const seen: number[] = [];
    const read = async () => seen.push(clock.now());
    const result = await readUntil(read, () => false, { clock, signal, limitMs: 1_000, firstMs: 600 });
    expect(result.reached).toBe(false);
    expect(clock.now()).toBe(1_000);
    expect(clock.slept).toEqual([600, 400]);
  });

  it('goes on after a read that failed for now, and gives up on one that was refused', async () => {
    const clock = fakeClock();
    const answers = [temporary(), temporary(), 'there'];
    const read = async () => {
      const next = answers.shift();
      if (next instanceof Error) throw next;
      return next;
    };
    expect(await readUntil(read, () => true, { clock, signal, limitMs: 9_000 })).toMatchObject({
      last: 'there',
    });
    const refused = new ServiceError('no', { code: 'x' });
    await expect(
      readUntil(
        () => Promise.reject(refused),
        () => true,
        { clock, signal, limitMs: 9_000 },
      ),
    ).rejects.toBe(refused);
  });

  it('stops at the signal with what it has', async () => {
    const clock = fakeClock();
    const stop = new AbortController();
    let reads = 0;
    const read = async () => {
      if ((reads += 1) === 3) stop.abort();
      return reads;
    };
    const result = await readUntil(read, () => false, { clock, signal: stop.signal, limitMs: 1e9 });
    expect(result).toEqual({ reached: false, last: 3 });
  });

  it('makes the pauses short again when a webhook ends one, and tells the read', async () => {
    const clock = fakeClock();
    const woken: boolean[] = [];
    const read = async (turn: Turn) => woken.push(turn.woken);
    const sleep = async (ms: number) => {
      await clock.sleep(ms);
      return clock.slept.length === 3;
    };
    await readUntil(read, (count) => count === 6, { clock, signal, firstMs: 100, sleep });
    expect(clock.slept).toEqual([100, 150, 225, 150, 225]);
    expect(woken).toEqual([false, false, false, true, false, false]);
  });

  it('starts with a pause for who has just read', async () => {
    const clock = fakeClock();
    const seen: number[] = [];
    const options = { clock, signal, firstMs: 100, pauseFirst: true };
    await readUntil(
      async () => seen.push(clock.now()),
      () => true,
      options,
    );
    expect(seen).toEqual([100]);
  });
});
