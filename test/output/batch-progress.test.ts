import { expect, it } from 'vitest';
import { createRate } from '../../src/output/views/batch-progress.js';

it('a rate is known at the first look, and follows the last few seconds', () => {
  let now = 1_000;
  const rate = createRate(() => now);
  expect(rate(0)).toBe(0);
  now += 5_000;
  expect(rate(2_500)).toBe(500);
  for (let second = 1; second <= 10; second += 1) {
    now += 1_000;
    rate(2_500 + second * 10);
  }
  expect(rate(2_600)).toBe(10);
});
