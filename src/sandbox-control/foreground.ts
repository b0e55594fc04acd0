// A sandbox as a process of its own: what it needs around the server to be found, and to be told what is in its way.

import { paydesk } from '../next-command.js';
import { dirname } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { makeFolder } from '../home-folder.js';
import { GuardError, type PaydeskError, ServiceError, TemporaryError, UsageError } from '../errors.js';
import { StoreError } from '../store/errors.js';
import type { RequestLine } from '../sandbox/index.js';
import { silentSandbox } from './find.js';
import { createRuns, type Runs } from './runs.js';
import { portOf, type Run } from './run.js';
import { Refusal, startSandbox, type SandboxApp } from '../sandbox/index.js';
import { withoutPassword } from '../store/location.js';
import type { SandboxSettings } from './settings.js';

/** V8's own default. */
const V8_GROWTH_FACTOR = 2;

/** A sandbox that accepts requests, in this process or in another. */
export interface StartedSandbox extends Run {
  apps: SandboxApp[];
}

interface ForegroundSandbox extends StartedSandbox {
  /** Resolves when it is asked to stop: `interrupted` by Ctrl-C or a time limit, else by SIGTERM, SIGHUP or the control API. */
  stopped: Promise<'asked' | 'interrupted'>;
  close(): Promise<void>;
}

export async function startInForeground(
  settings: SandboxSettings,
  {
    signal,
    onRequest,
    onError,
    onNotSent,
    profileOf,
  }: {
    signal: AbortSignal;
    onRequest(line: RequestLine): void;
    onError(error: unknown): void;
    onNotSent(text: string): void;
    profileOf(url: string, appId: string): string | undefined;
  },
): Promise<ForegroundSandbox> {
  const newSpace = createNewSpace();
  const runs = createRuns(settings.dataFolder);
  let ask: (how: 'asked' | 'interrupted') => void = () => {};
  const stopped = new Promise<'asked' | 'interrupted'>((resolve) => (ask = resolve));
  // Before the handler that takes them for a Ctrl-C: these are proper ways to end a server.
  const onTerminate = () => ask('asked');
  process.prependListener('SIGTERM', onTerminate).prependListener('SIGHUP', onTerminate);
  signal.addEventListener('abort', () => ask('interrupted'));
  if (signal.aborted) ask('interrupted');
  try {
    makeFolderOf(settings);
    const { host, allowRemote, port, location, seed, answers, rateLimit, webhookHosts, contents, clock } =
      settings;
    const sandbox = await startSandbox({
      host,
      allowRemote,
      port,
      location,
      answers,
      webhookHosts,
      contents,
      clock,
      ...(seed !== undefined && { seed }),
      ...(rateLimit !== undefined && { rateLimit }),
      onRequest(line) {
        if (line.path.startsWith('/api/')) newSpace.keepSmall();
        onRequest(line);
      },
      onError,
      onNotSent,
      profileOf,
      onStop: () => ask('asked'),
    });
    const { url, consoleUrl, controlToken } = sandbox;
    const database = withoutPassword(location);
    const startedTime = new Date().toISOString();
    const run: Run = { url, consoleUrl, controlToken, pid: process.pid, database, startedTime };
    const close = async () => {
      process.off('SIGTERM', onTerminate).off('SIGHUP', onTerminate);
      newSpace.restore();
      await sandbox.close().finally(() => runs.remove(run));
    };
    try {
      writeNote(runs, run, location);
      return { ...run, apps: await sandbox.apps(), stopped, close };
    } catch (error) {
      await close();
      throw error;
    }
  } catch (error) {
    process.off('SIGTERM', onTerminate).off('SIGHUP', onTerminate);
    throw await explainStartFailure(error, settings, runs);
  }
}

/**
 * A server that may run for days: V8 would let the space for new objects grow by 100 MB that it does not need. With other
 * flags V8 takes no compiled code, neither ours nor Node's own: they are changed when the service is loaded, and
 * restored before the end, when compiled code is kept for the next start. Saves 20 ms of it.
 */
function createNewSpace() {
  let isSmall = false;
  const growBy = (factor: number) => setFlagsFromString(`--semi-space-growth-factor=${factor}`);
  return {
    keepSmall() {
      if (!isSmall) growBy(1);
      isSmall = true;
    },
    restore() {
      if (isSmall) growBy(V8_GROWTH_FACTOR);
    },
  };
}

