// JSON from a file or stdin.

import { readFile } from 'node:fs/promises';
import { custom } from '@oclif/core/flags';
import { duplicateKey, type JsonValue, parseJson } from '../../contract/json.js';
import { BadValue } from '../../typed-values.js';
import type { JsonInput } from '../../payments/payment-draft.js';
import type { Streams } from '../../output/streams.js';
import { fileProblem } from '../../file-problem.js';

// More than any request of the service takes.
const MAX_LENGTH = 16 * 1024 * 1024;

/** Numbers keep their text: 10.10 stays 10.10. */
async function readJsonInput(source: string, stdin: Streams['stdin']): Promise<JsonInput> {
  const text = source === '-' ? await readAll(stdin) : await readText(source);
  if (text.trim() === '') throw new BadValue('the file is empty');
  const value = parsed(text);
  const twice = duplicateKey(text, value);
  if (twice !== undefined) throw new BadValue(`has "${twice}" twice`);
  return { source, value };
}

function parsed(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    throw new BadValue(`not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new BadValue(fileProblem(error));
  }
}

/** Reads stdin to its end. A terminal is refused: the command would wait for nothing. */
export async function readAll(stdin: Streams['stdin']): Promise<string> {
  if (stdin.isTTY) throw new BadValue('reads from a pipe, but stdin is a terminal');
  let text = '';
  for await (const chunk of stdin) {
    text += String(chunk);
    if (text.length > MAX_LENGTH) throw new BadValue('the file is too large');
  }
  return text;
}

/** `FILE` or `-`. Read with the command line, so that a bad file is reported together with other problems. */
export const jsonFlag = custom<JsonInput>({
  helpValue: 'FILE|-',
  parse: (text, command) => readJsonInput(text, (command as unknown as { streams: Streams }).streams.stdin),
});
