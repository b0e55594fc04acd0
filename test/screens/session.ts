import { execFileSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createScreen, type Screen } from '../helpers/screen.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const node = join(root, 'node_modules', 'node', 'bin', 'node');
// oxlint-disable-next-line no-control-regex -- a sequence that no terminal shows
const ENDED = /\u001B\]777;ended (\d+)\u0007/;

export interface Shown {
  screen: Screen;
  exit: number;
}

export interface StepOptions {
  /** Text for a program, which is printed as it is. */
  exact?: boolean;
  env?: Record<string, string>;
  /** For what runs until it is stopped: Ctrl-C is pressed once this is on the screen. */
  until?: string;
  /** A signal instead of Ctrl-C. */
  stop?: NodeJS.Signals;
  /** What is typed where the program asks, in order. */
  answers?: ReadonlyArray<{ at: string; type: string }>;
}

/** A person at a terminal of this width, with a home and a folder of their own. */
export interface Session {
  readonly columns: number;
  /** Where the words are typed. */
  readonly folder: string;
  /** Another person at the same terminal: an empty home and folder, and nothing left of the sandboxes before. */
  startOver(): void;
  /** Types words; `{app}` and `{batch}` stand for the ones that were on a screen last. */
  run(words: readonly string[], options?: StepOptions): Promise<Shown>;
  close(): Promise<void>;
}

/** What is made while steps run, and named by steps that follow. */
const NAMES = { app: /\bapp_[0-9a-f]{12}\b/, batch: /\b20\d{6}-[a-z0-9]{6}\b/ };

const STEP_MS = 120_000;

export async function openSession(columns: number, receiver: string): Promise<Session> {
  const { spawn } = await import('@lydell/node-pty');
  let folder = newFolder();
  const pipeFolder = mkdtempSync(join(tmpdir(), 'paydesk-pipe-'));
  const fifo = join(pipeFolder, 'commands');
  execFileSync('mkfifo', [fifo]);
  const pty = spawn(node, [join(root, 'test/screens/desk.ts'), fifo], {
    name: 'xterm-256color',
    cols: columns,
    rows: 60,
    cwd: folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      TZ: 'UTC',
      NODE_ENV: 'production',
    },
  });
  const commands = createWriteStream(fifo);
  let screen = createScreen(columns);
  let raw = '';
  let seen = new Map([['receiver', receiver]]);
  let over = false;
  let wake: () => void = () => {};
  pty.onData((data) => {
    raw += data;
    screen.write(data);
    wake();
  });
  pty.onExit(() => {
    over = true;
    wake();
  });

  async function until(what: string, condition: () => boolean): Promise<void> {
    const deadline = Date.now() + STEP_MS;
    while (!condition()) {
      if (over || Date.now() > deadline) throw new Error(`${what}:\n${screen.lines().join('\n')}`);
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, 200).unref();
      });
    }
  }
  const ended = () => ENDED.test(raw);
  /** Whether the words are on the screen, wherever its lines end. */
  const shows = (text: string) => ended() || screen.lines().join(' ').replaceAll(/\s+/g, ' ').includes(text);

  return {
    columns,
    get folder() {
      return folder;
    },
    startOver() {
      leave(folder, pty.pid);
      folder = newFolder();
      seen = new Map([['receiver', receiver]]);
    },
    async run(typedWords, { env = {}, until: stopAt, stop, answers = [] } = {}) {
      const words = typedWords.map((word) =>
        word.replace(/^\{(\w+)\}$/, (_, name: string) => seen.get(name) ?? name),
      );
      raw = '';
      screen = createScreen(columns);
      const home = join(folder, 'home');
      commands.write(`${JSON.stringify({ words, env: { PAYDESK_HOME: home, ...env }, cwd: folder })}\n`);
      const typed = `paydesk ${words.join(' ')} at ${columns} columns`;
      for (const { at, type } of answers) {
        await until(`${typed} does not ask ${at}`, () => shows(at));
        if (!ended()) pty.write(type);
      }
      if (stopAt !== undefined) {
        await until(`${typed} does not show ${stopAt}`, () => shows(stopAt));
        if (!ended() && stop === undefined) pty.write('\u0003');
        else if (!ended()) process.kill(pty.pid, stop);
      }
      await until(`${typed} does not end`, ended);
      for (const [name, pattern] of Object.entries(NAMES)) {
        const found = pattern.exec(screen.lines().join('\n'))?.[0];
        if (found !== undefined) seen.set(name, found);
      }
      return { screen, exit: Number(ENDED.exec(raw)?.[1]) };
    },
    async close() {
      commands.end();
      pty.kill('SIGKILL');
      leave(folder, pty.pid);
      rmSync(pipeFolder, { recursive: true, force: true });
    },
  };
}

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'paydesk-screens-'));

/** Ends the sandboxes that were started there, the terminal's own process aside. */
function leave(folder: string, terminal: number): void {
  for (const note of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\bsandbox\/\d+\.json$/.test(note)) continue;
    const { pid } = JSON.parse(readFileSync(join(folder, note), 'utf8')) as { pid: number };
    if (pid !== terminal) process.kill(pid, 'SIGKILL');
  }
  rmSync(folder, { recursive: true, force: true });
}
