import { parseJson } from '../contract/json.js';
import { UsageError } from '../errors.js';
import { safeJson, safeText } from './text.js';

/** What a filter could not be applied to; the command behind it has done its work. */
export class FilterFailure extends Error {
  readonly value: unknown;

  constructor(why: string, value: unknown) {
    super(why);
    this.name = 'FilterFailure';
    this.value = value;
  }
}

interface Finished {
  output: string;
  /** What jq wrote to stderr; undefined when it succeeded. */
  complaint: string | undefined;
}

/** Larger ones do not fit on the stack of the jq that we have. */
const MAX_ARGUMENT_BYTES = 500_000;

let lastRun: Promise<unknown> = Promise.resolve();

/** One after another: two at a time would take each other's exit code for their own. */
function run(text: string, expression: string): Promise<Finished> {
  const finished = lastRun.then(() => runAlone(text, expression));
  lastRun = finished.catch(() => undefined);
  return finished;
}

/** This jq cuts each byte of its standard input off the rest: a Buffer lends the rest, any other array copies it. */
class BufferEncoder extends TextEncoder {
  override encode(text = '') {
    return Buffer.from(text);
  }
}

async function runAlone(text: string, expression: string): Promise<Finished> {
  const { default: jq } = await import('jq-wasm');
  // jq ends as a program does and leaves its exit code in the process. With some output before an error, nothing else
  // tells that it failed.
  const { exitCode } = process;
  const { TextEncoder: encoder } = globalThis;
  process.exitCode = undefined;
  globalThis.TextEncoder = BufferEncoder;
  try {
    const output = await jq.raw(...inputs(text, expression));
    return { output, complaint: process.exitCode ? 'it failed after its first results' : undefined };
  } catch (error) {
    return { output: '', complaint: error instanceof Error ? error.message : String(error) };
  } finally {
    process.exitCode = exitCode;
    globalThis.TextEncoder = encoder;
  }
}

/** As an argument where it fits, which takes half as long as standard input. */
function inputs(text: string, expression: string): [stdin: string, expression: string, flags: string[]] {
  if (text === '' || Buffer.byteLength(text) > MAX_ARGUMENT_BYTES) return [text, expression, ['-c']];
  return ['', `$document | (${expression}\n)`, ['-c', '-n', '--argjson', 'document', text]];
}

/** Refuses an expression that jq cannot compile, before anything is sent. Without input, jq only compiles it. */
export async function checkFilter(expression: string): Promise<void> {
  const { complaint } = await run('', expression);
  if (complaint !== undefined)
    throw new UsageError('Invalid --jq filter.', { code: 'bad-filter', details: complaint });
}

/** Why an expression fails: the value that `catch` gets, because jq's text for people names a file of its own. */
async function failureOf(text: string, expression: string, complaint: string): Promise<string> {
  const caught = await run(text, `try ((${expression}\n) | empty) catch .`);
  if (caught.complaint !== undefined || caught.output === '') return complaint;
  const value = parseJson(caught.output);
  return typeof value === 'string' ? value : safeJson(value);
}

/** Tabs and line ends stay: `@tsv` and joined lines are written on purpose. */
function bareText(text: string): string {
  return text
    .split(/([\n\t])/)
    .map((part) => (part === '\n' || part === '\t' ? part : safeText(part)))
    .join('');
}

/** What `--jq` prints: bare strings, one compact result per line; a single object or list is laid out. */
export async function filterJson(value: unknown, expression: string): Promise<string> {
  const text = safeJson(value);
  const { output, complaint } = await run(text, expression);
  if (complaint !== undefined) throw new FilterFailure(await failureOf(text, expression, complaint), value);
  const results = output.split('\n').filter((line) => line !== '');
  return results
    .map((line) => {
      const result = parseJson(line);
      if (typeof result === 'string') return `${bareText(result)}\n`;
      return `${safeJson(result, { pretty: results.length === 1 })}\n`;
    })
    .join('');
}
