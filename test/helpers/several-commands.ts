// Runs the command lines of its first argument, a list in JSON, one after the other in this process. After each it ends
// what is on stdout with a NUL, and what is on stderr with a NUL, the exit code and another NUL.

import { runInPlace } from './run-in-place.ts';

for (const words of JSON.parse(process.argv[2] as string) as string[][]) {
  const code = await runInPlace(words, { env: process.env, cwd: process.cwd() });
  process.stdout.write('\0');
  process.stderr.write(`\0${code}\0`);
}
process.exit(0);
