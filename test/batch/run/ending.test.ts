import { describe, expect, it } from 'vitest';
import { createTally } from '../../../src/batch/rows/counts.js';
import { nothingRemains } from '../../../src/batch/rows/remaining.js';
import { endingOfRun } from '../../../src/batch/run/ending.js';
import { exitCodeOf, ProfileError, TemporaryError } from '../../../src/errors.js';
import { commandText } from '../../../src/next-command.js';
import { StoreError } from '../../../src/store/errors.js';

it('says why a row was not sent, and offers no new plan where resume is enough', () => {
  const tally = createTally({ action: 'refund', rows: 8 });
  tally.add({ outcome: 'accepted', planned: 1, currency: 'EUR', sum: '7.00' }, 7);
  const notSent = new TemporaryError('The connection was refused.', { code: 'refused' });
  const ending = endingOfRun('b-1', {
    counts: tally.counts(),
    remaining: nothingRemains,
    worked: 7,
    hasThrottled: false,
    notSent,
  });
  expect(ending?.message).toBe(
    '1 of 8 rows not done: 7 accepted, 1 left to do.\nThe connection was refused.\nbatch resume sends the remaining row.',
  );
  expect(ending?.next.map((step) => commandText(step))).toEqual([
    'paydesk batch resume b-1',
    'paydesk batch report b-1',
  ]);
});

describe('a run whose only instruction was throttled', () => {
  const tally = createTally({ action: 'refund', rows: 2 });
  const result = { counts: tally.counts(), remaining: nothingRemains, worked: 0, hasThrottled: false };

  it('has sent something when the database goes away', () => {
    const error = new StoreError('store-unavailable', 'The database is away.');
    const stopped = { kind: 'ledger', error } as const;
    const nothingSent = endingOfRun('b-1', { ...result, stopped });
    expect([exitCodeOf(nothingSent), nothingSent?.message]).toEqual([
      5,
      expect.stringContaining('sent nothing'),
    ]);
    const ending = endingOfRun('b-1', { ...result, stopped, hasThrottled: true });
    expect([exitCodeOf(ending), ending?.code]).toEqual([7, 'ledger-lost']);
    expect(ending?.message).not.toContain('sent nothing');
  });

  it('has sent something when the key is refused', () => {
    const error = new ProfileError('The key is refused.', { code: 'bad-key' });
    const stopped = { kind: 'hopeless', error } as const;
    expect(exitCodeOf(endingOfRun('b-1', { ...result, stopped }))).toBe(4);
    const ending = endingOfRun('b-1', { ...result, stopped, hasThrottled: true });
    expect([exitCodeOf(ending), ending?.code]).toEqual([7, 'bad-key']);
  });
});

describe('what batch resume would do', () => {
  const unknownRows = (count: number) => {
    const tally = createTally({ action: 'refund', rows: 8 });
    tally.add({ outcome: 'done', planned: 1, currency: 'EUR', sum: '7.00' }, 8 - count);
    tally.add({ outcome: 'unknown', planned: 1, currency: 'EUR', sum: '1.00' }, count);
    return tally.counts();
  };
  const told = (...asked: Parameters<typeof endingOfRun>) => {
    const ending = endingOfRun(...asked);
    return [ending?.message.split('\n').at(-1), ...(ending?.next ?? []).map((step) => commandText(step))];
  };

  it('is to send what is left, with the flags that it needs, and to check what was sent', () => {
    const tally = createTally({ action: 'refund', rows: 9 });
    tally.add({ outcome: 'unknown', planned: 1, currency: 'EUR', sum: '1.00' }, 2);
    const remaining = { onlyChecked: 1, resendable: 2, heldMs: 0 };
    const result = { counts: tally.counts(), remaining, worked: 2, hasThrottled: false };
    expect(told('b-1', result, { sendingFlags: ['--confirm', 'app_1'] })).toEqual([
      'batch resume sends the remaining 6 rows, and checks the 3 that were sent.',
      'paydesk batch resume b-1 --confirm app_1',
      'paydesk batch report b-1',
    ]);
  });

  it('is only to read where every row left is checked', () => {
    const tally = createTally({ action: 'refund', rows: 2 });
    const result = {
      counts: tally.counts(),
      remaining: { ...nothingRemains, onlyChecked: 2 },
      worked: 0,
      hasThrottled: false,
    };
    expect(told('b-1', result, { sendingFlags: ['--confirm', 'app_1'] })).toEqual([
      'batch resume reads the payments and sends nothing.',
      'paydesk batch resume b-1',
      'paydesk batch report b-1',
    ]);
  });

  it('is a decision of a person once reads can settle nothing, and none again after it', () => {
    const remaining = { ...nothingRemains, resendable: 2 };
    const result = { counts: unknownRows(2), remaining, worked: 8, hasThrottled: false };
    expect(told('b-1', result)).toEqual([
      'The payments do not show the outcomes. You can decide to send them again: --resend-unmoved sends those whose payment is exactly as it was.',
      'paydesk batch resume b-1 --resend-unmoved',
      'paydesk batch report b-1',
    ]);
    expect(told('b-1', result, { resent: true })).toEqual([
      'paydesk does not send them again while their payments are not exactly as they were. batch report says more.',
      'paydesk batch report b-1',
    ]);
  });
});
