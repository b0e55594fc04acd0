import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { envOf, runTyped, temporaryHome } from '../../helpers/desk.js';
import { programEnvironment } from '../../helpers/program-environment.js';
import type { RunResult } from '../../helpers/run.js';
import { eventually, type TestSandbox } from '../../helpers/sandbox.js';
import { postTo, type PostOptions } from '../../webhooks/hook-desk.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const node = join(root, 'node_modules', 'node', 'bin', 'node');

export interface Line {
  event?: string;
  url?: string;
  localUrl?: string;
  id?: number;
  paymentId?: number;
  referenceId?: string;
  state?: string | null;
  previousState?: string | null;
  duplicate?: boolean;
  forwards?: Array<{ to: string; status: number | null; ms: number | null }>;
  error?: { code: string; message: string; exit: number; next: string[] };
  [key: string]: unknown;
}

/** What runs `paydesk webhook listen --json`. */
export interface Listener {
  readonly url: string;
  lines(): Line[];
  /** Those that tell of deliveries. */
  deliveries(): Line[];
  stdout(): string;
  waitFor(count: number): Promise<Line[]>;
  post(body: string | Uint8Array, options?: PostOptions): Promise<number>;
  /** The exit code; -1 when a signal ended it. */
  ended: Promise<number>;
}

/** In a process of its own. */
export interface ListenerProcess extends Listener {
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
}

/** In this process. */
export interface ListenerHere extends Listener {
  /** What Ctrl-C does. */
  interrupt(): void;
}

export interface HookHome {
  path: string;
  env: Record<string, string>;
  listen(...args: string[]): Promise<ListenerProcess>;
  /** As `listen`, without a process. */
  listenHere(...args: string[]): Promise<ListenerHere>;
  /** Runs paydesk in this home, as a script does, without a process. */
  run(...args: string[]): Promise<RunResult>;
  close(): Promise<void>;
}

export function createHookHome(
  sandbox: TestSandbox,
  more: Record<string, string> = {},
  kind: 'sandbox' | 'live' = 'sandbox',
): HookHome {
  const path = temporaryHome();
  const env = { ...envOf(sandbox, kind), ...more };
  const started: ListenerProcess[] = [];
  const here: ListenerHere[] = [];
  return {
    path,
    env,
    async listen(...args) {
      const listener = await spawnListener({ ...env, PAYDESK_HOME: path }, [
        '--json',
        '--port',
        '0',
        ...args,
      ]);
      started.push(listener);
      return listener;
    },
    async listenHere(...args) {
      const listener = await runListener(path, env, args);
      here.push(listener);
      return listener;
    },
    run: (...args) => runTyped(args, { home: path, env }),
    async close() {
      for (const { interrupt, ended } of here) {
        interrupt();
        await ended;
      }
      for (const { kill, ended } of started) {
        kill('SIGKILL');
        await ended;
      }
      rmSync(path, { recursive: true, force: true });
    },
  };
}

function spawnListener(env: Record<string, string>, args: string[]): Promise<ListenerProcess> {
  const child = spawn(node, [join(root, 'bin', 'run.js'), 'webhook', 'listen', ...args], {
    env: { ...programEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? -1)));
  return new Promise((resolve, reject) => {
    const written = listenerOf(() => stdout);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (!stdout.includes('\n')) return;
      resolve({ ...written, url: written.lines()[0]?.url ?? '', stderr: () => stderr, kill, ended });
    });
    const kill: ListenerProcess['kill'] = (signal) => void child.kill(signal);
    void ended.then((code) => reject(new Error(`exit ${code} before it was ready:\n${stdout}\n${stderr}`)));
  });
}

async function runListener(home: string, env: Record<string, string>, args: string[]): Promise<ListenerHere> {
  let stdout = '';
  let interrupt = () => {};
  const ready = Promise.withResolvers<void>();
  const running = runTyped(['webhook', 'listen', '--json', '--port', '0', ...args], {
    home,
    env,
    onStart: (stop) => (interrupt = stop),
    onWrite(text) {
      stdout += text;
      if (stdout.includes('\n')) ready.resolve();
    },
  });
  const ended = running.then(({ code }) => code);
  void running.then(({ code, stderr }) =>
    ready.reject(new Error(`exit ${code} before it was ready:\n${stdout}\n${stderr}`)),
  );
  await ready.promise;
  const written = listenerOf(() => stdout);
  return { ...written, url: written.lines()[0]?.url ?? '', interrupt: () => interrupt(), ended };
}

/** What can be read from what it wrote. */
function listenerOf(stdout: () => string): Omit<Listener, 'url' | 'ended'> {
  const lines = () =>
    stdout()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line);
  const deliveries = () => lines().filter(({ event }) => event === 'delivery');
  return {
    lines,
    deliveries,
    stdout,
    waitFor: (count) =>
      eventually(() => {
        const all = deliveries();
        if (all.length < count) throw new Error(`${all.length} of ${count} were told\n${stdout()}`);
        return all;
      }),
    post: (body, options) => postTo(lines()[0]?.url ?? '', body, options),
  };
}
