import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isCi } from '../../src/ci.js';
import { keys, plainText, readTerminal, takeText } from './terminal-output.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const node = join(root, 'node_modules', 'node', 'bin', 'node');
const program = join(root, 'bin', 'run.js');
const severalCommands = join(root, 'test', 'helpers', 'several-commands.ts');

export interface RunOptions {
  env?: Record<string, string | undefined>;
  /** PAYDESK_HOME; a fresh one, removed afterwards, when absent. */
  home?: string;
  input?: string;
  cwd?: string;
  timeoutMs?: number;
  /** A program that runs paydesk, with its arguments. */
  under?: string[];
  onStarted?: (child: ChildProcess) => void;
  /** Called with each piece of stderr as it comes, and the process that wrote it. */
  onStderr?: (text: string, child: ChildProcess) => void;
}

export interface RunResult {
  stdout: string;
  stderr: string;
  /** -1 when a signal ended it. */
  code: number;
}

const settings = new Map<string, boolean>();

/** Kept: each of many commands asks for every variable, and to go through all CI services takes time. */
function isSetting(name: string, value: string | undefined): boolean {
  const key = `${name}=${value}`;
  const known = settings.get(key);
  if (known !== undefined) return known;
  const found =
    isCi({ [name]: value }) || /^(PAYDESK_|CI$|NO_COLOR$|FORCE_COLOR$|NODE_|VITEST|TZ$)/.test(name);
  settings.set(key, found);
  return found;
}

/** Settings of whoever runs the tests stay out: a process sees only what its test gives it. */
function environment(home: string, extra: RunOptions['env'] = {}): Record<string, string> {
  const env: Record<string, string | undefined> = { NODE_ENV: 'production', PAYDESK_HOME: home, TZ: 'UTC' };
  for (const [name, value] of Object.entries(process.env)) {
    if (!isSetting(name, value)) env[name] = value;
  }
  const all = Object.entries({ ...env, ...extra });
  return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

async function homeFor(options: RunOptions): Promise<{ home: string; clean: () => Promise<void> }> {
  if (options.home !== undefined) return { home: options.home, clean: async () => {} };
  const home = await mkdtemp(join(tmpdir(), 'paydesk-home-'));
  return { home, clean: () => rm(home, { recursive: true, force: true }) };
}

/** Runs paydesk as a script does: pipes on all three streams. */
export const paydesk = (args: string[], options: RunOptions = {}): Promise<RunResult> =>
  runNode([program, ...args], options);

/** Runs these command lines one after the other in one process and one home: for what no start of its own can change. */
export async function paydeskInTurn(
  lines: ReadonlyArray<readonly string[]>,
  options: RunOptions = {},
): Promise<RunResult[]> {
  const { stdout, stderr, code } = await runNode([severalCommands, JSON.stringify(lines)], options);
  if (code !== 0) throw new Error(`The commands ended with ${code}: ${stderr}`);
  const [out, errors] = [stdout.split('\0'), stderr.split('\0')];
  return lines.map((_, index) => ({
    stdout: out[index] as string,
    stderr: errors[2 * index] as string,
    code: Number(errors[2 * index + 1]),
  }));
}

async function runNode(args: string[], options: RunOptions): Promise<RunResult> {
  const { home, clean } = await homeFor(options);
  try {
    return await new Promise((resolve, reject) => {
      const [command = node, ...rest] = [...(options.under ?? []), node, ...args];
      const child = spawn(command, rest, {
        cwd: options.cwd ?? root,
        env: environment(home, options.env),
        stdio: 'pipe',
      });
      options.onStarted?.(child);
      let stdout = '';
      let stderr = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
        options.onStderr?.(text, child);
      });
      // A command that ends without reading its input closes the pipe first.
      child.stdin.on('error', () => {});
      child.stdin.end(options.input ?? '');
      const timer = setTimeout(() => child.kill('SIGKILL'), options.timeoutMs ?? 120_000);
      child.on('error', reject);
      child.on('close', (code) => {
        clearTimeout(timer);
        resolve({ stdout, stderr, code: code ?? -1 });
      });
    });
  } finally {
    await clean();
  }
}

export interface TtyOptions extends Omit<RunOptions, 'input'> {
  columns?: number;
  rows?: number;
}

export interface Tty {
  /** Every byte the terminal got, colours and cursor movements included. */
  raw(): string;
  /** The same as plain text. */
  text(): string;
  /** Waits until the plain text (from the last wait on) holds this; returns what came since. */
  waitFor(expected: string | RegExp): Promise<string>;
  type(text: string): void;
  press(...names: Array<keyof typeof keys>): void;
  resize(columns: number, rows: number): void;
  /** The exit code, once it has ended; -1 when a signal ended it. */
  ended(): Promise<number>;
  kill(): void;
}

/** Runs paydesk as a person does: one terminal for all three streams. */
export async function paydeskTty(args: string[], options: TtyOptions = {}): Promise<Tty> {
  const { spawn: spawnPty } = await import('@lydell/node-pty');
  const { home, clean } = await homeFor(options);
  const [command = node, ...rest] = [...(options.under ?? []), node, program, ...args];
  const pty = spawnPty(command, rest, {
    // It becomes TERM, whatever the environment says.
    name: options.env?.['TERM'] ?? 'xterm-256color',
    cols: options.columns ?? 80,
    rows: options.rows ?? 24,
    cwd: options.cwd ?? root,
    env: environment(home, options.env),
  });
  const limit = options.timeoutMs ?? 120_000;
  let seen = 0;
  const output = readTerminal(pty);
  const end = output.ended.then(async ({ exitCode, signal }) => {
    await clean();
    return signal ? -1 : exitCode;
  });
  const timer = setTimeout(() => pty.kill('SIGKILL'), limit);
  void end.then(() => clearTimeout(timer));

  return {
    raw: () => output.raw,
    text: () => plainText(output.raw),
    async waitFor(expected) {
      let found: string | undefined;
      const isThere = () => {
        found = takeText(plainText(output.raw).slice(seen), expected);
        return found !== undefined;
      };
      await output.until(isThere, limit);
      if (found === undefined) throw new Error(`never saw ${String(expected)} in:\n${plainText(output.raw)}`);
      seen += found.length;
      return found;
    },
    type: (text) => pty.write(text),
    press: (...names) => names.forEach((name) => pty.write(keys[name])),
    resize: (columns, rows) => pty.resize(columns, rows),
    ended: () => end,
    kill: () => pty.kill('SIGKILL'),
  };
}
