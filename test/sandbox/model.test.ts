import { test } from 'vitest';
import { checkModel } from './model/check.js';

test('whatever is done to it, the money is right and the webhooks tell its history', async () => {
  await checkModel({ seed: 20_261_105, runs: 24, placeOf: (index) => (index % 4 === 3 ? 'file' : 'memory') });
});
