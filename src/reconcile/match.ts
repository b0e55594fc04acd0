// Which known payment a line means: by the provider's reference, then by the ID of the capture or the authorisation,
// then by our reference. Amount and date never decide.

import { findSettled, type SettledKey, type SettledRow } from '../ledger/known/settled.js';
import type { AppRef } from '../ledger/payment-ref.js';
import type { DeskTables } from '../ledger/schema.js';
import type { Store } from '../store/store.js';
import type { SettlementLine } from './line.js';

export type MatchedBy = 'provider-reference' | 'capture-id' | 'authorisation-id' | 'reference';

export interface LineMatch {
  known: SettledRow;
  by: MatchedBy;
}

const ways: ReadonlyArray<{
  by: MatchedBy;
  key: SettledKey;
  field: 'providerReference' | 'operationId' | 'reference';
}> = [
  { by: 'provider-reference', key: 'provider_reference', field: 'providerReference' },
  { by: 'capture-id', key: 'capture_id', field: 'operationId' },
  { by: 'authorisation-id', key: 'authorize_id', field: 'operationId' },
  { by: 'reference', key: 'reference_id', field: 'reference' },
];

/** For each line its payment, if one is known. Most chunks need one query. */
export async function matchLines(
  store: Store<DeskTables>,
  app: AppRef,
  lines: readonly SettlementLine[],
): Promise<Array<LineMatch | undefined>> {
  const found: Array<LineMatch | undefined> = Array.from({ length: lines.length });
  let open = lines.map((_, index) => index);
  for (const { by, key, field } of ways) {
    const values = new Set<string>();
    for (const index of open) {
      const value = lines[index]![field];
      if (value !== undefined) values.add(value);
    }
    if (values.size === 0) continue;
    const rows = byValue(await findSettled(store, app, key, [...values]), key);
    open = open.filter((index) => {
      const line = lines[index]!;
      const value = line[field];
      if (value === undefined) return true;
      const known = agreeing(rows, value, line);
      if (known === undefined) return true;
      found[index] = { known, by };
      return false;
    });
    if (open.length === 0) break;
  }
  return found;
}

type Found = Map<string, SettledRow | SettledRow[]>;

function byValue(rows: readonly SettledRow[], key: SettledKey): Found {
  const found: Found = new Map();
  for (const row of rows) {
    const value = row[key] as string;
    const before = found.get(value);
    if (before === undefined) found.set(value, row);
    else found.set(value, [...(Array.isArray(before) ? before : [before]), row]);
  }
  return found;
}

/** Of two payments with one reference, the one whose IDs or reference agree, or else the one that became known first. */
function agreeing(rows: Found, value: string, line: SettlementLine): SettledRow | undefined {
  const found = rows.get(value);
  if (!Array.isArray(found)) return found;
  const { operationId, reference } = line;
  const byId = found.filter((row) => operationId !== undefined && hasOperation(row, operationId));
  const byReference = found.filter(
    ({ reference_id }) => reference !== undefined && reference_id === reference,
  );
  const best = [byId, byReference, found].find(({ length }) => length > 0);
  return best?.toSorted((a, b) => a.id - b.id)[0];
}

/** Whether the payment has this capture or authorisation. */
export const hasOperation = ({ capture_id, authorize_id }: SettledRow, operationId: string): boolean =>
  capture_id === operationId || authorize_id === operationId;
