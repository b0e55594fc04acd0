// A command that runs beside a sandbox of its own, and ends with it.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { childEnvironment, type Environment } from '../child-environment.js';
import { PendingError, UsageError } from '../errors.js';
import { paydesk } from '../next-command.js';
import { environmentFor, type SandboxApp } from '../sandbox/index.js';
import type { StartedSandbox } from './foreground.js';
import { killTree } from './process-tree.js';

const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface ExecOptions {
  env: Environment;
  /** How this program is started. */
  self: readonly string[];
  /** Ctrl-C in a terminal reaches the command by itself. */
  terminal: boolean;
  /** Fires when the time is up. */
  signal: AbortSignal;
}

/** The home that a command beside a sandbox works in: an empty one, unless another was chosen. */
export function execHome(env: Environment): { path: string; isOurs: boolean } {
  const chosen = env['PAYDESK_HOME'];
  if (chosen) return { path: chosen, isOurs: false };
  return { path: mkdtempSync(join(tmpdir(), 'paydesk-exec-')), isOurs: true };
}

/** Runs a command that finds the sandbox through its environment. Returns its exit code. */
export async function runWithSandbox(
  sandbox: StartedSandbox,
  home: ReturnType<typeof execHome>,
  [program = '', ...words]: readonly string[],
  { env, self, terminal, signal }: ExecOptions,
): Promise<number> {
  const guard = startGuard(self, env);
  const removed = home.isOurs ? home.path : undefined;
  guard.stdin?.write(`${JSON.stringify({ home: removed })}\n`);
  try {
    const child = spawn(program, words, {
      stdio: 'inherit',
      env: {
        ...childEnvironment(env, ['PAYDESK_DEBUG']),
        ...environmentFor(sandbox, appOf(sandbox)),
        PAYDESK_HOME: home.path,
      },
    });
    const ended = endOf(child, program);
    guard.stdin?.write(`${JSON.stringify({ pid: child.pid })}\n`);
    const stopPassing = passOn(child, { terminal, signal });
    return await ended.finally(stopPassing);
  } finally {
    // From here on there is nothing to end.
    guard.stdin?.end('{"done":true}\n');
  }
}

function appOf({ apps }: StartedSandbox): SandboxApp {
  const app = apps.find(({ isSandbox }) => isSandbox);
  if (app) return app;
  throw new UsageError('The import contains no sandbox app. The command was not run.', {
    code: 'no-sandbox-app',
    details: 'Create one in the sandbox that it was exported from, and export that again:',
    next: [paydesk('sandbox', 'apps', 'create', 'NAME'), paydesk('sandbox', 'export', 'FILE')],
  });
}

function endOf(child: ChildProcess, program: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.on('error', (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'ENOENT' ? 'there is no such program' : cause.message;
      reject(new UsageError(`${program} cannot be run: ${why}.`, { code: 'cannot-run', cause }));
    });
    // As a shell says it: a signal is 128 and its number.
    child.on('exit', (code, name) => resolve(code ?? 128 + (name === null ? 0 : constants.signals[name])));
  });
}

/** Passes signals on to the command; returns what ends that. */
function passOn(child: ChildProcess, { terminal, signal }: Pick<ExecOptions, 'terminal' | 'signal'>) {
  const listeners = passedOn
    .filter((name) => !(terminal && name === 'SIGINT'))
    .map((name) => [name, () => void child.kill(name)] as const);
  for (const [name, pass] of listeners) process.on(name, pass);
  const onTimeUp = () => {
    if (signal.reason instanceof PendingError) child.kill('SIGTERM');
  };
  signal.addEventListener('abort', onTimeUp);
  return () => {
    for (const [name, pass] of listeners) process.off(name, pass);
    signal.removeEventListener('abort', onTimeUp);
  };
}

/** A process that ends the command if this one is killed and cannot do it itself. */
function startGuard(self: readonly string[], env: Environment): ChildProcess {
  const [program = '', ...words] = self;
  const guard = spawn(program, [...words, 'sandbox', 'exec-guard'], {
    // Away from the terminal: Ctrl-C is not for it.
    detached: true,
    env: childEnvironment(env),
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.on('error', () => {});
  guard.stdin?.on('error', () => {});
  guard.unref();
  return guard;
}

/** The work of that process: what it reads ends when the other process does, however that ended. */
export async function guardCommand(input: AsyncIterable<unknown>): Promise<void> {
  let text = '';
  for await (const chunk of input) text += String(chunk);
  // A last line that was cut off is ignored.
  const messages = text.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'));
  const { pid, home, done } = Object.assign(
    {},
    ...messages.map((line) => JSON.parse(line) as GuardMessage),
  ) as GuardMessage;
  if (done) return;
  if (pid !== undefined) killTree(pid);
  if (home !== undefined) rmSync(home, { recursive: true, force: true });
}

/** A line that it reads. */
interface GuardMessage {
  /** The command. */
  pid?: number;
  /** A folder that nobody needs afterwards. */
  home?: string;
  /** The command has ended. */
  done?: boolean;
}
