import { parseJson } from '../contract/json.js';
import { UsageError } from '../errors.js';
import { type FilterRunOptions, runFilter } from './filter-runner.js';
import { safeJson, safeText } from './text.js';

/** What a filter could not be applied to; the command behind it has done its work. */
export class FilterFailure extends Error {
  readonly value: unknown;
  /** Whether it ran for too long, and might have succeeded. */
  readonly wasStopped: boolean;

  constructor(why: string, { value, wasStopped }: { value: unknown; wasStopped: boolean }) {
    super(why);
    this.name = 'FilterFailure';
    this.value = value;
    this.wasStopped = wasStopped;
  }
}

/** What `--jq` asks for, and how it is run. */
export interface JqFilter extends FilterRunOptions {
  expression: string;
  /** Strings are made safe for a terminal; everywhere else they are exact. */
  forTerminal?: boolean;
}

/** Refuses an expression that jq cannot compile, before anything is sent. Without input, jq only compiles it. */
export async function checkFilter({ expression, ...options }: JqFilter): Promise<void> {
  const finished = await runFilter({ text: '', expression }, options);
  if (finished?.complaint !== undefined)
    throw new UsageError('Invalid --jq filter.', { code: 'bad-filter', details: finished.complaint });
}

/** Why an expression fails: the value that `catch` gets, because jq's text for people names a file of its own. */
async function failureOf(
  text: string,
  { expression, ...options }: JqFilter,
  complaint: string,
): Promise<string> {
  const caught = await runFilter({ text, expression: `try ((${expression}\n) | empty) catch .` }, options);
  if (caught === undefined || caught.complaint !== undefined || caught.output === '') return complaint;
  const value = parseJson(caught.output);
  return typeof value === 'string' ? value : safeJson(value);
}

/** Safe for a terminal. Tabs and line ends stay: `@tsv` and joined lines are written on purpose. */
function bareText(text: string): string {
  return text
    .split(/([\n\t])/)
    .map((part) => (part === '\n' || part === '\t' ? part : safeText(part)))
    .join('');
}

/** What `--jq` prints: bare strings, one compact result per line; a single object or list is laid out. */
export async function filterJson(value: unknown, filter: JqFilter): Promise<string> {
  const text = safeJson(value);
  const { expression, ...options } = filter;
  const finished = await runFilter({ text, expression }, options);
  if (finished === undefined)
    throw new FilterFailure('it was stopped before it ended', { value, wasStopped: true });
  const { output, complaint } = finished;
  if (complaint !== undefined) {
    const why = await failureOf(text, filter, complaint);
    throw new FilterFailure(why, { value, wasStopped: false });
  }
  const results = output.split('\n').filter((line) => line !== '');
  return results
    .map((line) => {
      const result = parseJson(line);
      if (typeof result === 'string') return `${filter.forTerminal ? bareText(result) : result}\n`;
      return `${safeJson(result, { pretty: results.length === 1 })}\n`;
    })
    .join('');
}
