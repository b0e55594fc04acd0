// A sandbox left running in the background: the same program with the same settings, in a process of its own.

import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../home-folder.js';
import { childEnvironment } from '../child-environment.js';
import { errorWithExitCode, type PaydeskError, ServiceError } from '../errors.js';
import { paydesk } from '../next-command.js';
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
  const stopped = (when: string) =>
    new ServiceError(
      `The sandbox stopped ${when}. Its log is ${logFile}. Start it in the foreground to see what happens.`,
      { code: 'sandbox-lost', next: [paydesk('sandbox', 'start')] },
    );
  try {
    const ready = await readyLine(child, stopped);
    const run = createRuns(settings.dataFolder).at(ready.url);
    if (!run) throw stopped('as soon as it was ready');
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
function readyLine(
  child: ChildProcess,
  stopped: (when: string) => Error,
): Promise<Pick<StartedSandbox, 'url' | 'apps'>> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const [line, rest] = text.split('\n', 2);
      if (rest !== undefined && line?.includes('"url"')) resolve(JSON.parse(line) as StartedSandbox);
    });
    child.on('error', reject);
    child.on('close', (code, killedBy) =>
      reject(toldError(text) ?? stopped(`before it was ready (${killedBy ?? `exit code ${code}`})`)),
    );
  });
}

interface ToldError {
  code: string;
  message: string;
  exit: number;
  details?: unknown;
  next: string[];
}

/** The error of the other process, as if it had happened in this one. */
function toldError(text: string): PaydeskError | undefined {
  try {
    const { error } = JSON.parse(text) as { error: ToldError };
    const { exit, message, code, next, details } = error;
    return errorWithExitCode(exit, message, {
      code,
      details,
      next: next.map((command) => ({ text: command })),
    });
  } catch {
    return undefined;
  }
}
