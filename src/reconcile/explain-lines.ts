// The lines that did not simply agree: their payments are read afresh, and what still differs becomes an exception.

import { findSameAmount, type SettledRow } from '../ledger/known/settled.js';
import type { Exception } from './exception.js';
import {
  buildException,
  type ExplainTools,
  type FreshPayment,
  type FreshPayments,
  readFresh,
} from './explain-exceptions.js';
import type { SettlementLine } from './line.js';
import { type FileEvidence, findEvidence, namesOf, objectionTo } from './objection.js';
import type { Pass, PassTools } from './pass.js';
import type { Candidate, CandidateStaging } from './staging.js';
import { findRelated, type RelatedTools } from './related.js';
import { idWithoutQuotes } from './id-without-quotes.js';
import { exceptionName, isOtherCapture } from './verdict.js';
import { DAY_MS } from '../day.js';
import { safeText } from '../output/text.js';

/** How far the provider's date may be from the payment's for the pair to be worth a look. */
const NEAR_MS = 3 * DAY_MS;
/** More suggestions than anybody goes through. */
const MAX_SUGGESTED = 1_000;

type LineTools = ExplainTools & {
  /** A column that says which lines succeeded, and that the mapping ignores. */
  ignoredStatus: string | undefined;
};

export async function explainLines(
  tools: LineTools & Pick<PassTools, 'store' | 'app' | 'signal'> & Pick<RelatedTools, 'readTexts'>,
  staging: CandidateStaging,
  pass: Pass,
): Promise<void> {
  const suggest = createSuggestions(tools, pass);
  await findRelated({ ...tools, staging });
  for await (const page of staging.pages(pass.hasCaptureIds)) {
    tools.signal.throwIfAborted();
    const known = knownIds(page);
    const fresh = await readFresh(tools, known.keys());
    tools.onRead(page.length);
    const references = page.flatMap(({ line, match }) =>
      match || line.reference === undefined ? [] : [line.reference],
    );
    const asked = await staging.askedFor(references);
    const evidence = await findEvidence({ ...tools, staging }, pass, { payments: known, fresh });
    const suggestions = await suggestFor(tools, page, suggest);
    const exceptions: Exception[] = [];
    for (const candidate of page) {
      const { line } = candidate;
      const found = candidate.match
        ? withPayment(tools, candidate, candidate.match, { fresh, evidence, pass })
        : withoutPayment(tools, line, asked.get(line.reference ?? ''), suggestions.get(line));
      pass.tally.add(found === undefined ? 'matched' : 'exceptions', line);
      if (found !== undefined) exceptions.push(found);
    }
    await staging.keep(exceptions);
  }
}

function withPayment(
  { options, ignoredStatus }: LineTools,
  { line, firstLine }: Candidate,
  { paymentId, knownId, by }: NonNullable<Candidate['match']>,
  {
    fresh,
    evidence,
    pass,
  }: { fresh: FreshPayments; evidence: (paymentId: string) => FileEvidence; pass: Pass },
): Exception | undefined {
  const { profile } = options;
  const found = fresh.get(paymentId);
  if (found === undefined || 'problem' in found) {
    const exception = found?.isMissing === true ? 'not-at-service' : 'unreadable';
    return buildException(line, { exception, matchedBy: by, problem: found?.problem, profile });
  }
  const ofPayment = evidence(paymentId);
  const isOnly = line.kind === 'capture' && !pass.seen.has('second-capture', knownId);
  const isOther = pass.hasCaptureIds && isOnly && hasOtherCapture(line, found);
  const exception =
    exceptionName(line, found.facts, firstLine, ofPayment.firstCapture) ??
    (isOther ? 'capture-id-differs' : undefined);
  if (exception === undefined) return undefined;
  const objection =
    objectionTo(found, ofPayment) ??
    (pass.hidesRefunds ? HIDDEN_REFUNDS : undefined) ??
    (ignoredStatus === undefined ? undefined : ignoredText(ignoredStatus));
  return buildException(line, { exception, payment: found, matchedBy: by, firstLine, objection, profile });
}

const ignoredText = (column: string): string =>
  `the mapping ignores the column ${safeText(column)}, and a charge may have failed`;

const HIDDEN_REFUNDS = 'the mapping does not tell refunds from captures: add kind or direction';

/** Of two captures, the later one is reported. One alone may be a second charge whose first one is in another file. */
const hasOtherCapture = (line: SettlementLine, payment: FreshPayment): boolean =>
  isOtherCapture(line, payment.facts) &&
  !namesOf(payment).some((name) => idWithoutQuotes(name) === idWithoutQuotes(line.operationId ?? ''));

const knownIds = (page: readonly Candidate[]): Map<string, number> =>
  new Map(page.flatMap(({ match }) => (match ? [[match.paymentId, match.knownId] as const] : [])));

function withoutPayment(
  { options: { profile } }: ExplainTools,
  line: SettlementLine,
  asked: { problem: string | undefined } | undefined,
  suggestion: SettledRow | undefined,
): Exception {
  if (asked?.problem !== undefined) {
    return buildException(line, { exception: 'unreadable', problem: asked.problem, suggestion, profile });
  }
  const isOther = line.kind !== 'capture' && line.kind !== 'refund' && line.kind !== 'chargeback';
  const exception = asked === undefined ? 'not-known' : 'not-at-service';
  return buildException(line, { exception: isOther ? 'other-kind' : exception, suggestion, profile });
}

/** Suggestions for the lines of no payment, each in the state that the service shows now. */
async function suggestFor(
  tools: ExplainTools,
  page: readonly Candidate[],
  suggest: (line: SettlementLine) => Promise<SettledRow | undefined>,
): Promise<Map<SettlementLine, SettledRow>> {
  const found = new Map<SettlementLine, SettledRow>();
  for (const { line, match } of page) {
    const row = match ? undefined : await suggest(line);
    if (row !== undefined) found.set(line, row);
  }
  const fresh = await readFresh(
    tools,
    [...found.values()].map((row) => row.payment_id),
  );
  for (const [line, row] of found) {
    const payment = fresh.get(row.payment_id);
    if (payment && 'facts' in payment) found.set(line, { ...row, state: payment.facts.state });
  }
  return found;
}

/** A payment of the same amount around the same time that no line of the file names: shown, and never taken for a match. */
function createSuggestions({ store, app }: Pick<PassTools, 'store' | 'app'>, { seen }: Pass) {
  let asked = 0;
  return async (line: SettlementLine): Promise<SettledRow | undefined> => {
    const { kind, currency, at } = line;
    if ((kind !== 'capture' && kind !== 'refund') || at === undefined || asked >= MAX_SUGGESTED)
      return undefined;
    asked += 1;
    const time = Date.parse(at);
    const near = await findSameAmount(
      store,
      app,
      { amount: line.amount.replace('-', ''), currency },
      { since: time - NEAR_MS, until: time + DAY_MS },
    );
    return near.find(({ id }) => !seen.has(kind, id));
  };
}
