// How cost grows with the number of payments, from a thousand to a million: in the sandbox, and at the desk.
// With UPDATE_DOCS set, the plot of docs/performance.md is drawn again.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { manyKnown } from '../test/helpers/many-known.ts';
import { fillCaptured } from './captured.ts';
import { load, median, startServer, type Figure } from './measure.ts';
import { drawPlot, type Series } from './plot.ts';
import { machineText } from './report.ts';

const SIZES = [1_000, 10_000, 100_000, 1_000_000];
const ROUNDS = 5;
const REQUESTS = 2_000;
const CONCURRENCY = 32;
const FINDS = 9;
const program = fileURLToPath(new URL('../bin/run.js', import.meta.url));
const plotFile = fileURLToPath(new URL('../docs/images/growth.svg', import.meta.url));

/** What a create and a read cost in a sandbox with that many payments, in milliseconds. */
async function sandboxCosts(folder: string, size: number): Promise<{ create: number; read: number }> {
  const file = join(folder, `sandbox-${size}.db`);
  const first = await fillCaptured(file, size);
  const server = await startServer('sandbox', file);
  const headers = { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' };
  const path = `/api/apps/${server.appId}/payments`;
  let serial = 0;
  const create = () => {
    serial += 1;
    const body = {
      // Among those that are there: the index is written all over, as with real references.
      referenceId: `copy-${Math.floor(Math.random() * size)}-${serial}`,
      amount: 49.9,
      currency: 'EUR',
      autoCapture: true,
      customerOrder: { customer: { customerId: `c-${serial}` } },
    };
    return { method: 'POST' as const, path, headers, body: JSON.stringify(body) };
  };
  const read = () => {
    const paymentId = first + Math.floor(Math.random() * size);
    return { method: 'GET' as const, path: `${path}/${paymentId}`, headers };
  };
  const costs: Record<'create' | 'read', number[]> = { create: [], read: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, request] of Object.entries({ create, read })) {
      const rate = await load(server, REQUESTS, CONCURRENCY, request);
      if (round > 0) costs[name as keyof typeof costs].push(1000 / rate);
    }
  }
  await server.stop();
  return { create: median(costs.create), read: median(costs.read) };
}

/** What a find by name costs at a desk that knows that many payments, above `--version`, in milliseconds. */
function findCost(home: string, size: number): number {
  const env = {
    PATH: process.env['PATH'],
    NODE_ENV: 'production',
    PAYDESK_BASE_URL: 'http://127.0.0.1:9',
    PAYDESK_APP_ID: 'app-1',
    PAYDESK_API_KEY: 'sk_bench',
    PAYDESK_KIND: 'sandbox',
    PAYDESK_HOME: home,
  };
  const run = (...args: string[]): number => {
    const started = performance.now();
    const { status, stderr } = spawnSync(process.execPath, [program, ...args], { env });
    if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${String(stderr)}`);
    return performance.now() - started;
  };
  run('payments', 'list', '--json');
  const db = new DatabaseSync(join(home, 'data', 'desk.db'));
  db.exec(manyKnown('sqlite', size));
  db.close();
  const times: Record<'find' | 'version', number[]> = { find: [], version: [] };
  for (let round = 0; round <= FINDS; round += 1) {
    const took = { find: run('payments', 'find', 'eva', 'surname516', '--json'), version: run('--version') };
    if (round === 0) continue;
    times.find.push(took.find);
    times.version.push(took.version);
  }
  return median(times.find) - median(times.version);
}

function figureOf({ name, points }: Series, limit: number): Figure {
  const [small, large] = [points[0], points.at(-1)];
  return {
    name: `${name}: at ${large?.size.toLocaleString('en')} payments against ${small?.size.toLocaleString('en')}`,
    value: (large?.ms as number) / (small?.ms as number),
    unit: 'times',
    limit,
    better: 'less',
    detail: points.map(({ size, ms }) => `${size.toLocaleString('en')}: ${ms.toFixed(3)} ms`).join(', '),
  };
}

export async function growthFigures(report: (figure: Figure) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'paydesk-bench-'));
  const create: Series = { name: 'a create in the sandbox', points: [] };
  const read: Series = { name: 'a read in the sandbox', points: [] };
  const find: Series = { name: 'a find at the desk', points: [] };
  try {
    for (const size of SIZES) {
      const costs = await sandboxCosts(folder, size);
      create.points.push({ size, ms: costs.create });
      read.points.push({ size, ms: costs.read });
      find.points.push({ size, ms: findCost(join(folder, `desk-${size}`), size) });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  for (const series of [create, read, find]) report(figureOf(series, 1.5));
  if (!process.env['UPDATE_DOCS']) return;
  writeFileSync(plotFile, drawPlot('Cost of one request or command', machineText(), [create, read, find]));
}
