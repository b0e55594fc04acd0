// A provider's file against the service: which lines agree, which do not, and what to do about those. Nothing is changed.

import { firstLine, UsageError } from '../errors.js';
import type { Period } from '../ledger/known/settled.js';
import { createFileProblems, type FileProblems } from '../spreadsheet/problems.js';
import type { Exception } from './exception.js';
import type { ExplainTools } from './explain-exceptions.js';
import { explainLines } from './explain-lines.js';
import type { FileReading, LeftOut, MentionSearch, SettlementLine } from './line.js';
import { findMissing, type MissingPayments } from './missing.js';
import { watchRecords } from './known-changes.js';
import { type Pass, matchFile, type PassTools } from './pass.js';
import { openCandidateStaging, type CandidateStaging } from './staging.js';
import type { TotalRow } from './tally.js';

type ReconcileTools = Omit<PassTools, 'staging'> &
  ExplainTools & {
    /** Called when the comparison begins, and when it begins again. */
    onBegin: () => void;
  };

export interface Reconciled {
  lines: number;
  matched: number;
  /** Lines that need attention. */
  exceptions: number;
  /** Lines of other kinds that name no payment. */
  unrelated: number;
  /** Per currency and kind; the parts of each come to what the file has. */
  totals: TotalRow[];
  /** What was booked for lines that were paid in another currency, which is in no total. */
  exchanged: Array<{ currency: string; lines: number; amount: string }>;
  /** Payments that the file lacks, likewise. */
  missing: TotalRow[];
  /** Payments that the file may lack: the service did not show them. */
  unreadable: number;
  /** Entries and lines that were left out. */
  leftOut: Record<LeftOut, number>;
  /** A column that says which lines succeeded, and that the mapping ignores. */
  ignoredStatus: string | undefined;
  /** Neither the mapping nor a sign says which lines are refunds. */
  hidesRefunds: boolean;
  /** A line is about a known payment. */
  hasMatch: boolean;
  /** From the first to the last day of the file; undefined where it has no dates. */
  days: Period | undefined;
  /** Undefined where neither the file nor the caller has dates: then nobody can say what the file lacks. */
  period: Period | undefined;
  /** Exceptions in order of their lines, then the payments that the file lacks. */
  all(): AsyncGenerator<Exception>;
  close(): Promise<void>;
}

type OpenFile = (problems: FileProblems, options: FileReading) => AsyncIterable<readonly SettlementLine[]>;

/** `open` reads the file from its beginning, and is called again to search its texts and when the reads showed something new. */
export async function reconcile(
  tools: ReconcileTools,
  open: OpenFile,
  given: Partial<Period>,
): Promise<Reconciled> {
  const staging = await openCandidateStaging();
  try {
    return await reconcileWith(tools, staging, open, given);
  } catch (error) {
    await staging.close();
    throw error;
  }
}

/** Payments that change all the time must not keep it from ending. */
const MAX_ROUNDS = 4;

const nothingLeftOut = (): Reconciled['leftOut'] => ({ 'not-booked': 0, status: 0, total: 0 });

async function reconcileWith(
  tools: ReconcileTools,
  staging: CandidateStaging,
  open: OpenFile,
  given: Partial<Period>,
): Promise<Reconciled> {
  let leftOut = nothingLeftOut();
  let ignoredStatus: string | undefined;
  const readFile = () => {
    leftOut = nothingLeftOut();
    const problems = createFileProblems('bad-file');
    const lines = open(problems, {
      onLeftOut: (why) => void (leftOut[why] += 1),
      onIgnoredStatus: (column) => void (ignoredStatus = column),
    });
    return matchFile({ ...tools, staging }, lines, problems);
  };
  async function* readTexts(search: MentionSearch) {
    const problems = createFileProblems('bad-file');
    yield* open(problems, { search });
    problems.throwIfAny();
  }
  for (let round = 1; ; round += 1) {
    tools.onBegin();
    let pass = await readFile();
    if (await lookUpReferences(tools, staging)) pass = await readFile();
    const period = periodOf(given, pass.period);
    const { records, hasChanged } = watchRecords(tools, tools.records);
    const watched = { ...tools, records, readTexts, ignoredStatus };
    await explainLines(watched, staging, pass);
    const missing = period ? await findMissing(watched, staging, pass, period) : undefined;
    // What was read is known from now on. Reading the file again gives what the next run will give.
    if (!hasChanged() || round === MAX_ROUNDS)
      return resultOf(pass, { missing, period, leftOut, ignoredStatus, staging });
  }
}

function resultOf(
  { tally, exchanged, hidesRefunds, hasMatch, period: days }: Pass,
  {
    missing,
    staging,
    ...ofFile
  }: { missing: MissingPayments | undefined; staging: CandidateStaging } & Pick<
    Reconciled,
    'period' | 'leftOut' | 'ignoredStatus'
  >,
): Reconciled {
  if (!tally.balances()) throw new Error('the totals of the file do not balance');
  return {
    lines: tally.count('file'),
    matched: tally.count('matched'),
    exceptions: tally.count('exceptions'),
    unrelated: tally.count('unrelated'),
    totals: tally.rows(),
    exchanged: exchanged.rows().map(({ currency, file }) => ({ currency, ...file })),
    missing: missing?.totals.rows() ?? [],
    unreadable: missing?.unreadable ?? 0,
    hidesRefunds,
    hasMatch,
    days,
    ...ofFile,
    all: () => staging.exceptions(),
    close: () => staging.close(),
  };
}

/** What was given goes before what the file has. */
function periodOf(given: Partial<Period>, ofFile: Period | undefined): Period | undefined {
  const since = given.since ?? ofFile?.since;
  const until = given.until ?? ofFile?.until;
  if (since === undefined || until === undefined) return undefined;
  if (since <= until) return { since, until };
  const [first, last] = [since, until].map((time) => new Date(time).toISOString().slice(0, 10));
  const problem = `The period ends before it starts: ${first} to ${last}.`;
  throw new UsageError(`${problem} Correct --since or --until.`, { code: 'bad-period' });
}

/**
 * Asks the service for the references of lines that no known payment matches. Whether any of them became known: before
 * that, nobody can say that the service does not have them.
 */
async function lookUpReferences(
  { readAll, records, onRead }: ExplainTools,
  staging: CandidateStaging,
): Promise<boolean> {
  let found = false;
  for await (const references of staging.openReferences()) {
    const results = await readAll(references.map((referenceId) => ({ referenceId })));
    onRead(references.length);
    const reads = results.flatMap((result, index) =>
      'read' in result && result.read.fields.referenceId === references[index] ? [result.read] : [],
    );
    found ||= reads.length > 0;
    await records.remember(reads);
    await staging.noteAsked(
      results.flatMap((result, index) => {
        const reference = references[index] as string;
        if ('read' in result) return reads.includes(result.read) ? [] : [{ reference, problem: undefined }];
        const { code, message } = result.error;
        return [{ reference, problem: code === 'not-found' ? undefined : firstLine(message) }];
      }),
    );
  }
  return found;
}
