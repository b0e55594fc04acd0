// One reading of the whole file against the known payments. It asks the ledger alone, a chunk of lines at a time.

import type { Period, SettledRow } from '../ledger/known/settled.js';
import type { AppRef } from '../ledger/payment-ref.js';
import type { DeskTables } from '../ledger/schema.js';
import type { FileProblems } from '../spreadsheet/problems.js';
import type { Store } from '../store/store.js';
import { isExact, toUnits } from '../contract/exact.js';
import { dayOf, idsOf, type SettlementLine } from './line.js';
import { type LineMatch, matchLines } from './match.js';
import { idWithoutQuotes } from './id-without-quotes.js';
import { createSeen, type SeenPayments } from './seen.js';
import type { Candidate, CandidateMatch, CandidateStaging } from './staging.js';
import { createSettlementTally, type SettlementTally } from './tally.js';
import { exceptionName, isOwnCapture, type PaymentFacts } from './verdict.js';
import { DAY_MS } from '../day.js';

export interface PassTools {
  store: Store<DeskTables>;
  app: AppRef;
  staging: CandidateStaging;
  signal: AbortSignal;
  /** Otherwise only the signs of the amounts can say which lines are refunds. */
  tellsRefunds: boolean;
  onProgress: (lines: number) => void;
}

export interface Pass {
  tally: SettlementTally;
  /** What was booked for lines that were paid in another currency. */
  exchanged: SettlementTally;
  seen: SeenPayments;
  /** The provider profiles of the payments that the file names. */
  profiles: Set<string>;
  /** Some line has the capture ID of its payment, so the IDs of this file are capture IDs. */
  hasCaptureIds: boolean;
  /** Neither the mapping nor a sign says which lines are refunds: each line that looks like a capture may be one. */
  hidesRefunds: boolean;
  /** A line is about a known payment. */
  hasMatch: boolean;
  /** From the first to the last day of the file, in UTC; undefined where it has no dates. */
  period: Period | undefined;
}

/** Refuses a file with bad lines, once all of it was read. */
export async function matchFile(
  { store, app, staging, signal, tellsRefunds, onProgress }: PassTools,
  lines: AsyncIterable<readonly SettlementLine[]>,
  problems: FileProblems,
): Promise<Pass> {
  const [tally, otherCaptures, exchanged] = [
    createSettlementTally(),
    createSettlementTally(),
    createSettlementTally(),
  ];
  const seen = createSeen();
  const profiles = new Set<string>();
  const period = createPeriod();
  let done = 0;
  let [hasCaptureIds, hidesRefunds, hasMatch] = [false, !tellsRefunds, false];
  await staging.clear();
  for await (const { chunk, matches } of matchAhead({ store, app, signal }, lines, problems)) {
    const candidates: Candidate[] = [];
    const unnamed: SettlementLine[] = [];
    for (let index = 0; index < chunk.length; index += 1) {
      const line = chunk[index] as SettlementLine;
      const match = matches[index];
      // It may take back any charge of its amount: an ID or a reference that nobody knows is often one of the refund itself.
      if (match === undefined && line.kind !== 'capture') unnamed.push(line);
      if (line.isNotBooked) {
        candidates.push(evidenceOf(line, match));
        continue;
      }
      tally.add('file', line);
      if (line.booked) exchanged.add('file', { ...line.booked, kind: '' });
      period.see(line.at);
      hidesRefunds &&= line.kind === 'capture';
      hasMatch ||= match !== undefined;
      const { group, candidate } = place(line, match, seen);
      if (match?.known.provider_profile) profiles.add(match.known.provider_profile);
      hasCaptureIds ||= line.kind === 'capture' && hasCaptureId(line, match?.known);
      if (group !== undefined) tally.add(group, line);
      if (candidate !== undefined) candidates.push(candidate);
      if (candidate?.isOtherCapture) otherCaptures.add('file', line);
    }
    await staging.add(candidates);
    await staging.addUnnamed(unnamed);
    onProgress((done += chunk.length));
  }
  problems.throwIfAny();
  if (!hasCaptureIds) {
    for (const { file, ...kind } of otherCaptures.rows())
      tally.add('matched', { ...kind, amount: file.amount }, file.lines);
  }
  return { tally, exchanged, seen, profiles, hasCaptureIds, hidesRefunds, hasMatch, period: period.days() };
}

const hasCaptureId = ({ operationId }: SettlementLine, known: SettledRow | undefined): boolean =>
  operationId !== undefined && operationId === known?.capture_id;

interface MatchedChunk {
  chunk: readonly SettlementLine[];
  matches: ReadonlyArray<LineMatch | undefined>;
}

