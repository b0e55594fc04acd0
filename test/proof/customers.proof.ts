import { expect, test } from 'vitest';
import { growthInOneArray, growthInPages } from '../client/many-customers.js';
import { scaled } from './scale.js';

const total = Math.max(scaled(1_000), 50) * 100;

test(`memory stays flat over ${total} customers, page by page and in one array`, async () => {
  expect(await growthInPages(total)).toBeLessThan(10);
  expect(await growthInOneArray(total)).toBeLessThan(10);
});
