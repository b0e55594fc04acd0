import { parseJson } from '../contract/json.js';
import { UsageError } from '../errors.js';
import { safeJson, safeText } from './text.js';

const badFilter = (why: string, details?: unknown): UsageError =>
  new UsageError(`Invalid --jq filter: ${why}`, {
    code: 'bad-filter',
    details,
  });

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
  return jq.raw(text, expression, ['-c']);
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
    // The command itself has been carried out: its result must not be lost with the filter.
    throw badFilter(reason(error), { result: value });
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
