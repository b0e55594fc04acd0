import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Usage {
  wallMs: number;
  cpuMs: number;
  peakMb: number;
}

/** Runs a program to its end, and says what that took. */
export async function measured(args: string[], env: Record<string, string> = {}): Promise<Usage> {
  const folder = mkdtempSync(join(tmpdir(), 'paydesk-usage-'));
  const usage = join(folder, 'usage.json');
  const preload = fileURLToPath(new URL('report-usage.js', import.meta.url));
  const started = performance.now();
  const child = spawn(process.execPath, ['--import', preload, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production', PAYDESK_BENCH_USAGE: usage, ...env },
  });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  const wallMs = performance.now() - started;
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${String(code)}`);
  const used = JSON.parse(readFileSync(usage, 'utf8')) as Omit<Usage, 'wallMs'>;
  rmSync(folder, { recursive: true });
  return { wallMs, ...used };
}
