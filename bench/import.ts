// Bringing a shop's orders in, against a bare loop that only reads the same payments.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '../test/helpers/postgres.ts';
import { fillCaptured } from './captured.ts';
import { median, startServer, type Figure, type Server } from './measure.ts';
import { measured, type Usage } from './usage.ts';

const ROUNDS = 3;
const ROWS = 100_000;
const CONCURRENCY = 16;
/** How many rows the large file has; the full size takes its time. */
const LARGE = Number(process.env['PAYDESK_BENCH_ROWS'] ?? 1_000_000);

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'paydesk-bench-'));

function writeOrders(name: string, rows: number): string {
  const csv = join(folder, name);
  const lines = Array.from({ length: rows }, (_, index) => `copy-${index + 1}`);
  writeFileSync(csv, `reference\n${lines.join('\n')}\n`);
  return csv;
}

let homes = 0;
/** On a desk of its own, so that every payment is new to it. */
function importing(server: Server, csv: string, env: Record<string, string> = {}): Promise<Usage> {
  const home = join(folder, `home-${(homes += 1)}`);
  mkdirSync(home);
  return measured([pathOf('../bin/run.js'), 'payments', 'import', csv, '--json'], {
    PAYDESK_HOME: home,
    PAYDESK_BASE_URL: server.url,
    PAYDESK_KIND: 'sandbox',
    PAYDESK_APP_ID: server.appId,
    PAYDESK_API_KEY: server.apiKey,
    ...env,
  });
}

async function throughput(
  server: Server,
  { engine, limit, env }: { engine: string; limit: number; env: () => Promise<Record<string, string>> },
): Promise<Figure> {
  const csv = writeOrders('orders.csv', ROWS);
  const { url, appId, apiKey } = server;
  const times: Record<'ours' | 'bare', number[]> = { ours: [], bare: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const ours = await importing(server, csv, await env());
    const bare = await measured([pathOf('bare-reads.js'), csv, url, appId, apiKey, String(CONCURRENCY)]);
    if (round === 0) continue;
    times.ours.push(ours.wallMs);
    times.bare.push(bare.wallMs);
  }
  const [ours, bare] = [median(times.ours), median(times.bare)];
  const rate = (ms: number) => `${Math.round((ROWS * 1000) / ms)} rows/s`;
  return {
    name: `payments import on ${engine} against a bare undici loop of the same reads`,
    value: bare / ours,
    unit: 'times',
    limit,
    better: 'more',
    detail: `${rate(ours)}, ${rate(bare)} bare: ${ROWS.toLocaleString('en')} rows at concurrency ${CONCURRENCY}, whole processes (medians of ${ROUNDS})`,
  };
}

async function memory(server: Server): Promise<Figure> {
  const { peakMb, wallMs, cpuMs } = await importing(server, writeOrders('large.csv', LARGE));
  return {
    name: `resident memory of importing ${LARGE.toLocaleString('en')} rows, at its peak`,
    value: peakMb,
    unit: 'MB',
    limit: 200,
    better: 'less',
    detail: `${(wallMs / 1000).toFixed(0)} s, ${(cpuMs / LARGE).toFixed(3)} ms of processor time a row`,
  };
}

export async function importFigures(report: (figure: Figure) => void): Promise<void> {
  const file = join(folder, 'sandbox.db');
  await fillCaptured(file, Math.max(ROWS, LARGE));
  const server = await startServer('sandbox', file);
  const postgres = await startPostgres();
  if (!postgres) throw new Error('PostgreSQL is needed: install it, or set PAYDESK_TEST_POSTGRES.');
  try {
    report(await throughput(server, { engine: 'SQLite', limit: 0.7, env: async () => ({}) }));
    // The database itself takes as much of the machine again as a read does, which the bare loop has for its own.
    const env = async () => ({ PAYDESK_DATABASE: await postgres.createDatabase() });
    report(await throughput(server, { engine: 'PostgreSQL', limit: 0.5, env }));
    report(await memory(server));
  } finally {
    await server.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
