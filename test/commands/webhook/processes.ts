import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { envOf, temporaryHome } from '../../helpers/desk.js';
import { paydesk, type RunResult } from '../../helpers/run.js';
import { eventually, type TestSandbox } from '../../helpers/sandbox.js';
import { postTo, type PostOptions } from '../../webhooks/desk.js';

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

/** `paydesk webhook listen --json` as a process of its own. */
export interface ListenerProcess {
  readonly url: string;
  lines(): Line[];
  /** Those that tell of deliveries. */
  deliveries(): Line[];
  stdout(): string;
  stderr(): string;
  waitFor(count: number): Promise<Line[]>;
  post(body: string | Uint8Array, options?: PostOptions): Promise<number>;
  kill(signal: NodeJS.Signals): void;
  /** The exit code; -1 when a signal ended it. */
  ended: Promise<number>;
}

export interface HookHome {
  path: string;
  env: Record<string, string>;
  listen(...args: string[]): Promise<ListenerProcess>;
  /** Runs paydesk in this home, as a script does. */
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
    run: (...args) => paydesk(args, { home: path, env }),
    async close() {
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
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', TZ: 'UTC', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? -1)));
  const lines = () =>
    stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line);
  const deliveries = () => lines().filter(({ event }) => event === 'delivery');
  return new Promise((resolve, reject) => {
    const listener: ListenerProcess = {
      get url() {
        return lines()[0]?.url ?? '';
      },
      lines,
      deliveries,
      stdout: () => stdout,
      stderr: () => stderr,
      waitFor: (count) =>
        eventually(() => {
          const all = deliveries();
          if (all.length < count)
            throw new Error(`${all.length} of ${count} were told\n${stdout}\n${stderr}`);
          return all;
        }),
      post: (body, options) => postTo(listener.url, body, options),
      kill: (signal) => void child.kill(signal),
      ended,
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (stdout.includes('\n')) resolve(listener);
    });
    void ended.then((code) => reject(new Error(`exit ${code} before it was ready:\n${stdout}\n${stderr}`)));
  });
}