/** While the database looks for the payments of one chunk, the next one is read: the two use a core each. */
async function* matchAhead(
  { store, app, signal }: Pick<PassTools, 'store' | 'app' | 'signal'>,
  lines: AsyncIterable<readonly SettlementLine[]>,
  problems: FileProblems,
): AsyncGenerator<MatchedChunk> {
  let ahead: Promise<MatchedChunk> | undefined;
  for await (const chunk of lines) {
    signal.throwIfAborted();
    if (problems.count > 0) continue;
    const next = matchLines(store, app, chunk).then((matches) => ({ chunk, matches }));
    // A failure is thrown when its turn comes.
    next.catch(() => {});
    if (ahead) yield await ahead;
    ahead = next;
  }
  if (ahead) yield await ahead;
}

interface Placed {
  /** Undefined until the payment has been read, or all of the file. */
  group?: 'matched' | 'unrelated';
  candidate?: Candidate;
}

const MATCHED: Placed = { group: 'matched' };

/** A line that agrees is done; one of another kind that names no payment is only added up; the others are candidates. */
function place(line: SettlementLine, match: LineMatch | undefined, seen: SeenPayments): Placed {
  const { kind } = line;
  const isMove = kind === 'capture' || kind === 'refund';
  const isNamed = (line.providerReference ?? line.operationId ?? line.reference) !== undefined;
  if (match === undefined) {
    return isMove || kind === 'chargeback' || isNamed
      ? { candidate: { line, match: undefined, firstLine: undefined } }
      : { group: 'unrelated' };
  }
  const { known } = match;
  if (isOwnFee(line, known)) return MATCHED;
  const firstLine = isMove ? seen.mark(kind, known.id, line.line) : undefined;
  if (kind === 'capture' && firstLine !== undefined) seen.mark('second-capture', known.id, line.line);
  const facts = factsOf(known);
  if (kind === 'capture' && firstLine === undefined && !isOwnCapture(line, facts)) {
    seen.mark('unproven-capture', known.id, line.line);
  }
  const agrees = exceptionName(line, facts, firstLine) === undefined && wasReadSinceCapture(match);
  const found = candidateMatch(line, match);
  const { foreign } = found;
  if (agrees && foreign.length === 0) return MATCHED;
  const candidate = { line, match: found, firstLine };
  if (!agrees) return { candidate };
  const isOtherCapture =
    kind === 'capture' && known.capture_id !== null && foreign.includes(line.operationId ?? '');
  if (isOtherCapture) return { candidate: { ...candidate, agrees, isOtherCapture } };
  // The line is kept as evidence: its ID may be that of a second charge of this payment or of another one.
  return { group: 'matched', candidate: { ...candidate, agrees } };
}

/** A fee takes less than the payment brought in. One that comes back, or takes it all, may say that the charge was returned. */
const isOwnFee = ({ kind, amount, currency }: SettlementLine, known: SettledRow): boolean =>
  kind === 'fee' &&
  amount.startsWith('-') &&
  currency === known.currency &&
  known.amount !== null &&
  isExact(known.amount) &&
  -toUnits(amount) < toUnits(known.amount);

/** A line that is no money yet needs no look of its own. It is kept because of what it says about others. */
const evidenceOf = (line: SettlementLine, match: LineMatch | undefined): Candidate => ({
  line,
  match: match && candidateMatch(line, match),
  firstLine: undefined,
  agrees: true,
});

const candidateMatch = (line: SettlementLine, match: LineMatch): CandidateMatch => ({
  paymentId: match.known.payment_id,
  knownId: match.known.id,
  by: match.by,
  foreign: foreignIdsOf(line, match),
});

const NO_IDS: readonly string[] = [];

/** The IDs and references of the line that its payment does not have. */
function foreignIdsOf(line: SettlementLine, { known }: LineMatch): readonly string[] {
  const own = [
    known.provider_reference,
    known.capture_id,
    known.authorize_id,
    known.reference_id,
    known.payment_id,
  ];
  const others = idsOf(line).filter((id) => !own.includes(id));
  if (others.length === 0) return NO_IDS;
  const plain = own.flatMap((id) => (id === null ? [] : [idWithoutQuotes(id)]));
  return others.filter((id) => !plain.includes(idWithoutQuotes(id)));
}

/** Otherwise a read may show a fee to compare, or that only a part was captured. */
const wasReadSinceCapture = ({ known }: LineMatch): boolean => known.captured_amount !== null;

export function factsOf(known: SettledRow): PaymentFacts {
  return {
    state: known.state,
    amount: known.amount ?? undefined,
    capturedAmount: known.captured_amount ?? undefined,
    currency: known.currency ?? undefined,
    fee: known.provider_fee ?? undefined,
    captureId: known.capture_id ?? undefined,
    authorizeId: known.authorize_id ?? undefined,
  };
}

function createPeriod() {
  let first: string | undefined;
  let last: string | undefined;
  return {
    see(at: string | undefined): void {
      if (at === undefined) return;
      const day = dayOf(at);
      if (first === undefined || day < first) first = day;
      if (last === undefined || day > last) last = day;
    },
    days(): Period | undefined {
      if (first === undefined || last === undefined) return undefined;
      return { since: Date.parse(first), until: Date.parse(last) + DAY_MS - 1 };
    },
  };
}
