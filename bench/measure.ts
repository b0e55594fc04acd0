// Shared by the benchmarks: processes, load and medians.
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';

export interface Figure {
  name: string;
  /** What the ratio or difference came to. */
  value: number;
  unit: string;
  /** None where the figure is only there to compare others with. */
  limit?: number;
  better?: 'more' | 'less';
  detail: string;
}

export interface Server {
  url: string;
  appId: string;
  apiKey: string;
  controlToken: string;
  pid: number;
  stop(): Promise<void>;
}

export async function startServer(...args: string[]): Promise<Server> {
  const script = fileURLToPath(new URL('sandbox-server.ts', import.meta.url));
  const child = spawn(process.execPath, [script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const line = await firstLine(child);
  return {
    ...(JSON.parse(line) as Omit<Server, 'pid' | 'stop'>),
    pid: child.pid as number,
    stop: () => end(child),
  };
}

export async function firstLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) return line;
  throw new Error('the process ended without a word');
}

export async function end(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
}

/** Requests a second, with `concurrency` of them under way at a time. */
export async function load(
  server: { url: string },
  count: number,
  concurrency: number,
  request: (index: number) => {
    method: 'GET' | 'POST';
    path: string;
    headers: Record<string, string>;
    body?: string;
  },
): Promise<number> {
  const pool = new Pool(server.url, { connections: concurrency, allowH2: false });
  let next = 0;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (next < count) {
        const { path, ...rest } = request(next++);
        const answer = await pool.request({ path, ...rest });
        const text = await answer.body.text();
        if (answer.statusCode >= 300) throw new Error(`${answer.statusCode} ${text}`);
      }
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  await pool.close();
  return count / seconds;
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] as number;
}

/** Resident memory of a process, in MB. */
export function residentMb(pid: number): number {
  const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1]) / 1024;
}
