import { expect, it } from 'vitest';
import { createTally } from '../../../src/batch/rows/counts.js';
import { endingOfRun } from '../../../src/batch/run/ending.js';
import { TemporaryError } from '../../../src/errors.js';
import { commandText } from '../../../src/next-command.js';

it('says why a row was not sent, and offers no new plan where resume is enough', () => {
  const tally = createTally({ action: 'refund', rows: 8 });
  tally.add({ outcome: 'accepted', planned: 1, currency: 'EUR' }, 7, 700n);
  const notSent = new TemporaryError('The connection was refused.', { code: 'refused' });
  const ending = endingOfRun('b-1', { counts: tally.counts(), worked: 7, notSent });
  expect(ending?.message).toBe(
    '1 of 8 rows not done: 7 accepted, 1 left to do.\nThe connection was refused.',
  );
  expect(ending?.next.map((step) => commandText(step))).toEqual([
    'paydesk batch resume b-1',
    'paydesk batch report b-1',
  ]);
});
