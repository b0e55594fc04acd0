import { test } from 'vitest';
import { checkModel } from './model/check.js';

/** Seconds when all is well; a failure is shrunk to its shortest form first, which takes longer. */
const TIMEOUT_MS = 300_000;

test(
  'whatever is done to it, the money is right and the webhooks tell its history',
  { timeout: TIMEOUT_MS },
  async () => {
    await checkModel({
      seed: 20_261_105,
      runs: 4,
      placeOf: (index) => (index % 4 === 3 ? 'file' : 'memory'),
    });
  },
);
