// One terminal and one process in it that runs command after command: starting a process for each takes most of the time
// of a short command. What a process does when it starts or is ended needs one of its own: `paydeskTty`.

import { execFileSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanUpAfterFile } from './clean-up.js';
import { programEnvironment } from './program-environment.js';
import type { Tty } from './run.js';
import { keys, plainText, readTerminal, takeText } from './terminal-output.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const node = join(root, 'node_modules', 'node', 'bin', 'node');
const ROWS = 60;
// As in the workers: nearly everything runs a few times only, and a larger young heap is looked through less often.
const NODE_FLAGS = ['--single-threaded', '--min-semi-space-size=16', '--max-semi-space-size=32'];
// oxlint-disable-next-line no-control-regex -- a sequence that no terminal shows
const ENDED = /\u001B\]777;ended (\d+)\u0007/;

/** A command for the process in the terminal. */
export interface Typed {
  words: readonly string[];
  env: Record<string, string>;
  cwd: string;
  columns: number;
  rows: number;
}

export type SharedTerminal = Awaited<ReturnType<typeof openTerminal>>;

export async function openTerminal(onData: (data: string) => void = () => {}) {
  const { spawn } = await import('@lydell/node-pty');
  const pipeFolder = mkdtempSync(join(tmpdir(), 'paydesk-pipe-'));
  const fifo = join(pipeFolder, 'commands');
  execFileSync('mkfifo', [fifo]);
  const pty = spawn(node, [...NODE_FLAGS, join(root, 'test/helpers/terminal-commands.ts'), fifo], {
    name: 'xterm-256color',
    cols: 80,
    rows: ROWS,
    env: { ...programEnvironment(), TMPDIR: tmpdir(), TERM: 'xterm-256color', LANG: 'C.UTF-8' },
  });
  const commands = createWriteStream(fifo);
  const output = readTerminal(pty, onData);

  return {
    pid: pty.pid,
    start(typed: Typed): void {
      output.raw = '';
      pty.resize(typed.columns, typed.rows);
      commands.write(`${JSON.stringify(typed)}\n`);
    },
    write: (text: string) => pty.write(text),
    resize: (columns: number, rows: number) => pty.resize(columns, rows),
    /** What the command has written. */
    raw: (): string => output.raw.split(ENDED, 1)[0] as string,
    /** Its exit code; undefined until it has ended. */
    exit(): number | undefined {
      const [, code] = ENDED.exec(output.raw) ?? [];
      return code === undefined ? undefined : Number(code);
    },
    /** Waits until it is so; false when the process ends or the time is up before. */
    until: (condition: () => boolean) => output.until(condition),
    async close(): Promise<void> {
      // A command may have run before its write was confirmed.
      commands.once('error', () => {});
      commands.destroy();
      pty.kill('SIGKILL');
      await output.ended;
      rmSync(pipeFolder, { recursive: true, force: true });
    },
  };
}

export interface TypedOptions {
  /** PAYDESK_HOME; a fresh one when absent. */
  home?: string | undefined;
  env?: Record<string, string>;
  columns?: number;
  rows?: number;
}

/** Types commands at a terminal of this file, which is opened for the first of them. */
export function shareTerminal(): (words: readonly string[], options?: TypedOptions) => Promise<Tty> {
  let shared: SharedTerminal | undefined;
  let isFree = true;
  const close = async () => {
    await shared?.close();
    shared = undefined;
  };
  cleanUpAfterFile(close);
  return async (words, { env = {}, columns = 80, rows = 24, ...options } = {}) => {
    // Where a test failed, its command may still run.
    if (!isFree) await close();
    isFree = false;
    const terminal = (shared ??= await openTerminal());
    const home = options.home ?? mkdtempSync(join(tmpdir(), 'paydesk-home-'));
    terminal.start({ words, env: { PAYDESK_HOME: home, ...env }, cwd: root, columns, rows });
    return ttyOf(terminal, () => (isFree = true));
  };
}

function ttyOf(terminal: SharedTerminal, onEnd: () => void): Tty {
  const { exit, until, write } = terminal;
  let seen = 0;
  let last: { raw: string; code: number } | undefined;
  const raw = () => last?.raw ?? terminal.raw();
  async function ended(): Promise<number> {
    if (last !== undefined) return last.code;
    await until(() => exit() !== undefined);
    const code = exit();
    if (code === undefined) throw new Error(`It has not ended:\n${plainText(raw())}`);
    // The output of the next command takes the place of this one.
    last = { raw: raw(), code };
    onEnd();
    return code;
  }
  return {
    raw,
    text: () => plainText(raw()),
    async waitFor(expected) {
      let found: string | undefined;
      const isThere = () => {
        found = takeText(plainText(raw()).slice(seen), expected);
        return found !== undefined;
      };
      await until(() => isThere() || exit() !== undefined);
      if (found === undefined) throw new Error(`never saw ${String(expected)} in:\n${plainText(raw())}`);
      seen += found.length;
      return found;
    },
    type: write,
    press: (...names) => names.forEach((name) => write(keys[name])),
    resize: terminal.resize,
    ended,
    kill: () => void terminal.close(),
  };
}
