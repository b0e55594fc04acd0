export interface FilterInput {
  text: string;
  expression: string;
}

export interface FilterOutput {
  output: string;
  /** What jq wrote to stderr; undefined when it succeeded. */
  complaint: string | undefined;
}

/** Larger ones do not fit on the stack of the jq that we have. */
const MAX_ARGUMENT_BYTES = 500_000;

/** This jq cuts each byte of its standard input off the rest: a Buffer lends the rest, any other array copies it. */
class BufferEncoder extends TextEncoder {
  override encode(text = '') {
    return Buffer.from(text);
  }
}

/** One after another: two at a time would take each other's exit code for their own. */
export async function runJq({ text, expression }: FilterInput): Promise<FilterOutput> {
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
