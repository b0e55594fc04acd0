import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runTyped } from '../../helpers/desk.js';
import { programEnvironment } from '../../helpers/program-environment.js';
import { paydesk, type RunResult } from '../../helpers/run.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const node = join(root, 'node_modules', 'node', 'bin', 'node');

/** The line that `sandbox start --json` prints first. */
export interface Ready {
  url: string;
  consoleUrl: string;
  controlToken: string;
  apps: Array<{ appId: string; apiKey: string; friendlyName: string; isSandbox: boolean }>;
}

export interface SandboxProcess {
  ready: Ready;
  pid: number;
  stdout(): string;
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
  /** The exit code; -1 when a signal ended it. */
  ended: Promise<number>;
}

/** A sandbox that `sandbox start` runs in this process. */
export interface ServedSandbox {
  ready: Ready;
  /** Ends it as Ctrl-C does; gives back what it wrote to stderr. */
  close(): Promise<string>;
}

export interface Home {
  path: string;
  /** As `start`, without a process. */
  serve(...args: string[]): Promise<ServedSandbox>;
  /** Starts a sandbox in the foreground with `--json`, on a free port unless told otherwise. */
  start(...args: string[]): Promise<SandboxProcess>;
  /** Runs paydesk in this home, as a script does, without a process. */
  run(args: string[], input?: string): Promise<RunResult>;
  /** The same in a process. */
  spawn(args: string[]): Promise<RunResult>;
  /** With `--json`, parsed and without a process; fails when the exit code is another. */
  json<T = Record<string, unknown>>(args: string[], code?: number): Promise<T>;
  /** Ends what is still running and removes the folder. */
  remove(): Promise<void>;
}

export async function createHome(): Promise<Home> {
  const path = await mkdtemp(join(tmpdir(), 'paydesk-sandbox-'));
  const started: SandboxProcess[] = [];
  const served: ServedSandbox[] = [];
  const jsonOn = (args: string[]) => ['--json', ...(args.includes('--port') ? [] : ['--port', '0']), ...args];
  const run: Home['run'] = async (args, input) => {
    const ran = await runTyped(args, { home: path, ...(input !== undefined && { input }) });
    return { stdout: ran.stdout, stderr: ran.stderr, code: ran.code };
  };

  return {
    path,
    run,
    spawn: (args) => paydesk(args, { home: path }),
    async serve(...args) {
      const sandbox = await serveSandbox(path, jsonOn(args));
      served.push(sandbox);
      return sandbox;
    },
    async start(...args) {
      const sandbox = await spawnSandbox(path, jsonOn(args));
      started.push(sandbox);
      return sandbox;
    },
    async json<T>(args: string[], code = 0) {
      const result = await run([...args, '--json']);
      if (result.code !== code) throw new Error(`exit ${result.code}:\n${result.stdout}\n${result.stderr}`);
      return JSON.parse(result.stdout) as T;
    },
    async remove() {
      for (const { close } of served) await close();
      for (const { kill, ended } of started) {
        kill('SIGKILL');
        await ended;
      }
      for (const pid of detached(path)) {
        if (!started.some((sandbox) => sandbox.pid === pid)) process.kill(pid, 'SIGKILL');
      }
      await rm(path, { recursive: true, force: true });
    },
  };
}

/** Sandboxes in the background whose notes are still there. */
function detached(home: string): number[] {
  const folder = join(home, 'data', 'sandbox');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  return names.map((name) => (JSON.parse(readFileSync(join(folder, name), 'utf8')) as { pid: number }).pid);
}

async function serveSandbox(home: string, args: string[]): Promise<ServedSandbox> {
  const ready = Promise.withResolvers<Ready>();
  let interrupt = () => {};
  let stdout = '';
  const ended = runTyped(['sandbox', 'start', ...args], {
    home,
    onStart: (stop) => (interrupt = stop),
    onWrite(text) {
      stdout += text;
      if (stdout.includes('\n')) ready.resolve(JSON.parse(stdout.split('\n')[0]!) as Ready);
    },
  });
  void ended.then(({ code, stderr }) =>
    ready.reject(new Error(`exit ${code} before it was ready:\n${stderr}`)),
  );
  return {
    ready: await ready.promise,
    async close() {
      interrupt();
      return (await ended).stderr;
    },
  };
}

function spawnSandbox(home: string, args: string[]): Promise<SandboxProcess> {
  const child = spawn(node, [join(root, 'bin', 'run.js'), 'sandbox', 'start', ...args], {
    env: { ...programEnvironment(), PAYDESK_HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? -1)));
  return new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const isFirst = !stdout.includes('\n');
      stdout += text;
      if (!isFirst || !stdout.includes('\n')) return;
      resolve({
        ready: JSON.parse(stdout.split('\n')[0]!) as Ready,
        pid: child.pid!,
        stdout: () => stdout,
        stderr: () => stderr,
        kill: (signal) => void child.kill(signal),
        ended,
      });
    });
    void ended.then((code) => reject(new Error(`exit ${code} before it was ready:\n${stdout}\n${stderr}`)));
  });
}

/** Creates a payment that a customer can pay. */
export async function createPayment(
  ready: Ready,
  referenceId: string,
  app = ready.apps[0]!,
): Promise<Response> {
  return fetch(`${ready.url}/api/apps/${app.appId}/payments/hosted-page`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      referenceId,
      amount: 49.9,
      currency: 'EUR',
      customerOrder: { customer: { customerId: 'c_881' } },
      autoCapture: true,
      returnUrl: 'https://shop.example/done',
      showPayRecurringInCheckout: true,
    }),
  });
}
