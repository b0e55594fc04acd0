import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createScreen, type Screen } from '../helpers/screen.js';
import { openTerminal as openSharedTerminal } from '../helpers/shared-terminal.js';

const ROWS = 60;

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
    async close() {
      await terminal.close();
      for (const session of sessions) session.leave();
    },
  };
}

type Terminal = Awaited<ReturnType<typeof openTerminal>>;

async function openTerminal() {
  let screen = createScreen();
  const terminal = await openSharedTerminal((data) => screen.write(data));
  let before: Promise<unknown> = Promise.resolve();
  const ended = () => terminal.exit() !== undefined;

  return {
    pid: terminal.pid,
    /** Does the work when everybody who came before is done. */
    inTurn<T>(work: () => Promise<T>): Promise<T> {
      const done = before.then(work);
      before = done.catch(() => {});
      return done;
    },
    start(columns: number, typed: { words: string[]; env: Record<string, string>; cwd: string }): void {
      screen = createScreen(columns);
      terminal.start({ ...typed, columns, rows: ROWS });
    },
    write: terminal.write,
    async until(what: string, condition: () => boolean): Promise<void> {
      if (!(await terminal.until(condition))) throw new Error(`${what}:\n${screen.lines().join('\n')}`);
    },
    ended,
    /** Whether the words are on the screen, wherever its lines end. */
    shows: (text: string) => ended() || screen.lines().join(' ').replaceAll(/\s+/g, ' ').includes(text),
    shown: (): Shown => ({ screen, exit: Number(terminal.exit()) }),
    close: terminal.close,
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
