// Reads a page the way a person does who types everything it shows, and compares what is printed.

import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findOperator } from '../../src/ledger/operator.js';
import { createLikeness, LEFT_OUT } from './likeness.js';
import type { CommandStep, Step } from './page.js';
import { freePort } from '../helpers/free-port.js';
import { programEnvironment } from '../helpers/program-environment.js';
import type { Cell } from '../helpers/screen.js';
import { openTerminal, type Terminal } from './terminal.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const node = join(root, 'node_modules', 'node', 'bin', 'node');

export interface Reader {
  /** Does what the step says; resolves with what is wrong, and with what was printed, as the page would show it. */
  take(step: Step): Promise<{ problem: string | undefined; printed: string[] }>;
  /** Types a command into the usual terminal, for what no page shows. */
  type(command: string): Promise<{ text: string; cells: Cell[][] }>;
  close(): Promise<void>;
  readonly folder: string;
  readonly env: Record<string, string>;
  inThisRun(text: string): string;
}

/** The ports that pages name, as nobody else may be using in a test. */
const PORTS = ['4010', '4011', '4020', '3000'];

export async function createReader(meant: Readonly<Record<string, string>> = {}): Promise<Reader> {
  // As short as the home of a person: a longer one breaks the lines that show it elsewhere.
  const parent = process.env['PAYDESK_TEST_PARENT'] ?? tmpdir();
  const place = realpathSync(mkdtempSync(join(parent, 'docs-')));
  const [home, folder, bin] = ['home', 'work', 'bin'].map((name) => join(place, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [home, folder, bin]) mkdirSync(path);
  writeFileSync(join(bin, 'paydesk'), `#!/bin/sh\nexec '${node}' '${join(root, 'bin', 'run.js')}' "$@"\n`);
  chmodSync(join(bin, 'paydesk'), 0o755);
  const env = readerEnvironment({ HOME: home, PATH: [bin, dirname(node), process.env['PATH']].join(':') });
  const ports = Object.fromEntries(
    await Promise.all(PORTS.map(async (port) => [port, String(await freePort())])),
  );
  const stands: Array<[string, string]> = [
    ...Object.entries(meant),
    // As an address is shown: without who it is for.
    ...Object.entries(meant).map(
      (pair) => pair.map((url) => url.replace(/\/\/[^/]*@/, '//')) as [string, string],
    ),
    ['/home/ada/shop', folder],
    ['/home/ada', home],
    ['ada@desk', findOperator({})],
  ];
  const likeness = createLikeness();
  const terminals = new Map<string | undefined, Terminal>();

  const inThisRun = (text: string): string => {
    const named = stands.reduce((now, [page, run]) => now.replaceAll(page, run), likeness.inThisRun(text));
    return named.replaceAll(new RegExp(`\\b(?:${PORTS.join('|')})\\b`, 'g'), (port) => ports[port] as string);
  };
  const asShown = (text: string): string => {
    const named = stands.reduce((now, [page, run]) => now.replaceAll(run, page), text);
    return Object.entries(ports).reduce(
      (now, [page, run]) => now.replaceAll(new RegExp(`\\b${String(run)}\\b`, 'g'), page),
      named,
    );
  };
  /** Where a command would take its usual port. */
  const withPort = (command: string): string =>
    command
      .replaceAll(/paydesk sandbox start(?![^\n|&;]*--port)/g, '$& --port 4010')
      .replaceAll(/paydesk webhook listen(?![^\n|&;]*--port)|(?<=\s)--listen\b/g, '$& --port 4020');

  async function run(step: CommandStep, terminal: Terminal) {
    const { command, shown, answers, stays } = step;
    if (command !== undefined) {
      if (!(await terminal.until(terminal.ended)))
        return { problem: 'the one before has not ended', printed: [] };
      terminal.type(inThisRun(withPort(command)));
    }
    for (const { at, type } of command === undefined ? [] : answers) {
      const asked = await terminal.until(() => terminal.ended() || terminal.lines().join('\n').includes(at));
      if (asked && !terminal.ended()) terminal.answer(inThisRun(type));
    }
    // What a slow machine says while it waits is gone once there is more to say.
    const isStatus = (line: string, at: number, lines: string[]) =>
      stays && at === lines.length - 1 && line.endsWith('Ctrl-C ends the wait.');
    const printed = () =>
      terminal
        .lines()
        .map(asShown)
        .filter((...line) => !isStatus(...line));
    const isOver = () =>
      terminal.ended() || (stays && createLikeness().difference(shown, printed()) === undefined);
    const inTime = await terminal.until(isOver);
    const problem = likeness.difference(shown, printed()) ?? (inTime ? undefined : 'it has not ended');
    return {
      problem: problem ?? failure(shown, terminal.exit()),
      printed: printed().map(likeness.asShown),
    };
  }

  async function terminalOf(name: string | undefined): Promise<Terminal> {
    const terminal = terminals.get(name) ?? (await openTerminal({ cwd: folder, env }));
    terminals.set(name, terminal);
    return terminal;
  }

  return {
    folder,
    env,
    inThisRun,
    async take(step) {
      if (step.kind === 'file') {
        const path = join(folder, step.name);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, inThisRun(step.text));
        return { problem: undefined, printed: [] };
      }
      return run(step, await terminalOf(step.terminal));
    },
    async type(command) {
      const terminal = await terminalOf(undefined);
      terminal.type(inThisRun(withPort(command)));
      await terminal.until(terminal.ended);
      return { text: terminal.lines().join('\n'), cells: terminal.cells() };
    },
    async close() {
      await Promise.all([...terminals.values()].map((terminal) => terminal.close()));
      // A page that broke off leaves sandboxes in the background, in whichever home it used.
      for (const note of readdirSync(place, { recursive: true, encoding: 'utf8' })) {
        if (!/\bsandbox\/\d+\.json$/.test(note)) continue;
        const { pid } = JSON.parse(readFileSync(join(place, note), 'utf8')) as { pid: number };
        process.kill(pid, 'SIGKILL');
      }
      rmSync(place, { recursive: true, force: true });
    },
  };
}

/** Where a page leaves all of the output out, the command must at least have worked. */
function failure(shown: readonly string[], exit: number | undefined): string | undefined {
  const isLeftOut = shown.length > 0 && shown.every((line) => line === LEFT_OUT);
  return isLeftOut && exit !== undefined && exit !== 0 ? `it ended with ${exit}` : undefined;
}

function readerEnvironment(given: Record<string, string>): Record<string, string> {
  return { ...programEnvironment(), TERM: 'xterm-256color', LANG: 'C.UTF-8', ...given };
}
