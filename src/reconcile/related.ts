// Which lines may be about a payment with a second charge, although they do not match it: such a line may take the charge
// back. All lines are looked through once more, for the names of these payments alone.

import { settledByIds, type SettledRow } from '../ledger/known/settled.js';
import { idWithoutPunctuation } from './id-without-punctuation.js';
import { idsOf, type MentionSearch, type SettlementLine } from './line.js';
import { matchLines } from './match.js';
import { createNameSearch, type NameSearch } from './mentions.js';
import { MAX_EVIDENCE } from './objection.js';
import type { PassTools } from './pass.js';
import type { PossibleName } from './staged-names.js';
import type { Candidate } from './staging.js';

export type RelatedTools = Pick<PassTools, 'store' | 'app' | 'staging' | 'signal'> & {
  /** Reads the file from its beginning, with all of its texts. */
  readTexts(search: MentionSearch): AsyncIterable<readonly SettlementLine[]>;
};

export async function findRelated(tools: RelatedTools): Promise<void> {
  const search = await searchForSeconds(tools);
  if (search === undefined) return;
  await findInIds(tools, search);
  await findInTexts(tools, search);
}

/** Undefined where no payment has a second line. */
async function searchForSeconds({ store, staging, signal }: RelatedTools): Promise<NameSearch | undefined> {
  let search: NameSearch | undefined;
  for await (const payments of staging.secondPayments()) {
    signal.throwIfAborted();
    search ??= createNameSearch();
    const lines = [...(await staging.linesOf(payments, MAX_EVIDENCE)).values()].flat();
    const ids = new Set(lines.flatMap(({ match }) => (match ? [match.knownId] : [])));
    const rows = await settledByIds(store, [...ids]);
    const names = [...lines.flatMap(namesInLine), ...rows.flatMap(knownNames)];
    search.add(
      names.map(({ id }) => id),
      await staging.addNames(names),
    );
  }
  return search;
}

async function findInIds({ staging, signal }: RelatedTools, search: NameSearch): Promise<void> {
  for await (const page of staging.all()) {
    signal.throwIfAborted();
    const names: PossibleName[] = [];
    for (const candidate of page) names.push(...possibleNames(candidate, search));
    await staging.addRelated(names);
  }
}

/** A line about another payment, or about none, that has a name in a text. */
async function findInTexts(
  { store, app, staging, signal, readTexts }: RelatedTools,
  search: NameSearch,
): Promise<void> {
  for await (const chunk of readTexts(search)) {
    signal.throwIfAborted();
    const lines = chunk.filter(({ mentions = [] }) => mentions.length > 0);
    if (lines.length === 0) continue;
    const matches = await matchLines(store, app, lines);
    const names = lines.flatMap(({ line, mentions = [] }, index) =>
      mentions.map(({ name, isWhole }) => ({
        name,
        mayBePart: isWhole,
        line,
        paymentId: matches[index]?.known.payment_id,
      })),
    );
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
function possibleNames({ line, match }: Candidate, search: NameSearch): PossibleName[] {
  return idsOf(line).flatMap((id) => {
    const bare = idWithoutPunctuation(id);
    const isOwn = match !== undefined && !match.foreign.includes(id);
    const names = isOwn ? [bare.text] : search.possibleNames(bare);
    return names.map((name) => ({
      name,
      mayBePart: !isOwn && name === bare.text,
      line: line.line,
      paymentId: match?.paymentId,
    }));
  });
}
