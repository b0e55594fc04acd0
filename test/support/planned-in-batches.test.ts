import { describe, expect, it } from 'vitest';
import type { WaitingBatch } from '../../src/ledger/moves/payment-record.js';
import { plannedInBatches } from '../../src/support/planned-in-batches.js';

const NOW = 1_763_000_000_000;
const refund: WaitingBatch = {
  id: 'b-1',
  action: 'refund',
  operator: 'ada\u001b[31m@desk-1',
  time: NOW - 120_000,
  reference_id: 'inv-1',
};

describe('what batches are going to do with a payment', () => {
  const textsFor = (batch: Partial<WaitingBatch>, referenceId: string | undefined) =>
    plannedInBatches([{ ...refund, ...batch }], { referenceId, now: NOW }).map(({ text }) => text);

  it('is told in a sentence, without control characters of whoever started it', () => {
    const [text] = textsFor({ action: 'unhold' }, 'inv-1');
    expect(text).toMatch(
      /^The approval of this payment is planned in batch b-1, which ada\S*@desk-1 started 2 minutes ago\. It has not been sent yet\.$/,
    );
    expect(text).not.toContain('\u001b');
  });

  it('is nothing where it only checks with the provider', () => {
    expect(textsFor({ action: 'recheck' }, 'inv-1')).toEqual([]);
  });

  it('is not told of another payment that got the same ID after a reset', () => {
    expect(textsFor({}, 'inv-2')).toEqual([]);
    expect(textsFor({}, undefined)).toHaveLength(1);
    expect(textsFor({ reference_id: null }, 'inv-2')).toHaveLength(1);
  });
});
