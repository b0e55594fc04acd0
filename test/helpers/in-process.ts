// Commands that run in the process of the tests, without a process of their own.

import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Config } from '@oclif/core/config';
import { fileURLToPath } from 'node:url';
import type { BaseCommand } from '../../src/cli/runtime/base-command.js';
import { configOf, createProgram } from '../../src/cli/runtime/program.js';
import type { OutputStream } from '../../src/output/streams.js';
import { createRedactor, type Redactor } from '../../src/redact.js';
import { takesAll, type Runtime } from '../../src/cli/runtime/runtime.js';
import { openDeskDatabase } from '../../src/ledger/database.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const load = (name: string): unknown => createRequire(import.meta.url)(join(root, 'dist', 'app', name));
const config = configOf(createProgram(root, load));

export interface InProcessOptions {
  /** A terminal on all three streams; a pipe otherwise. */
  terminal?: boolean;
  columns?: number;
  env?: Record<string, string>;
  /** Called with the name of each variable that is read. */
  onEnvRead?: (name: string) => void;
  now?: Date;
  secrets?: Redactor;
  /** What is piped in. */
  input?: string | Uint8Array;
  /** Gets what goes to stdout as it is written; it is not kept then. */
  onWrite?: (text: string) => void;
  /** Where the data goes instead, for example an open device. */
  stdout?: OutputStream;
  /** Called once the command runs, with what a Ctrl-C would do. */
  onStart?: (interrupt: () => void) => void;
  /** Called with the exit code as soon as it is known. */
  onExitCode?: (code: number) => void;
  /** As it is called in next steps. */
  id?: string;
}

export type CommandClass = new (argv: string[], config: Config, runtime?: Runtime) => BaseCommand;

/** Runs a command class without a process. */
export async function runInProcess(Class: CommandClass, argv: string[], options: InProcessOptions = {}) {
  // A desk of its own, so that no run finds what another one did.
  const home = options.env?.['PAYDESK_HOME'] === undefined ? await homeWithLedger() : undefined;
  let stdout = '';
  let stderr = '';
  let code = 0;
  const stream = (write: (text: string) => void) => ({
    isTTY: options.terminal === true,
    ...(options.terminal ? { columns: options.columns ?? 80 } : {}),
    write: takesAll(write),
  });
  const stdin = Object.assign(new PassThrough(), { isTTY: options.terminal === true });
  if (!options.terminal) stdin.end(options.input ?? '');
  const runtime: Runtime = {
    stdin,
    stdout: options.stdout ?? stream(options.onWrite ?? ((text) => (stdout += text))),
    stderr: stream((text) => (stderr += text)),
    env: watched({ NO_COLOR: '1', ...(home && { PAYDESK_HOME: home }), ...options.env }, options.onEnvRead),
    secrets: options.secrets ?? createRedactor(),
    now: () => options.now ?? new Date('2026-11-16T09:12:40Z'),
    keepHeapSmall() {},
    onInterrupt(callback) {
      options.onStart?.(callback);
      return () => {};
    },
    setExitCode(value) {
      code = value;
      options.onExitCode?.(value);
    },
    exit: (value) => (code = value),
  };
  const command = new Class(argv, config, runtime);
  command.id = options.id ?? 'fixture';
  // oxlint-disable-next-line no-underscore-dangle -- oclif's own name for running an instance
  const result: unknown = await command._run().finally(() => {
    if (home !== undefined) rmSync(home, { recursive: true, force: true });
  });
  return { stdout, stderr, code, result };
}

let emptyLedger: Promise<string> | undefined;

/** A home whose ledger is empty. Making its tables takes longer than most commands, so each worker makes them once. */
export async function homeWithLedger(): Promise<string> {
  emptyLedger ??= makeEmptyLedger();
  const home = mkdtempSync(join(tmpdir(), 'paydesk-home-'));
  mkdirSync(join(home, 'data'), { mode: 0o700 });
  copyFileSync(await emptyLedger, join(home, 'data', 'desk.db'));
  return home;
}

async function makeEmptyLedger(): Promise<string> {
  const location = join(mkdtempSync(join(tmpdir(), 'paydesk-empty-ledger-')), 'desk.db');
  const { close } = await openDeskDatabase({ location, operator: 'nobody' });
  await close();
  return location;
}

function watched(env: Runtime['env'], onRead: InProcessOptions['onEnvRead']): Runtime['env'] {
  if (onRead === undefined) return env;
  return new Proxy(env, {
    get(target, name) {
      if (typeof name === 'string') onRead(name);
      return Reflect.get(target, name) as string | undefined;
    },
  });
}

/** The class of a command, and the words after its name. */
export async function findCommand(
  args: readonly string[],
): Promise<{ Class: CommandClass; id: string; rest: string[] }> {
  for (let length = args.length; length > 0; length--) {
    const words = args.slice(0, length);
    const Class = await importCommand(words);
    if (Class !== undefined) return { Class, id: words.join(':'), rest: args.slice(length) };
  }
  throw new Error(`there is no command ${args.join(' ')}`);
}

const imported = new Map<string, Promise<CommandClass | undefined>>();

/** Kept, since an import of a path that is put together goes to the main process of the tests each time. */
function importCommand(name: readonly string[]): Promise<CommandClass | undefined> {
  const base = join(root, 'src', 'commands', ...name);
  const known = imported.get(base) ?? importFrom([`${base}.ts`, join(base, 'index.ts')]);
  imported.set(base, known);
  return known;
}

async function importFrom(files: readonly string[]): Promise<CommandClass | undefined> {
  const file = files.find((candidate) => existsSync(candidate));
  return file === undefined ? undefined : ((await import(file)) as { default: CommandClass }).default;
}
