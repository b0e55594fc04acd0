// How an error is reported: one JSON document for programs; what happened, why and what to type next for people.

import { exitCodeOf, InterruptedError, OutputError, PaydeskError, storeFix, UsageError } from '../errors.js';
import { commandText, distinct } from '../next-command.js';
import { StoreError } from '../store/errors.js';
import { fitLines, longestWord } from './fit.js';
import { commandPiece, joinPieces, type Line, renderLines, toned, wrapLine } from './lines.js';
import type { JqFilter } from './jq.js';
import type { Streams, Unwritten } from './streams.js';
import { displayWidth, pad, safeJson } from './text.js';
import { loadTheme } from './theme.js';
import { tookTime } from './time.js';

/** One thing wrong with what was typed; a list of these in `details` is laid out in two columns. */
export interface UsageProblem {
  /** As typed: `--amount`, `PAYMENT`, `PAYDESK_PROFILE`. */
  input: string;
  value?: string;
  problem: string;
}

/** A required flag or argument that was not given. */
export interface Missing {
  name: string;
  input: string;
  problem: string;
}

export interface ErrorReport {
  code: string;
  message: string;
  exit: number;
  httpStatus?: number;
  details?: unknown;
  next: string[];
}

/** `profile` is the one that was chosen with `--profile`. */
export function describeError(error: unknown, profile?: string): ErrorReport {
  if (error instanceof PaydeskError) {
    return {
      code: error.code,
      message: error.message,
      exit: exitCodeOf(error),
      ...(error.httpStatus === undefined ? {} : { httpStatus: error.httpStatus }),
      ...(error.details === undefined ? {} : { details: error.details }),
      next: distinct([...storeFix(error.cause), ...error.next]).map((step) => commandText(step, profile)),
    };
  }
  if (error instanceof StoreError) {
    const next = storeFix(error).map((step) => commandText(step));
    return { code: error.code, message: error.message, exit: exitCodeOf(error), next };
  }
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return {
    code: 'bug',
    message: `This is a bug in paydesk: ${text}`,
    exit: exitCodeOf(error),
    next: [],
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isUsageProblem = (value: unknown): value is UsageProblem =>
  isObject(value) && typeof value['input'] === 'string' && typeof value['problem'] === 'string';

/** Two columns, the second wrapped beside itself, or below a name that leaves it no room. */
function columns(rows: ReadonlyArray<[string, string]>, width: number): Line[] {
  const left = Math.min(Math.max(...rows.map(([name]) => displayWidth(name))), Math.floor(width / 2));
  const room = width - left - 4;
  return rows.flatMap(([name, text]): Line[] => {
    const isBeside = displayWidth(name) <= left && longestWord(text) <= room;
    const parts = wrapLine(text, isBeside ? room : width - 4);
    if (!isBeside) return [`  ${name}`, ...parts.map((part) => joinPieces('    ', part))];
    return parts.map((part, index) => joinPieces('  ', pad(index === 0 ? name : '', left), '  ', part));
  });
}

/** Records with the same fields, side by side under their names; one below the other where that is too wide. */
function table(records: ReadonlyArray<Record<string, unknown>>, width: number): Line[] {
  const names = Object.keys(records[0] ?? {});
  const rows = [names, ...records.map((record) => names.map((name) => cell(record[name] ?? '(nothing)')))];
  const widths = names.map((_, index) => Math.max(...rows.map((row) => displayWidth(row[index] ?? ''))));
  if (widths.reduce((sum, one) => sum + one + 2, 0) > width) {
    return records.flatMap((record, number) => [
      ...(number === 0 ? [] : ['']),
      ...columns(
        names.map((name) => [name, cell(record[name] ?? '(nothing)')]),
        width,
      ),
    ]);
  }
  return rows.map((row, number) => {
    const text = row.map((value, index) => pad(value, widths[index] ?? 0)).join('  ');
    return joinPieces('  ', toned(number === 0 ? 'dim' : undefined, text.trimEnd()));
  });
}

const sameFields = (items: readonly unknown[]): items is ReadonlyArray<Record<string, unknown>> =>
  items.every(isObject) && new Set(items.map((item) => Object.keys(item).join())).size === 1;

const cell = (value: unknown): string => (typeof value === 'string' ? value : safeJson(value));

const isFieldError = (value: unknown): value is { path: string; message: string } =>
  isObject(value) && typeof value['path'] === 'string' && typeof value['message'] === 'string';

/** A detail of an error, unless the message has it: the code is for programs, and one bad field is in the message. */
function detailRows(key: string, value: unknown, report: ErrorReport): Array<[string, string]> {
  if (key === 'code' && value === report.code) return [];
  // The message has the beginning of it; the whole of it is for programs.
  if (key === 'body' && report.httpStatus !== undefined) return [];
  // The message says when it can be sent again.
  if (key === 'heldMs') return [];
  if (key === 'retryAfterMs' && typeof value === 'number') return [['retry after', tookTime(value)]];
  if (!Array.isArray(value) || value.length === 0 || !value.every(isFieldError)) return [[key, cell(value)]];
  return value
    .filter(({ message }) => !report.message.includes(message))
    .map(({ path, message }) => [path, message]);
}

/** What is wrong with what was typed, and what to type instead. */
function problemLines({ details }: Pick<ErrorReport, 'details'>, width: number): Line[] {
  const items: unknown[] = Array.isArray(details) ? details : [details];
  if (items.length === 0 || !items.every(isUsageProblem)) return [];
  return columns(
    items.map(({ input, value, problem }) => [value === undefined ? input : `${input} ${value}`, problem]),
    width,
  );
}

function detailLines(report: ErrorReport, width: number): Line[] {
  const { details } = report;
  if (details === undefined || details === null) return [];
  const problems = problemLines(report, width);
  if (problems.length > 0) return problems;
  const items: unknown[] = Array.isArray(details) ? details : [details];
  if (Array.isArray(details) && items.length > 0 && sameFields(items)) return table(items, width);
  return items.flatMap((item: unknown) => {
    if (isObject(item)) {
      const rows = Object.entries(item).flatMap(([key, value]) => detailRows(key, value, report));
      return rows.length === 0 ? [] : columns(rows, width);
    }
    return cell(item)
      .split('\n')
      .flatMap((text) => wrapLine(text, width - 2).map((part) => joinPieces('  ', part)));
  });
}

function stackLines(error: unknown): Line[] {
  const lines: Line[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const prefix = lines.length === 0 ? '' : 'caused by ';
    lines.push(...`${prefix}${cause.stack ?? cause.message}`.split('\n').map((text) => toned('dim', text)));
  }
  return lines;
}

/** What to type next, one command per line. */
export function nextLines(commands: readonly string[]): Line[] {
  return commands.map((command, index) =>
    joinPieces('  ', toned('dim', index === 0 ? 'Next:' : '     '), '  ', commandPiece({ text: command })),
  );
}

/** Whether the message says by itself that nothing was sent. */
export function saysNothingSent(error: unknown): boolean {
  if (!(error instanceof PaydeskError)) return false;
  if (error.saysNothingSent) return true;
  // Who could not use the database says what that means.
  return error.cause instanceof StoreError;
}

export function errorLines(
  error: unknown,
  options: { width: number; debug: boolean; profile?: string | undefined; nothingSent?: boolean },
): Line[] {
  const report = describeError(error, options.profile);
  const lines: Line[] = [];
  if (error instanceof InterruptedError) {
    // A question answered with no is not an error; Ctrl-C needs a word only where something could have been sent.
    if (report.code !== 'interrupted') lines.push(...report.message.split('\n'));
    else if (options.nothingSent) lines.push('Interrupted. Nothing was sent.');
  } else {
    const [first = '', ...rest] = report.message.split('\n');
    lines.push(...wrapLine(joinPieces(toned('bad', 'Error:'), ` ${first}`), options.width));
    lines.push(
      ...rest.flatMap((text) => wrapLine(text, options.width - 2).map((part) => joinPieces('  ', part))),
    );
  }
  if (options.nothingSent && !saysNothingSent(error)) lines.push('  Nothing was sent.');
  lines.push(...detailLines(report, options.width));
  if (report.code === 'bug' && !options.debug) {
    lines.push('  Run the same command with --debug for details.');
  }
  if (report.next.length > 0) {
    // Usage errors already say line by line what to type.
    if (!(error instanceof UsageError)) lines.push('');
    lines.push(...nextLines(report.next));
  }
  if (options.debug) lines.push(...stackLines(error));
  return lines;
}

interface ReportTarget {
  streams: Streams;
  json: false | 'document' | 'line';
  /** `--jq`: applied to errors as to results. */
  filter?: JqFilter | undefined;
  /** Stdout gets the document as it is, although there is a filter. */
  inFull?: boolean;
  debug: boolean;
  profile?: string | undefined;
  /** Whether the command changes something and provably has not. */
  nothingSent?: boolean;
}

/** Reports an error on the right stream; returns the exit code. */
export async function reportError(error: unknown, to: ReportTarget): Promise<number> {
  const { streams, debug, profile, nothingSent = false } = to;
  const report = describeError(error, profile);
  if (to.json !== false) await printDocument(report, to);
  const { terminal, width } = streams.stderr;
  // A whole document on stdout says everything, and what a filter leaves of it may say nothing.
  const isShort = to.json !== false && to.filter === undefined;
  const unfitted = isShort
    ? [...shortLine(error, report), ...problemLines(report, width), ...(debug ? stackLines(error) : [])]
    : errorLines(error, { width, debug, profile, nothingSent });
  const lines = terminal ? fitLines(unfitted, width) : unfitted;
  if (lines.length > 0) streams.writeError(renderLines(lines, await loadTheme(streams.stderr.colour)));
  return report.exit;
}

/** Prints an error as JSON: as it is where the filter cannot be applied to it. */
async function printDocument(report: ErrorReport, to: ReportTarget): Promise<void> {
  const { streams, filter, inFull = false } = to;
  const print = (text: string) => streams.write(streams.redact(text));
  const document = { error: report };
  if (filter !== undefined && !inFull) {
    const { filterJson } = await import('./jq.js');
    // A signal no longer reaches this command: a filter that does not end is not waited for.
    const stopping = { ...filter, signal: AbortSignal.abort() };
    const filtered = await filterJson(document, stopping).catch(() => undefined);
    if (filtered !== undefined) return print(filtered);
  }
  print(`${safeJson(document, { pretty: to.json === 'document' })}\n`);
}

/** A trace for scripts that keep stdout to themselves. */
export function shortLine(error: unknown, { message }: Pick<ErrorReport, 'message'>): Line[] {
  const [first = ''] = message.split('\n');
  return [error instanceof InterruptedError ? first : joinPieces(toned('bad', 'Error:'), ` ${first}`)];
}

const outputProblems: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file is too large',
  EIO: 'the disk cannot be written',
  EPIPE: 'the program that reads it has ended',
};

export function outputError(what: string, cause: NodeJS.ErrnoException): OutputError {
  const why = outputProblems[cause.code ?? ''] ?? cause.message;
  return new OutputError(`${what} could not be written: ${why}.`, { code: 'output-failed', cause });
}

/** Whether a write failed by the place that it goes to, and not by the name that was typed. */
export const isOutputProblem = ({ code = '' }: NodeJS.ErrnoException): boolean => code in outputProblems;

/**
 * Reports that stdout did not take the output. A command that changed something, or failed, prints it on stderr instead. `exit` is the code without this; returns the code with it.
 */
export async function reportUnwritten(
  { cause, text }: Unwritten,
  {
    streams,
    changed,
    mayChange,
    exit,
    debug,
  }: { streams: Streams; changed: boolean; mayChange: boolean; exit: number; debug: boolean },
): Promise<number> {
  const error = outputError('The output', cause);
  const code = exit === 0 ? exitCodeOf(error) : exit;
  // `paydesk payments list | head` is no reason to complain.
  if (cause.code === 'EPIPE' && !changed && (exit === 0 || !mayChange)) return code;
  const lines = errorLines(error, { width: streams.stderr.width, debug });
  const isOutcome = changed || exit !== 0;
  if (!isOutcome) lines.push('  Nothing was changed.');
  else if (exit === 0) lines.push('  The command was carried out. Its output:');
  streams.writeError(renderLines(lines, await loadTheme(streams.stderr.colour)));
  if (isOutcome) streams.writeError(text.endsWith('\n') ? text : `${text}\n`);
  return code;
}
