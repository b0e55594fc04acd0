// A program that must not outlive paydesk, however paydesk ends.

import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { childEnvironment, type Environment } from '../../child-environment.js';

export interface Ending {
  code: number | null;
  /** The last lines that it wrote. */
  words: string[];
}

export interface Child {
  readonly pid: number | undefined;
  /** Every line of stdout and stderr, without its end. */
  onLine(listener: (line: string) => void): void;
  readonly ended: Promise<Ending>;
  /** Ends it and whatever it started; resolves when that is done. */
  stop(): Promise<void>;
}

// The kernel closes our end of its stdin even after kill -9. The watchdog script sees that and ends the program, even
// if the program ignores its stdin. The words of the command are arguments: none of them is read as shell text.
const WATCHDOG_SCRIPT = `
exec 3<&0
"$@" <&3 3<&- &
child=$!
trap 'kill "$child"' TERM INT HUP
{ while read -r line; do :; done; kill "$child"; } <&3 >/dev/null 2>&1 &
watcher=$!
wait "$child"
code=$?
while kill -0 "$child" 2>/dev/null; do wait "$child"; code=$?; done
kill "$watcher" 2>/dev/null
exit "$code"
`;

const GRACE_MS = 3_000;
const OUTPUT_GRACE_MS = 500;
const MAX_LINE_LENGTH = 64 * 1024;
const MAX_KEPT_LINES = 20;

/** Groups that still run; whatever is left is killed when this process exits. */
const running = new Set<number>();
let watching = false;

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}

function watchExit(): void {
  if (watching) return;
  watching = true;
  process.on('exit', () => running.forEach(killGroup));
}

/** Where a program is, looked for as the system does; undefined when it is not installed. */
export function findProgram(name: string, env: Environment): string | undefined {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd'] : [''];
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders
    .flatMap((folder) => endings.map((ending) => join(folder, name + ending)))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

export function startChild(program: string, args: readonly string[], env: Environment): Child {
  const isWatched = process.platform !== 'win32';
  const child = spawn(
    isWatched ? '/bin/sh' : program,
    isWatched ? ['-c', WATCHDOG_SCRIPT, 'paydesk-tunnel', program, ...args] : args,
    // A group of its own: Ctrl-C is for us to hear first, and the group can be ended as a whole.
    { stdio: 'pipe', detached: isWatched, env: childEnvironment(env), windowsHide: true },
  );
  const { pid } = child;
  if (isWatched && pid !== undefined) {
    watchExit();
    running.add(pid);
  }

  const words: string[] = [];
  const listeners: Array<(line: string) => void> = [];
  const take = (line: string) => {
    if (line.trim() === '') return;
    words.push(line.slice(0, 500));
    if (words.length > MAX_KEPT_LINES) words.shift();
    for (const listener of listeners) listener(line);
  };
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split(/\r\n|\n|\r/);
      rest = (lines.pop() ?? '').slice(-MAX_LINE_LENGTH);
      for (const line of lines) take(line);
    });
    stream.on('error', () => {}).on('close', () => take(rest));
  }
  child.stdin.on('error', () => {});

  const ended = new Promise<Ending>((resolve) => {
    child.on('error', (error) => {
      words.push(error.message);
      resolve({ code: null, words });
    });
    child.on('close', (code) => resolve({ code, words }));
    // What it started itself may hold its output open; that must not make it look alive.
    child.on('exit', (code) => setTimeout(resolve, OUTPUT_GRACE_MS, { code, words }));
  });
  void ended.then(() => {
    if (!isWatched || pid === undefined) return;
    running.delete(pid);
    killGroup(pid);
  });

  return {
    pid,
    onLine: (listener) => void listeners.push(listener),
    ended,
    async stop() {
      child.stdin.end();
      if (!isWatched) child.kill();
      const timer = setTimeout(
        () => (isWatched && pid !== undefined ? killGroup(pid) : child.kill()),
        GRACE_MS,
      );
      await ended;
      clearTimeout(timer);
    },
  };
}
