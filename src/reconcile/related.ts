// Which lines may be about a payment with a second charge, although they do not match it: such a line may take the charge
// back. All lines are looked through once, for the names of these payments alone.

import { settledByIds, type SettledRow } from '../ledger/known/settled.js';
import { idWithoutPunctuation } from './id-without-punctuation.js';
import { idsOf } from './line.js';
import { createNameFilter, type NameFilter } from './name-filter.js';
import { MAX_EVIDENCE } from './objection.js';
import type { PassTools } from './pass.js';
import type { PossibleName } from './staged-names.js';
import type { Candidate } from './staging.js';

export async function findRelated({
  store,
  staging,
  signal,
}: Pick<PassTools, 'store' | 'staging' | 'signal'>): Promise<void> {
  let filter: NameFilter | undefined;
  for await (const payments of staging.secondPayments()) {
    signal.throwIfAborted();
    filter ??= createNameFilter();
    const lines = [...(await staging.linesOf(payments, MAX_EVIDENCE)).values()].flat();
    const ids = new Set(lines.flatMap(({ match }) => (match ? [match.knownId] : [])));
    const rows = await settledByIds(store, [...ids]);
    const names = [...lines.flatMap(namesInLine), ...rows.flatMap(knownNames)];
    for (const name of await staging.addNames(names)) filter.add(name);
  }
  if (filter === undefined) return;
  for await (const page of staging.all()) {
    signal.throwIfAborted();
    const names: PossibleName[] = [];
    for (const candidate of page) names.push(...possibleNames(candidate, filter));
    await staging.addRelated(names);
  }
}

interface Name {
  paymentId: string;
  id: string;
}

const namesInLine = ({ line, match }: Candidate): Name[] =>
  match === undefined ? [] : idsOf(line).map((id) => ({ paymentId: match.paymentId, id }));

const knownNames = (row: SettledRow): Name[] =>
  [row.payment_id, row.reference_id, row.provider_reference, row.capture_id, row.authorize_id].flatMap((id) =>
    id === null ? [] : [{ paymentId: row.payment_id, id }],
  );

/** An ID that a line has of its own payment may contain one of another payment, as `ord-1-2` contains `ord-1`. */
function possibleNames({ line, match }: Candidate, filter: NameFilter): PossibleName[] {
  return idsOf(line).flatMap((id) => {
    const bare = idWithoutPunctuation(id);
    const isOwn = match !== undefined && !match.foreign.includes(id);
    const names = isOwn ? [bare.text] : filter.possibleNames(bare);
    return names.map((name) => ({
      name,
      mayBePart: !isOwn && name === bare.text,
      line: line.line,
      paymentId: match?.paymentId,
    }));
  });
}
