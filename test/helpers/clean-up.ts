// Workers run one file after the other, and a helper is evaluated once in each of them: a hook at its top level would
// belong to the first file alone. What helpers want done is kept here, and `setup.ts` has the hooks.

type CleanUp = () => unknown;

const afterTest: CleanUp[] = [];
const afterFile: CleanUp[] = [];

let running = 0;

/** Done once the test that runs now has ended, and all that run at the same time, the latest first. */
export const cleanUp = (work: CleanUp): void => void afterTest.push(work);

/** Done after the last test of the file. */
export const cleanUpAfterFile = (work: CleanUp): void => void afterFile.push(work);

async function doAll(list: CleanUp[]): Promise<void> {
  for (const work of list.splice(0).toReversed()) await work();
}

export const beginTest = (): void => void (running += 1);

export async function cleanUpTest(): Promise<void> {
  running -= 1;
  if (running === 0) await doAll(afterTest);
}

export const cleanUpFile = (): Promise<void> => doAll(afterFile);
