import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { faultKinds, noFaults, type FaultCounts, type Hostility } from './faults.ts';
import type { Played, World } from './worlds.ts';

const program = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const options = { maxBuffer: 64 * 1024 * 1024 };

/** What a run of the simulator prints with `--json`. */
export interface Summary {
  seeds: number;
  operations: number;
  sent: number;
  faults: FaultCounts;
  carriedOut: number;
  settled: number;
  decided: number;
  violations: Array<{ seed: number; violation: string }>;
  digest: string;
}

/** The simulator in a process of its own: it takes over the clock and the timers of its process. */
export function runSimulator(...args: string[]): Promise<Summary> {
  return new Promise((resolve, reject) => {
    const words = [program('run.ts'), '--json', ...args];
    execFile(process.execPath, words, options, (error, stdout, stderr) => {
      // Violations end it with 1 and are in the summary; whatever else went wrong is in stderr.
      if (stdout.trim() === '')
        reject(new Error(`The simulator failed: ${stderr || (error?.message ?? 'no reason')}`));
      else resolve(JSON.parse(stdout) as Summary);
    });
  });
}

/** Plays each of these worlds in a process that is theirs, one after the other. */
export function playWorlds(worlds: readonly World[]): Promise<Played[]> {
  return new Promise((resolve, reject) => {
    const words = [program('worlds.ts'), JSON.stringify(worlds)];
    execFile(process.execPath, words, options, (error, stdout, stderr) => {
      if (error) reject(new Error(`The simulator failed: ${stderr || error.message}`));
      else
        resolve(
          stdout
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line) as Played),
        );
    });
  });
}

/** Seeds from `from` on, shared among so many processes. */
export async function runSeeds({
  from,
  seeds,
  processes,
  only,
}: {
  from: number;
  seeds: number;
  processes: number;
  only?: readonly Hostility[] | undefined;
}) {
  const share = Math.ceil(seeds / processes);
  const parts = await Promise.all(
    Array.from({ length: processes }, (_, index) =>
      runSimulator(
        '--from',
        String(from + index * share),
        '--seeds',
        String(share),
        ...(only ? ['--only', only.join(',')] : []),
      ),
    ),
  );
  const total = (of: (part: Summary) => number) => parts.reduce((sum, part) => sum + of(part), 0);
  const faults = noFaults();
  for (const kind of faultKinds) faults[kind] = total((part) => part.faults[kind]);
  return {
    seeds: total((part) => part.seeds),
    operations: total((part) => part.operations),
    sent: total(({ sent }) => sent),
    faults,
    carriedOut: total(({ carriedOut }) => carriedOut),
    settled: total(({ settled }) => settled),
    decided: total(({ decided }) => decided),
    violations: parts.flatMap(({ violations }) => violations),
  };
}
