// A running sandbox leaves a note of itself in the data folder, so that the other commands find it.

import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isAnswering } from './remote.js';
import { isPaused } from './paused.js';
import { portOf, type Run } from './run.js';
import { writePrivately } from '../atomic-file.js';
import { makeFolder } from '../home-folder.js';
import { isRunning } from '../store/owner.js';

export interface Runs {
  write(run: Run): void;
  /** Takes the note away, unless somebody else has written another one since. */
  remove(run: Run): void;
  /** The note of the sandbox at this address, if its process is there, whether it answers or not. */
  at(url: string): Run | undefined;
  /** The sandboxes whose process is there, the newest first; notes of those that are gone are cleaned away. */
  running(): Promise<RunningSandbox[]>;
}

/** One that is paused, or that a busy machine keeps waiting, does not answer and is not gone. */
export type RunningSandbox = Run & { answers: boolean };

export function createRuns(dataFolder: string): Runs {
  const folder = join(dataFolder, 'sandbox');
  const fileOf = (run: Run) => join(folder, `${portOf(run)}.json`);

  function read(file: string): Run | undefined {
    try {
      const run = JSON.parse(readFileSync(file, 'utf8')) as Partial<Run>;
      const texts = [run.url, run.consoleUrl, run.controlToken, run.database, run.startedTime];
      const isWhole = texts.every((text) => typeof text === 'string') && Number.isSafeInteger(run.pid);
      return isWhole && URL.canParse(run.url as string) ? (run as Run) : undefined;
    } catch {
      return undefined;
    }
  }

  function remove(run: Run): void {
    const file = fileOf(run);
    if (read(file)?.controlToken === run.controlToken) rmSync(file, { force: true });
  }

  function all(): Run[] {
    let names: string[];
    try {
      names = readdirSync(folder);
    } catch {
      return [];
    }
    return names
      .filter((name) => /^\d+\.json$/.test(name))
      .map((name) => read(join(folder, name)))
      .filter((run) => run !== undefined)
      .sort((a, b) => (a.startedTime < b.startedTime ? 1 : -1));
  }

  async function check(run: Run): Promise<RunningSandbox[]> {
    const answer = await answerOf(run);
    if (answer !== 'gone') return [{ ...run, answers: answer === 'yes' }];
    remove(run);
    return [];
  }

  return {
    write(run) {
      makeFolder(folder);
      writePrivately(fileOf(run), `${JSON.stringify(run, null, 2)}\n`);
    },
    remove,
    at: (url) => all().find((run) => run.url === url && isRunning(run.pid)),
    running: async () => (await Promise.all(all().map(check))).flat(),
  };
}

async function answerOf(run: Run): ReturnType<typeof isAnswering> {
  if (!isRunning(run.pid)) return 'gone';
  return isPaused(run.pid) ? 'no' : isAnswering(run);
}
