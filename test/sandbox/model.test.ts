import fc from 'fast-check';
import { test } from 'vitest';
import { runSteps } from './model/run.js';
import { step } from './model/steps.js';

// Random things done to a real sandbox, each judged by a model that shares no code with it. A failure prints its
// seed and path; PAYDESK_MODEL_SEED and PAYDESK_MODEL_PATH run exactly that one again.

const seed = Number(process.env['PAYDESK_MODEL_SEED'] ?? 20_261_105);
const path = process.env['PAYDESK_MODEL_PATH'];

test('whatever is done to it, the money is right and the webhooks tell its history', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('memory' as const, 'file' as const),
      fc.array(step, { minLength: 1, maxLength: 120, size: 'max' }),
      runSteps,
    ),
    { seed, numRuns: 40, ...(path !== undefined && { path }) },
  );
});
