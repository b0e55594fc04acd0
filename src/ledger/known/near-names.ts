// Known payments whose name is the same as what was typed but for case, spaces, hyphens and dashes.

import type { Store } from '../../store/store.js';
import type { AppRef } from '../payment-ref.js';
import type { DeskTables, KnownPaymentRow } from '../schema.js';
import { createKnownSearch } from './search.js';
import { joinedWord } from './search-words.js';

const MAX_FOUND = 100;

const withoutMarks = (name: string): string =>
  name
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[\s\p{Pd}\u{2212}]/gu, '');

/** By reference or order number. What has this very reference is not among them: the service was asked for it. */
export async function findNearNames(
  store: Store<DeskTables>,
  app: AppRef,
  typed: string,
): Promise<KnownPaymentRow[]> {
  const word = joinedWord(typed);
  if (word === '') return [];
  const meant = withoutMarks(typed);
  const isMeant = (name: string | null) => name !== null && withoutMarks(name) === meant;
  const rows = await createKnownSearch(store, app).find([{ text: word, prefix: false }], {}, MAX_FOUND);
  return rows.filter(
    ({ payment_id, reference_id, order_id }) =>
      (isMeant(reference_id) || isMeant(order_id)) && payment_id !== typed && reference_id !== typed,
  );
}
