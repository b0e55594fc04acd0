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
const ROUNDS = 9;
const REQUESTS = 2_000;
const CONCURRENCY = 32;
const program = fileURLToPath(new URL('../bin/run.js', import.meta.url));
const plotFile = fileURLToPath(new URL('../docs/images/growth.svg', import.meta.url));

type Name = 'create' | 'read' | 'find';

/** A sandbox and a desk with that many payments, which take turns with those of other sizes. */
interface Place {
  size: number;
  costs: Record<Name, number[]>;
  /** What each of them costs now, in milliseconds. */
  measure(): Promise<Record<Name, number>>;
  stop(): Promise<void>;
}

async function openPlace(folder: string, size: number): Promise<Place> {
  const sandbox = await openSandbox(join(folder, `sandbox-${size}.db`), size);
  const find = openDesk(join(folder, `desk-${size}`), size);
  return {
    size,
    costs: { create: [], read: [], find: [] },
    measure: async () => ({ create: await sandbox.create(), read: await sandbox.read(), find: find() }),
    stop: sandbox.stop,
  };
}

/** Measures a create and a read in a sandbox. */
async function openSandbox(file: string, size: number) {
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
  const costOf = async (request: typeof create | typeof read) =>
    1000 / (await load(server, REQUESTS, CONCURRENCY, request));
  return { create: () => costOf(create), read: () => costOf(read), stop: () => server.stop() };
}

/** Measures a find by name at a desk, above `--version`. */
function openDesk(home: string, size: number): () => number {
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
  return () => run('payments', 'find', 'eva', 'surname516', '--json') - run('--version');
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
  const places: Place[] = [];
  try {
    for (const size of SIZES) places.push(await openPlace(folder, size));
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const { costs, measure } of places) {
        const found = await measure();
        // The first round warms up.
        if (round > 0) for (const [name, ms] of Object.entries(found)) costs[name as Name].push(ms);
      }
    }
  } finally {
    for (const { stop } of places) await stop();
    rmSync(folder, { recursive: true, force: true });
  }
  const seriesOf = (name: string, of: Name): Series => ({
    name,
    points: places.map(({ size, costs }) => ({ size, ms: median(costs[of]) })),
  });
  const all = [
    seriesOf('a create in the sandbox', 'create'),
    seriesOf('a read in the sandbox', 'read'),
    seriesOf('a find at the desk', 'find'),
  ];
  for (const series of all) report(figureOf(series, 1.5));
  if (!process.env['UPDATE_DOCS']) return;
  writeFileSync(plotFile, drawPlot('Cost of one request or command', machineText(), all));
}
