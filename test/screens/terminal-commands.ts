// One process at one terminal that runs whatever is typed, command after command, each at the width that it names. It
// reads JSON lines from the pipe that is its first argument.

import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { runInPlace } from '../helpers/run-in-place.ts';

interface Typed {
  words: string[];
  env: Record<string, string>;
  cwd: string;
  columns: number;
}

const { stdout, stderr } = process;

for await (const line of createInterface({ input: createReadStream(process.argv[2] as string) })) {
  const { words, env, cwd, columns } = JSON.parse(line) as Typed;
  while (stdout.columns !== columns || stderr.columns !== columns) await once(stdout, 'resize');
  const code = await runInPlace(words, { env: { ...process.env, ...env }, cwd });
  stdout.write(`\u001B]777;ended ${code}\u0007`);
}
process.exit(0);
