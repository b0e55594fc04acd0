// A sandbox left running in the background: the same program with the same settings, in a process of its own.

import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../home-folder.js';
import { childEnvironment } from '../child-environment.js';
import {
  GuardError,
  type PaydeskError,
  ProfileError,
  ServiceError,
  TemporaryError,
  UsageError,
  type ErrorOptions,
} from '../errors.js';
import type { StartedSandbox } from './foreground.js';
import { createRuns } from './runs.js';
import { DATABASE_VARIABLE, type SandboxSettings } from './settings.js';

export async function startInBackground(
  settings: SandboxSettings,
  { self, env, signal }: { self: readonly string[]; env: NodeJS.ProcessEnv; signal: AbortSignal },
): Promise<StartedSandbox & { logFile: string }> {
  const folder = join(settings.dataFolder, 'sandbox');
  makeFolder(folder);
  const logFile = join(folder, 'sandbox.log');
  const log = openSync(logFile, 'a', 0o600);
  const [program = '', ...words] = self;
  const child = spawn(program, [...words, ...argumentsFor(settings)], {
    detached: true,
    // The address of a database may hold a password, and everybody can read the arguments of a process.
    env: { ...childEnvironment(env, ['PAYDESK_HOME']), [DATABASE_VARIABLE]: settings.location },
    stdio: ['pipe', 'pipe', log],
  });
  closeSync(log);
  // It may end before it has read everything, and then says why.
  child.stdin?.on('error', () => {});
  child.stdin?.end(settings.contents ?? '');
  const stop = () => child.kill('SIGTERM');
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    const ready = await firstLine(child);
    const run = createRuns(settings.dataFolder).at(ready.url);
    if (!run)
      throw new ServiceError('The sandbox stopped as soon as it was ready.', { code: 'sandbox-lost' });
    return { ...run, apps: ready.apps, logFile };
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    child.stdout?.destroy();
    child.unref();
  }
}

/** The process that starts it stores the profiles, and reports which ones changed. */
function argumentsFor(settings: SandboxSettings): string[] {
  const { host, port, location, seed, answers, rateLimit, webhookHosts, contents, clock } = settings;
  return [
    'sandbox',
    'start',
    '--json',
    // The log of requests, which goes to the file.
    '--debug',
    '--no-profiles',
    `--host=${host}`,
    ...(settings.allowRemote ? ['--allow-remote'] : []),
    `--port=${port}`,
    ...(location === ':memory:' ? ['--memory'] : []),
    ...(contents === undefined ? [] : ['--import', '-']),
    ...(clock === undefined ? [] : ['--clock', new Date(clock).toISOString()]),
    ...(seed === undefined ? [] : ['--seed', String(seed)]),
    ...Object.entries(answers).flatMap(([name, variant]) => ['--answers', `${name}=${variant}`]),
    ...(rateLimit === undefined ? [] : ['--rate-limit', `${rateLimit}/s`]),
    ...webhookHosts.flatMap((name) => ['--webhook-host', name]),
  ];
}

/** What it prints once it accepts requests; or the error that it printed instead. */
function firstLine(child: ChildProcess): Promise<Pick<StartedSandbox, 'url' | 'apps'>> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const [line, rest] = text.split('\n', 2);
      if (rest !== undefined && line?.includes('"url"')) resolve(JSON.parse(line) as StartedSandbox);
    });
    child.on('error', reject);
    child.on('close', (code) => reject(toldError(text, code)));
  });
}

const classes: Readonly<Record<number, new (message: string, options: ErrorOptions) => PaydeskError>> = {
  2: UsageError,
  4: ProfileError,
  5: TemporaryError,
  9: GuardError,
};

interface ToldError {
  code: string;
  message: string;
  exit: number;
  details?: unknown;
  next: string[];
}

/** The error of the other process, as if it had happened in this one. */
function toldError(text: string, exit: number | null): PaydeskError {
  try {
    const { error } = JSON.parse(text) as { error: ToldError };
    const { message, code, next, details } = error;
    return new (classes[error.exit] ?? ServiceError)(message, {
      code,
      details,
      next: next.map((command) => ({ text: command })),
    });
  } catch {
    return new ServiceError(`The sandbox stopped before it was ready (exit code ${exit ?? 'unknown'}).`, {
      code: 'sandbox-lost',
    });
  }
}
