// Whether a read showed more of a payment than the lines of the file were compared with.

import { shortDecimal } from '../contract/money.js';
import { type ComparedRow, comparedRows } from '../ledger/known/settled.js';
import { idOf } from '../payments/named-payments.js';
import type { Records } from '../support/records.js';
import type { PassTools } from './pass.js';

interface WatchedRecords {
  records: Records;
  /** Whether any payment is known differently than before it was read. */
  hasChanged(): boolean;
}

export function watchRecords(
  { store, app }: Pick<PassTools, 'store' | 'app'>,
  inner: Records,
): WatchedRecords {
  let changed = false;
  return {
    records: {
      ...inner,
      async remember(reads) {
        const fingerprint = async () => fingerprintOf(await comparedRows(store, app, reads.map(idOf)));
        const before = await fingerprint();
        await inner.remember(reads);
        changed ||= before !== (await fingerprint());
      },
    },
    hasChanged: () => changed,
  };
}

/** The same for amounts that differ only in the zeros at their end. */
const fingerprintOf = (rows: readonly ComparedRow[]): string =>
  JSON.stringify(
    rows.map((row) => ({
      ...row,
      amount: row.amount && shortDecimal(row.amount),
      captured_amount: row.captured_amount && shortDecimal(row.captured_amount),
      provider_fee: row.provider_fee && shortDecimal(row.provider_fee),
    })),
  );
