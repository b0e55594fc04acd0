import { readFileSync } from 'node:fs';
import { UsageError } from '../../errors.js';
import { fileProblem } from '../../file-problem.js';

/** `-` is stdin. */
export async function readDocument(name: string, stdin: AsyncIterable<unknown>): Promise<string> {
  if (name === '-') {
    const chunks: Buffer[] = [];
    for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array));
    return Buffer.concat(chunks).toString('utf8');
  }
  try {
    return readFileSync(name, 'utf8');
  } catch (cause) {
    throw unusable(`${name} cannot be read`, cause);
  }
}

function unusable(what: string, cause: unknown): UsageError {
  const why = fileProblem(cause, { missing: 'there is no such file or folder' });
  return new UsageError(`${what}: ${why}.`, { code: 'bad-file', cause });
}
