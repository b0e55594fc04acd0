import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Ends a process and everything that it started, at once. */
export function killTree(pid: number): void {
  const parents = process.platform === 'linux' ? parentsInProc() : parentsByPs();
  const doomed = [pid];
  // Grows while it is read: the children of each are added behind it.
  for (const parent of doomed) {
    for (const [child, its] of parents) if (its === parent) doomed.push(child);
  }
  for (const each of doomed) {
    try {
      process.kill(each, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

/** The parent of every process. */
type Parents = Map<number, number>;

function parentsInProc(): Parents {
  const parents: Parents = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      // The name of the program stands in parentheses and may hold some itself; the state and the parent follow.
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      parents.set(Number(name), Number(parent));
    } catch {
      // It has ended in the meantime.
    }
  }
  return parents;
}

function parentsByPs(): Parents {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return new Map(rows.map((row) => row.trim().split(/\s+/).map(Number) as [number, number]));
}
