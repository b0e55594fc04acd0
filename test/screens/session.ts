import { execFileSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createScreen, type Screen } from '../helpers/screen.js';
import { readTerminal } from '../helpers/terminal-output.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const node = join(root, 'node_modules', 'node', 'bin', 'node');
const ROWS = 60;
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
}

/** What is made while steps run, and named by steps that follow. */
const NAMES = { app: /\bapp_[0-9a-f]{12}\b/, batch: /\b20\d{6}-[a-z0-9]{6}\b/ };

/** People at terminals of these widths. One process runs what all of them type, one after the other. */
export async function openSessions(widths: readonly number[], receiver: string) {
  const terminal = await openTerminal();
  const sessions = widths.map((columns) => openSession(columns, terminal, receiver));
  return {
    sessions,
    close() {
      terminal.close();
      for (const session of sessions) session.leave();
    },
  };
}

type Terminal = Awaited<ReturnType<typeof openTerminal>>;

async function openTerminal() {
  const { spawn } = await import('@lydell/node-pty');
  const pipeFolder = mkdtempSync(join(tmpdir(), 'paydesk-pipe-'));
  const fifo = join(pipeFolder, 'commands');
  execFileSync('mkfifo', [fifo]);
  const pty = spawn(node, [join(root, 'test/screens/terminal-commands.ts'), fifo], {
    name: 'xterm-256color',
    cols: 80,
    rows: ROWS,
    env: {
      PATH: process.env['PATH'] ?? '',
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      TZ: 'UTC',
      NODE_ENV: 'production',
    },
  });
  const commands = createWriteStream(fifo);
  let screen = createScreen();
  let before: Promise<unknown> = Promise.resolve();
  const output = readTerminal(pty, (data) => screen.write(data));
  const ended = () => ENDED.test(output.raw);

  return {
    pid: pty.pid,
    /** Does the work when everybody who came before is done. */
    inTurn<T>(work: () => Promise<T>): Promise<T> {
      const done = before.then(work);
      before = done.catch(() => {});
      return done;
    },
    start(columns: number, typed: { words: string[]; env: Record<string, string>; cwd: string }): void {
      output.raw = '';
      screen = createScreen(columns);
      pty.resize(columns, ROWS);
      commands.write(`${JSON.stringify({ ...typed, columns })}\n`);
    },
    write: (text: string) => pty.write(text),
    async until(what: string, condition: () => boolean): Promise<void> {
      if (!(await output.until(condition))) throw new Error(`${what}:\n${screen.lines().join('\n')}`);
    },
    ended,
    /** Whether the words are on the screen, wherever its lines end. */
    shows: (text: string) => ended() || screen.lines().join(' ').replaceAll(/\s+/g, ' ').includes(text),
    shown: (): Shown => ({ screen, exit: Number(ENDED.exec(output.raw)?.[1]) }),
    close(): void {
      commands.end();
      pty.kill('SIGKILL');
      rmSync(pipeFolder, { recursive: true, force: true });
    },
  };
}

function openSession(columns: number, terminal: Terminal, receiver: string): Session & { leave(): void } {
  let folder = newFolder();
  let seen = new Map([['receiver', receiver]]);
  const leave = () => leaveFolder(folder, terminal.pid);

  async function run(typedWords: readonly string[], options: StepOptions): Promise<Shown> {
    const { env = {}, until: stopAt, stop, answers = [] } = options;
    const { until, ended, shows } = terminal;
    const words = typedWords.map((word) =>
      word.replace(/^\{(\w+)\}$/, (_, name: string) => seen.get(name) ?? name),
    );
    terminal.start(columns, { words, env: { PAYDESK_HOME: join(folder, 'home'), ...env }, cwd: folder });
    const typed = `paydesk ${words.join(' ')} at ${columns} columns`;
    for (const { at, type } of answers) {
      await until(`${typed} does not ask ${at}`, () => shows(at));
      if (!ended()) terminal.write(type);
    }
    if (stopAt !== undefined) {
      await until(`${typed} does not show ${stopAt}`, () => shows(stopAt));
      if (!ended() && stop === undefined) terminal.write('\u0003');
      else if (!ended()) process.kill(terminal.pid, stop);
    }
    await until(`${typed} does not end`, ended);
    const shown = terminal.shown();
    for (const [name, pattern] of Object.entries(NAMES)) {
      const found = pattern.exec(shown.screen.lines().join('\n'))?.[0];
      if (found !== undefined) seen.set(name, found);
    }
    return shown;
  }

  return {
    columns,
    get folder() {
      return folder;
    },
    startOver() {
      leave();
      folder = newFolder();
      seen = new Map([['receiver', receiver]]);
    },
    run: (words, options = {}) => terminal.inTurn(() => run(words, options)),
    leave,
  };
}

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'paydesk-screens-'));

/** Ends the sandboxes that were started there, the terminal's own process aside. */
function leaveFolder(folder: string, terminal: number): void {
  for (const note of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\bsandbox\/\d+\.json$/.test(note)) continue;
    const { pid } = JSON.parse(readFileSync(join(folder, note), 'utf8')) as { pid: number };
    if (pid !== terminal) process.kill(pid, 'SIGKILL');
  }
  rmSync(folder, { recursive: true, force: true });
}
