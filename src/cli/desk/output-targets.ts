// The files that a command writes must not be those that it reads.

import { stat } from 'node:fs/promises';
import { UsageError } from '../../errors.js';

interface Input {
  /** As typed; `-` is standard input. */
  name: string | undefined;
  /** What it is to the command, for the error. */
  what: string;
}

/** Refuses to write over what is about to be read. The outputs are named by their flags. */
export async function refuseInputs(
  outputs: Readonly<Record<string, string | undefined>>,
  inputs: readonly Input[],
): Promise<void> {
  for (const [flag, target] of Object.entries(outputs)) {
    for (const { name, what } of inputs) {
      if (name === undefined || target === undefined || name === '-') continue;
      if (!(await isSameFile(name, target))) continue;
      throw new UsageError(
        `--${flag} ${target} is ${what}. Nothing was read or written. Choose another file.`,
        { code: 'same-file', saysNothingSent: true },
      );
    }
  }
}

/** Links, and the case of a name where it does not matter, lead to the same file. */
async function isSameFile(one: string, other: string): Promise<boolean> {
  const [here, there] = await Promise.all(
    [one, other].map((name) => stat(name, { bigint: true }).catch(() => undefined)),
  );
  return here !== undefined && here.isFile() && here.dev === there?.dev && here.ino === there.ino;
}
