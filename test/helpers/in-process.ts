import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Config } from '@oclif/core/config';
import { fileURLToPath } from 'node:url';
import type { BaseCommand } from '../../src/cli/base-command.js';
import { configOf, createProgram } from '../../src/cli/program.js';
import type { OutputStream } from '../../src/output/streams.js';
import { createRedactor, type Redactor } from '../../src/redact.js';
import { takesAll, type Runtime } from '../../src/cli/runtime.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const config = configOf(createProgram(root));

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
  input?: string;
  /** Gets what goes to stdout as it is written; it is not kept then. */
  onWrite?: (text: string) => void;
  /** Where the data goes instead, for example an open device. */
  stdout?: OutputStream;
  /** Called once the command runs, with what a Ctrl-C would do. */
  onStart?: (interrupt: () => void) => void;
}

type CommandClass = new (argv: string[], config: Config, runtime?: Runtime) => BaseCommand;

/** Runs a command class without a process. */
export async function runInProcess(Class: CommandClass, argv: string[], options: InProcessOptions = {}) {
  // A desk of its own, so that no run finds what another one did.
  const home = mkdtempSync(join(tmpdir(), 'paydesk-home-'));
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
    env: watched({ NO_COLOR: '1', PAYDESK_HOME: home, ...options.env }, options.onEnvRead),
    secrets: options.secrets ?? createRedactor(),
    now: () => options.now ?? new Date('2026-11-16T09:12:40Z'),
    onInterrupt(callback) {
      options.onStart?.(callback);
      return () => {};
    },
    setExitCode: (value) => (code = value),
    exit: (value) => (code = value),
  };
  const command = new Class(argv, config, runtime);
  command.id = 'fixture';
  // oxlint-disable-next-line no-underscore-dangle -- oclif's own name for running an instance
  const result: unknown = await command._run().finally(() => rmSync(home, { recursive: true, force: true }));
  return { stdout, stderr, code, result };
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
export async function findCommand(args: readonly string[]): Promise<{ Class: CommandClass; rest: string[] }> {
  for (let length = args.length; length > 0; length--) {
    const base = join(root, 'src', 'commands', ...args.slice(0, length));
    const file = [`${base}.ts`, join(base, 'index.ts')].find((candidate) => existsSync(candidate));
    if (file === undefined) continue;
    const { default: Class } = (await import(file)) as { default: CommandClass };
    return { Class, rest: args.slice(length) };
  }
  throw new Error(`there is no command ${args.join(' ')}`);
}