/** One in memory needs no home: it works without the note by which other commands find it. */
function writeNote(runs: Runs, run: Run, location: string): void {
  try {
    runs.write(run);
  } catch (error) {
    if (location !== ':memory:') throw error;
  }
}

function makeFolderOf({ location, dataFolder }: SandboxSettings): void {
  // A folder that somebody named and that is not there is a slip of theirs; our own is made.
  if (dirname(location) === dataFolder) makeFolder(dataFolder);
}

/** Why the sandbox did not start, what blocks it and what to type instead. */
async function explainStartFailure(error: unknown, settings: SandboxSettings, runs: Runs): Promise<unknown> {
  const { code } = error as NodeJS.ErrnoException;
  const { host, port } = settings;
  if (code === 'EADDRINUSE') return portTaken(settings, runs, error);
  if (code === 'EACCES' && error instanceof Error && 'port' in error) {
    return new ServiceError(`You do not have permission to listen on port ${port}.`, {
      code: 'port-forbidden',
      next: [paydesk('sandbox', 'start', '--port', '0')],
      cause: error,
    });
  }
  if (code === 'EADDRNOTAVAIL') {
    return new ServiceError(`This machine has no address ${host} to listen on.`, {
      code: 'host-unavailable',
      next: [paydesk('sandbox', 'start', '--host', '127.0.0.1')],
      cause: error,
    });
  }
  if (error instanceof Refusal) return invalidInitialState(error, settings);
  if (error instanceof StoreError && error.code !== 'home-unwritable') {
    const next = {
      'store-held': [paydesk('sandbox', 'stop'), paydesk('sandbox', 'start', '--memory', '--port', '0')],
      'store-newer': [paydesk('sandbox', 'start', '--database', 'FILE')],
      'store-unusable': [
        paydesk('sandbox', 'start', '--database', 'FILE'),
        paydesk('sandbox', 'start', '--memory'),
      ],
      'store-unavailable': [paydesk('sandbox', 'start', '--memory')],
    }[error.code];
    // A database that is away comes back.
    const Failure = error.code === 'store-unavailable' ? TemporaryError : ServiceError;
    return new Failure(error.message, { code: error.code, next, cause: error });
  }
  return error;
}

/** The sandbox cannot start with this export or at this time. */
function invalidInitialState(error: Refusal, { clock }: SandboxSettings): PaydeskError {
  if (error.code === 'operation-not-allowed') {
    return new GuardError(`${error.message} Nothing was changed.`, {
      code: 'database-in-use',
      next: [
        paydesk('sandbox', 'start', '--memory', '--import', 'FILE'),
        paydesk('sandbox', 'import', 'FILE'),
      ],
      cause: error,
    });
  }
  const isClock = error.errors.some(({ path }) => path === 'value') && clock !== undefined;
  const details = error.errors.map(({ message }) => ({ input: '--clock', problem: message }));
  return isClock
    ? new UsageError('Invalid value. The sandbox was not started.', { code: 'usage', details, cause: error })
    : new UsageError(`${error.message} The sandbox was not started.`, { code: 'bad-file', cause: error });
}

async function portTaken(settings: SandboxSettings, runs: Runs, cause: unknown): Promise<ServiceError> {
  const { port, location } = settings;
  const ours = (await runs.running()).find((run) => portOf(run) === port);
  if (!ours) {
    return new ServiceError(`Port ${port} is in use by another program.`, {
      code: 'port-taken',
      next: [paydesk('sandbox', 'start', '--port', '0')],
      cause,
    });
  }
  if (!ours.answers) return silentSandbox(ours);
  // Two sandboxes cannot have one file.
  const sameFile = ours.database === location && location !== ':memory:' && !location.includes('://');
  return new ServiceError(
    `Port ${port} is in use by a running sandbox (pid ${ours.pid}, database ${ours.database}).`,
    {
      code: 'port-taken',
      next: [
        paydesk('sandbox', 'status', '--port', port),
        paydesk('sandbox', 'stop', '--port', port),
        paydesk('sandbox', 'start', '--port', '0', ...(sameFile ? ['--memory'] : [])),
      ],
      cause,
    },
  );
}
