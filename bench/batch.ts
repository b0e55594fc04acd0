import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fillCaptured } from './captured.ts';
import { median, startServer, type Figure, type Server } from './measure.ts';
import { measured, type Usage } from './usage.ts';

const ROUNDS = 5;
const ROWS = 4_000;
const CONCURRENCY = 16;
const SMALL = 10_000;
/** How many rows the large batch has; the full size takes its time. */
const LARGE = Number(process.env['PAYDESK_BENCH_ROWS'] ?? 1_000_000);

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'paydesk-bench-'));

/** A desk of its own on this sandbox. */
function openDesk(server: Server, name: string) {
  const home = join(folder, name);
  mkdirSync(home);
  const env = {
    PAYDESK_HOME: home,
    PAYDESK_BASE_URL: server.url,
    PAYDESK_KIND: 'sandbox',
    PAYDESK_APP_ID: server.appId,
    PAYDESK_API_KEY: server.apiKey,
  };
  const batch = (...args: string[]) => measured([pathOf('../bin/run.js'), 'batch', ...args], env);
  return {
    plan: (csv: string) => batch('plan', csv, '--action', 'refund', '--out', `${csv}.json`),
    apply: (csv: string) => batch('apply', `${csv}.json`, '--concurrency', String(CONCURRENCY)),
  };
}

/** The ids in an order of no kind, as files from elsewhere have them. */
function writeCsv(name: string, first: number, count: number): string {
  const ids = Array.from({ length: count }, (_, index) => first + index);
  let state = 1;
  for (let at = count - 1; at > 0; at -= 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = state % (at + 1);
    [ids[at], ids[other]] = [ids[other] as number, ids[at] as number];
  }
  const csv = join(folder, name);
  writeFileSync(csv, `payment\n${ids.join('\n')}\n`);
  return csv;
}

/** A whole `batch apply` as a process against a bare loop as a process, in turns on one sandbox. */
async function throughput(): Promise<Figure> {
  const file = join(folder, 'throughput.db');
  let first = await fillCaptured(file, 2 * ROWS * (ROUNDS + 1));
  const server = await startServer('sandbox', file);
  const desk = openDesk(server, 'desk');
  const bare = (csv: string) => {
    const { url, appId, apiKey } = server;
    return measured([pathOf('bare-refunds.ts'), csv, url, appId, apiKey, String(CONCURRENCY)]);
  };
  const times: Record<'ours' | 'bare', number[]> = { ours: [], bare: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const who of ['ours', 'bare'] as const) {
      const csv = writeCsv(`${who}-${round}.csv`, first, ROWS);
      first += ROWS;
      if (who === 'ours') await desk.plan(csv);
      const { wallMs } = await (who === 'ours' ? desk.apply(csv) : bare(csv));
      if (round > 0) times[who].push(wallMs);
    }
  }
  await server.stop();
  const [ours, loop] = [median(times.ours), median(times.bare)];
  const rate = (ms: number) => `${Math.round((ROWS * 1000) / ms)} rows/s`;
  return {
    name: `batch apply at concurrency ${CONCURRENCY} against a bare undici loop without a ledger`,
    value: loop / ours,
    unit: 'times',
    limit: 0.7,
    better: 'more',
    detail: `${rate(ours)}, ${rate(loop)} bare: ${ROWS} rows of one read and one refund, whole processes (medians of ${ROUNDS})`,
  };
}

/** Two batches on two sandboxes of the same size of desk: the cost of a row is the processor time of our process. */
async function growth(report: (figure: Figure) => void): Promise<void> {
  const file = join(folder, 'growth.db');
  const first = await fillCaptured(file, LARGE + SMALL);
  const server = await startServer('sandbox', file);
  const run = async (name: string, from: number, rows: number) => {
    const desk = openDesk(server, name);
    const csv = writeCsv(`${name}.csv`, from, rows);
    const [plan, apply] = [await desk.plan(csv), await desk.apply(csv)];
    return { rows, plan, apply, cost: (plan.cpuMs + apply.cpuMs) / rows };
  };
  const small = await run('small', first, SMALL);
  const large = await run('large', first + SMALL, LARGE);
  await server.stop();
  const rows = (count: number) => `${count.toLocaleString('en')} rows`;
  const told = ({ plan, apply, rows: count, cost }: typeof small) =>
    `${rows(count)}: plan ${seconds(plan)}, apply ${seconds(apply)}, ${cost.toFixed(3)} ms of processor time a row`;
  report({
    name: `resident memory of planning and applying ${rows(LARGE)}, at its peak`,
    value: Math.max(large.plan.peakMb, large.apply.peakMb),
    unit: 'MB',
    limit: 200,
    better: 'less',
    detail: `plan ${Math.round(large.plan.peakMb)} MB, apply ${Math.round(large.apply.peakMb)} MB`,
  });
  report({
    name: `cost of a row at ${rows(LARGE)} against ${rows(SMALL)}`,
    value: large.cost / small.cost,
    unit: 'times',
    limit: 1.2,
    better: 'less',
    detail: `${told(large)}\n        ${told(small)}`,
  });
}

const seconds = ({ wallMs, cpuMs }: Usage) =>
  `${(wallMs / 1000).toFixed(1)} s (${(cpuMs / 1000).toFixed(1)} s of processor time)`;

export async function batchFigures(report: (figure: Figure) => void): Promise<void> {
  try {
    report(await throughput());
    await growth(report);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
