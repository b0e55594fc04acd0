import { parseJson } from '../contract/json.js';
import { UsageError } from '../errors.js';
import { safeJson, safeText } from './text.js';

const badFilter = (why: string): UsageError =>
  new UsageError(`Invalid --jq filter: ${why}`, { code: 'bad-filter' });

/** What a filter could not be applied to; the command behind it has done its work. */
export class FilterFailure extends Error {
  readonly value: unknown;

  constructor(why: string, value: unknown) {
    super(why);
    this.name = 'FilterFailure';
    this.value = value;
  }
}

/** jq's own words, without the name of the program and the place in a file that there is not. */
function reason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const [first = ''] = text.split('\n');
  return first
    .replace(/^.*?jq: error( \([^)]*\))?: /, '')
    .replace(/ \(Unix shell quoting issues\?\)/, '')
    .replace(/ at <top-level>.*$/, '');
}

async function run(text: string, expression: string): Promise<string> {
  const { default: jq } = await import('jq-wasm');
  // jq ends as a program does, and leaves its own exit code behind.
  const { exitCode } = process;
  try {
    return await jq.raw(text, expression, ['-c']);
  } finally {
    process.exitCode = exitCode;
  }
}

/** Refuses an expression that jq cannot compile, before anything is sent. */
export async function checkFilter(expression: string): Promise<void> {
  try {
    await run('null', expression);
  } catch (error) {
    // Without real data an expression may well fail; only a broken one is refused.
    if (error instanceof Error && error.message.includes('compile error')) {
      throw badFilter(reason(error));
    }
  }
}

/** Tabs and line ends stay: `@tsv` and joined lines are written on purpose. */
function bareText(text: string): string {
  return text
    .split(/([\n\t])/)
    .map((part) => (part === '\n' || part === '\t' ? part : safeText(part)))
    .join('');
}

/** What `--jq` prints: bare strings, one compact result a line; a single object or list is laid out. */
export async function filterJson(value: unknown, expression: string): Promise<string> {
  let output: string;
  try {
    output = await run(safeJson(value), expression);
  } catch (error) {
    throw new FilterFailure(reason(error), value);
  }
  const results = output.split('\n').filter((line) => line !== '');
  return results
    .map((line) => {
      const result = parseJson(line);
      if (typeof result === 'string') return `${bareText(result)}\n`;
      return `${safeJson(result, { pretty: results.length === 1 })}\n`;
    })
    .join('');
}
