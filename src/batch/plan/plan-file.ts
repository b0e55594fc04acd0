// A plan as a file: one JSON document with one row per line, so that other programs can read it as a whole and paydesk
// can read it row by row. It is sealed with the key of its ledger: an edited plan is refused.

import { commandText, paydesk } from '../../next-command.js';
import { createHmac, type Hmac, randomInt } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  isJsonNumber,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  numberJson,
  numberText,
  parseJson,
  totalsJson,
} from '../../contract/json.js';
import { datedId } from '../../dated-id.js';
import { GuardError, UsageError } from '../../errors.js';
import { fileProblem, isSystemError } from '../../file-problem.js';
import type { SheetFormat } from '../../spreadsheet/sheet.js';
import { batchActions, type BatchAction, type PlanRow, type PlanSummary } from './plan-row.js';

export interface PlanHeader {
  paydesk: 'plan';
  version: 1;
  id: string;
  action: BatchAction;
  baseUrl: string;
  appId: string;
  kind: 'sandbox' | 'live';
  profile: string | null;
  /** The identity of the ledger that it was made on. */
  ledger: string;
  createdTime: string;
  /** How the file was read that it was made from. */
  file: SheetFormat;
}

export interface PlanFile extends PlanSummary {
  header: PlanHeader;
  digest: string;
}

/** Makes a new plan; the words in capitals are for the reader to replace. */
export const PLAN_COMMAND = paydesk('batch', 'plan', 'FILE.csv', '--action', '…', '--out', 'PLAN.json');

/** What a plan that is made now is for. */
export function planHeader(
  action: BatchAction,
  app: { baseUrl: string; appId: string; kind: 'sandbox' | 'live'; profile: string | undefined },
  { ledger, now, file }: { ledger: string; now: Date; file: SheetFormat },
): PlanHeader {
  return {
    paydesk: 'plan',
    version: 1,
    id: datedId(now, 6, randomInt),
    action,
    ...app,
    profile: app.profile ?? null,
    ledger,
    createdTime: now.toISOString(),
    file,
  };
}

/** How every plan begins. */
export const PLAN_START = '{"paydesk":"plan"';

const MAX_LINE_LENGTH = 1024 * 1024;

/** Unprintable characters are written out, so that a plan can be looked at safely. */
type WriteJson = (value: unknown) => string;

/** The text of a plan, line by line. */
export async function* planLines(
  header: PlanHeader,
  rows: AsyncIterable<PlanRow>,
  summary: PlanSummary,
  { key, json }: { key: string; json: WriteJson },
): AsyncGenerator<string> {
  const seal = createHmac('sha256', key);
  const sealed = (line: string): string => {
    seal.update(line);
    return line;
  };
  yield sealed(`${json(header).slice(0, -1)},"rows":[\n`);
  let waiting: string | undefined;
  for await (const row of rows) {
    if (waiting !== undefined) yield sealed(`${waiting},\n`);
    waiting = json(rowJson(row));
  }
  if (waiting !== undefined) yield sealed(`${waiting}\n`);
  const { counts, totals, failedTotals } = summary;
  const sums = `"totals":${json(totalsJson(totals))},"failedTotals":${json(totalsJson(failedTotals))}`;
  yield sealed(`],"counts":${json(counts)},${sums},\n`);
  yield `"digest":"${seal.digest('hex')}"}\n`;
}

/** Ids and amounts are numbers in the document, and texts in the program, which never calculates with them. */
function rowJson({ file, ...row }: PlanRow): object {
  return {
    ...row,
    next: row.next && commandText(row.next),
    payment: numberJson(row.payment),
    amount: numberJson(row.amount),
    method: numberJson(row.method),
    ...(file === undefined ? {} : { file: { ...file, amount: numberJson(file.amount) } }),
  };
}

function rowOf(value: JsonValue): PlanRow {
  const { line, next, ...rest } = value as JsonObject;
  const step = next === undefined ? {} : { next: { text: next } };
  return { line, ...(withTexts(rest) as object), ...step } as unknown as PlanRow;
}

