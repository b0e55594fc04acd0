// The files that a command writes must not be those that it reads, and each must be another one.

import { UsageError } from '../../errors.js';
import { isSameFile } from '../../output/file.js';

interface Input {
  /** As typed; `-` is standard input. */
  name: string | undefined;
  /** What it is to the command, for the error. */
  what: string;
}

/** Refuses to write over what is about to be read, or twice to one file. The outputs are named by their flags. */
export async function refuseOverwriting(
  outputs: Readonly<Record<string, string | undefined>>,
  inputs: readonly Input[],
): Promise<void> {
  const targets = Object.entries(outputs).flatMap(([flag, name]) =>
    name === undefined ? [] : [{ flag, name }],
  );
  for (const [at, { flag, name }] of targets.entries()) {
    for (const input of inputs) {
      if (input.name === undefined || input.name === '-' || !(await isSameFile(input.name, name))) continue;
      throw sameFile(`--${flag} ${name} is ${input.what}.`, 'Choose another file.');
    }
    for (const earlier of targets.slice(0, at)) {
      if (!(await isSameFile(earlier.name, name))) continue;
      const both = `--${earlier.flag} ${earlier.name} and --${flag} ${name} are the same file.`;
      throw sameFile(both, 'Choose another file for one of them.');
    }
  }
}

const sameFile = (problem: string, advice: string): UsageError =>
  new UsageError(`${problem} Nothing was read or written. ${advice}`, {
    code: 'same-file',
    saysNothingSent: true,
  });
