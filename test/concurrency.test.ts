import { describe, expect, it } from 'vitest';
import { loadOnce, mapConcurrent } from '../src/concurrency.js';

async function* counted(count: number) {
  for (let number = 0; number < count; number += 1) yield number;
}

describe('mapConcurrent', () => {
  it('runs at most so many at once, and gives the results in order', async () => {
    let running = 0;
    let most = 0;
    const results = await mapConcurrent(counted(9), 3, async (number) => {
      most = Math.max(most, (running += 1));
      // The later ones are ready first.
      for (let turn = 9 - number; turn > 0; turn -= 1) await Promise.resolve();
      running -= 1;
      return number * 2;
    });
    expect(results).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16]);
    expect(most).toBe(3);
  });

  it('starts nothing more after an error', async () => {
    const started: number[] = [];
    const work = async (number: number) => {
      started.push(number);
      if (number === 2) throw new Error('no');
      await Promise.resolve();
    };
    await expect(mapConcurrent([0, 1, 2, 3, 4, 5, 6, 7], 2, work)).rejects.toThrow('no');
    await new Promise((resolve) => setImmediate(resolve));
    expect(started.length).toBeLessThan(6);
    expect(await mapConcurrent([], 2, work)).toEqual([]);
  });
});

describe('loadOnce', () => {
  it('loads once for all callers, and again after it has failed', async () => {
    const results = [Promise.reject(new Error('locked')), Promise.resolve('key'), Promise.resolve('another')];
    for (const result of results) result.catch(() => {});
    const load = loadOnce(() => results.shift() as Promise<string>);
    expect(await Promise.allSettled([load(), load()])).toMatchObject([
      { status: 'rejected' },
      { status: 'rejected' },
    ]);
    expect(await Promise.all([load(), load(), load()])).toEqual(['key', 'key', 'key']);
    expect(results).toHaveLength(1);
  });
});
