// Workers run one file after the other, and a helper is evaluated once in each of them: a hook at its top level would
// belong to the first file alone. What helpers want done is kept here, and `setup.ts` has the hooks.

type CleanUp = () => unknown;

const afterTest: CleanUp[] = [];
const afterFile: CleanUp[] = [];

/** Done once the test that runs now has ended, the latest first. */
export const cleanUp = (work: CleanUp): void => void afterTest.push(work);

/** Done after the last test of the file. */
export const cleanUpAfterFile = (work: CleanUp): void => void afterFile.push(work);

async function doAll(list: CleanUp[]): Promise<void> {
  for (const work of list.splice(0).toReversed()) await work();
}

export const cleanUpTest = (): Promise<void> => doAll(afterTest);
export const cleanUpFile = (): Promise<void> => doAll(afterFile);
