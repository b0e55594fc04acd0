// One process at a terminal that runs what the shell of the terminal hands to it, command after command. For each it reads
// the folder, the number of words, the words and the environment from one pipe, and writes the exit code to another.

import { readFile, writeFile } from 'node:fs/promises';
import { runInPlace } from '../helpers/run-in-place.ts';

const [, , typed, codes] = process.argv as [string, string, string, string];

for (;;) {
  const [cwd = '', count, ...rest] = (await readFile(typed, 'utf8')).split('\0');
  const words = rest.slice(0, Number(count));
  const env = Object.fromEntries(rest.slice(Number(count), -1).map((pair) => pair.split(/=(.*)/s)));
  const code = await runInPlace(words, { env, cwd });
  await writeFile(codes, `${code}\n`);
}