/** Every number as the text that it was written with; counts stay numbers. */
function withTexts(value: JsonValue): JsonValue {
  if (isJsonNumber(value)) return numberText(value);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, key === 'counts' ? entry : withTexts(entry)]),
  );
}

/** What a plan is for; the rest of it is not looked at. */
export async function readPlanHeader(path: string): Promise<PlanHeader> {
  for await (const line of readLines(path)) return headerOf(line, path);
  throw notAPlan(path);
}

/** Reads every row, and throws at the end when the plan is not as it was written. */
export async function* readPlanRows(path: string, key: string): AsyncGenerator<PlanRow, PlanFile> {
  const seal = createHmac('sha256', key);
  let header: PlanHeader | undefined;
  let rows = 0;
  let tail: Omit<PlanSummary, 'rows'> | undefined;
  let digest: string | undefined;
  for await (const line of readLines(path)) {
    if (digest !== undefined) throw edited(path);
    if (tail !== undefined) {
      digest = checkSeal(seal, line, path);
      continue;
    }
    seal.update(line);
    if (header === undefined) header = headerOf(line, path);
    else if (line.startsWith('],'))
      tail = withTexts(parsed(`{${line.slice(2, -2)}}`, path)) as Omit<PlanSummary, 'rows'>;
    else {
      rows += 1;
      yield rowOf(parsed(line.replace(/,?\n$/, ''), path));
    }
  }
  if (header === undefined) throw notAPlan(path);
  if (tail === undefined || digest === undefined) throw edited(path);
  return { header, ...tail, rows, digest };
}

/** The rows of a plan that was checked before; throws when the file is another one by now. */
export async function* rowsOfChecked(path: string, key: string, plan: PlanFile): AsyncGenerator<PlanRow> {
  const { digest } = yield* readPlanRows(path, key);
  if (digest !== plan.digest) throw edited(path);
}

function headerOf(line: string, path: string): PlanHeader {
  if (!line.startsWith(PLAN_START) || !line.endsWith(',"rows":[\n')) throw notAPlan(path);
  const header = parsed(`${line.slice(0, -',"rows":[\n'.length)}}`, path);
  if (!isJsonObject(header)) throw edited(path);
  if (header.version !== 1) {
    throw new UsageError(`${path} is a plan of another format (${JSON.stringify(header.version)}).`, {
      code: 'plan-format',
      next: [PLAN_COMMAND],
    });
  }
  if (!isHeader(header)) throw edited(path);
  return header;
}

/** Decisions are made by the header before the whole plan was read and its seal checked. */
function isHeader(value: JsonObject): value is JsonObject & PlanHeader {
  const { id, action, baseUrl, appId, kind, profile, ledger, createdTime, file } = value;
  return (
    [id, baseUrl, appId, ledger, createdTime, profile ?? ''].every((text) => typeof text === 'string') &&
    batchActions.some((known) => known === action) &&
    (kind === 'sandbox' || kind === 'live') &&
    isJsonObject(file)
  );
}

function checkSeal(seal: Hmac, line: string, path: string): string {
  const digest = seal.digest('hex');
  if (line !== `"digest":"${digest}"}\n`) throw edited(path);
  return digest;
}

function parsed(text: string, path: string): JsonValue {
  try {
    return parseJson(text);
  } catch {
    throw edited(path);
  }
}

async function* readLines(path: string): AsyncGenerator<string> {
  let rest = '';
  try {
    for await (const chunk of createReadStream(path, { encoding: 'utf8' }) as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > MAX_LINE_LENGTH) throw notAPlan(path);
      for (const line of lines) yield `${line}\n`;
    }
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new UsageError(`The plan ${path} cannot be read: ${fileProblem(error)}.`, {
      code: 'plan-not-readable',
      cause: error,
    });
  }
  if (rest !== '') yield rest;
}

const notAPlan = (path: string) =>
  new UsageError(`${path} is not a plan.`, {
    code: 'not-a-plan',
    next: [PLAN_COMMAND],
  });

const edited = (path: string) =>
  new GuardError(`${path} was edited or cut short after paydesk wrote it. Nothing was sent.`, {
    code: 'plan-edited',
    next: [PLAN_COMMAND],
  });
