import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import {
  end,
  firstLine,
  load,
  median,
  residentMb,
  startServer,
  type Figure,
  type Server,
} from './measure.ts';

const ROUNDS = 5;
/** Reads are quick, and their rate swings with the machine: enough rounds that one slow spell does not decide. */
const READ_ROUNDS = 15;
const CREATES = 4000;
const CONCURRENCY = 32;

const folder = mkdtempSync(join(tmpdir(), 'paydesk-bench-'));
let serial = 0;

function createRequest(server: Server, reference: string) {
  return {
    method: 'POST' as const,
    path: `/api/apps/${server.appId}/payments/hosted-page`,
    headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      referenceId: reference,
      amount: 49.9,
      currency: 'EUR',
      returnUrl: 'https://shop.example/thanks',
      autoCapture: true,
      showPayRecurringInCheckout: false,
      customerOrder: { customer: { customerId: `c-${reference}` } },
    }),
  };
}

/** The rows of a create, copied from one that the sandbox made, written as plainly as node:sqlite can. */
function bareWriter(file: string) {
  const db = new DatabaseSync(file, { timeout: 5000 });
  db.exec('pragma journal_mode = wal; pragma synchronous = full;');
  const tables = ['payments', 'customers', 'events'] as const;
  const ids = { payments: 'payment_id', customers: 'id', events: 'id' };
  const writers = tables.map((table) => {
    const { [ids[table]]: _, ...row } = db.prepare(`select * from ${table} limit 1`).get() as Record<
      string,
      null | number | string
    >;
    const columns = Object.keys(row);
    const insert = db.prepare(
      `insert into ${table} (${columns.join(',')}) values (${columns.map((column) => `:${column}`).join(',')})`,
    );
    return { table, row, insert };
  });
  return {
    write(reference: string) {
      let paymentId: number | bigint = 0;
      for (const { table, row, insert } of writers) {
        const { lastInsertRowid }: { lastInsertRowid: number | bigint } = insert.run({
          ...row,
          ...(table === 'payments' && { reference_id: reference }),
          ...(table === 'customers' && { customer_id: `c-${reference}` }),
          ...(table === 'events' && { payment_id: paymentId }),
        });
        if (table === 'payments') paymentId = lastInsertRowid;
      }
    },
    exec: (sql: string) => db.exec(sql),
    close: () => db.close(),
  };
}

/** A database file of the sandbox's own making, with one payment in it, for the bare writer. */
async function preparedFile(): Promise<string> {
  const file = join(folder, `bare-${serial++}.db`);
  const server = await startServer('sandbox', file);
  await load(server, 1, 1, () => createRequest(server, 'first'));
  await server.stop();
  return file;
}

async function creates(): Promise<Figure> {
  const server = await startServer('sandbox', join(folder, 'creates.db'));
  const bare = bareWriter(await preparedFile());
  const ratios: number[] = [];
  let rates = { ours: 0, bare: 0 };
  await load(server, CREATES, CONCURRENCY, () => createRequest(server, `warm-${serial++}`));
  for (let round = 0; round < ROUNDS; round += 1) {
    const started = performance.now();
    for (let index = 0; index < CREATES; index += 1) {
      bare.exec('begin immediate');
      bare.write(`b-${serial++}`);
      bare.exec('commit');
    }
    const bareRate = CREATES / ((performance.now() - started) / 1000);
    const ours = await load(server, CREATES, CONCURRENCY, () => createRequest(server, `r-${serial++}`));
    ratios.push(ours / bareRate);
    rates = { ours, bare: bareRate };
  }
  bare.close();
  await server.stop();
  return {
    name: 'durable creates against bare node:sqlite',
    value: median(ratios),
    unit: 'times',
    limit: 0.9,
    better: 'more',
    detail: `${Math.round(rates.ours)}/s over HTTP, ${Math.round(rates.bare)}/s bare (last of ${ROUNDS} rounds)`,
  };
}

/** More payments than the sandbox keeps answers for (`src/sandbox/http/kept-answers.ts`). */
const MANY_READ = 4_000;

/** Reads that find the kept answer to an earlier one, and reads that find none. */
async function reads(report: (figure: Figure) => void): Promise<void> {
  const server = await startServer('sandbox', join(folder, 'reads.db'));
  await load(server, MANY_READ, CONCURRENCY, (index) => createRequest(server, `read-${index}`));
  const headers = { authorization: `Bearer ${server.apiKey}` };
  const path = (index: number) => `/api/apps/${server.appId}/payments/${100_001 + index}`;
  const sample = await (await fetch(server.url + path(0), { headers })).text();
  const bare = await startServer('bare', sample);
  for (const [name, payments] of [
    ['reads by id', 1000],
    ['reads by id of which no answer is kept,', MANY_READ],
  ] as const) {
    const get = (index: number) => ({ method: 'GET' as const, path: path(index % payments), headers });
    const ratios: number[] = [];
    let rates = { ours: 0, bare: 0 };
    for (let round = 0; round <= READ_ROUNDS; round += 1) {
      const bareRate = await load(bare, 10_000, CONCURRENCY, get);
      const ours = await load(server, 10_000, CONCURRENCY, get);
      if (round > 0) ratios.push(ours / bareRate);
      rates = { ours, bare: bareRate };
    }
    report({
      name: `${name} against a bare Hono route with the same bytes`,
      value: median(ratios),
      unit: 'times',
      ...(payments < MANY_READ && { limit: 0.7, better: 'more' }),
      detail: `of ${payments} payments: ${Math.round(rates.ours)}/s, ${Math.round(rates.bare)}/s bare (last of ${READ_ROUNDS} rounds)`,
    });
  }
  await bare.stop();
  await server.stop();
}

/** The sandbox as people start it; resolves once it has said that it is ready. */
async function startProgram(...flags: string[]): Promise<Server> {
  const program = fileURLToPath(new URL('../bin/run.js', import.meta.url));
  const args = [program, 'sandbox', 'start', '--port', '0', '--json', ...flags];
  const env = { ...process.env, NODE_ENV: 'production', PAYDESK_HOME: join(folder, 'home') };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const { url, controlToken, apps } = JSON.parse(await firstLine(child)) as {
    url: string;
    controlToken: string;
    apps: [{ appId: string; apiKey: string }];
  };
  const [{ appId, apiKey }] = apps;
  return { url, controlToken, appId, apiKey, pid: child.pid as number, stop: () => end(child) };
}

async function readiness(): Promise<Figure> {
  const ready: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round <= 20; round += 1) {
    let started = performance.now();
    const nothing = spawn(process.execPath, ['-e', '0']);
    await new Promise((resolve) => nothing.once('exit', resolve));
    bare.push(performance.now() - started);
    started = performance.now();
    const server = await startProgram();
    await fetch(`${server.url}/openapi.json`, { method: 'HEAD' });
    ready.push(performance.now() - started);
    await server.stop();
  }
  const above = median(ready.slice(1)) - median(bare.slice(1));
  return {
    name: 'sandbox start until it answers, above bare Node',
    value: above,
    unit: 'ms',
    limit: 180,
    better: 'less',
    detail: `${Math.round(median(ready))} ms, bare ${Math.round(median(bare))} ms (medians of 20)`,
  };
}

async function memory(): Promise<Figure> {
  const server = await startProgram('--no-profiles', '--database', join(folder, 'memory.db'));
  await load(server, 100_000, CONCURRENCY, (index) => createRequest(server, `m-${index}`));
  const value = residentMb(server.pid);
  await server.stop();
  return {
    name: 'resident memory of the sandbox after 100,000 payments',
    value,
    unit: 'MB',
    limit: 150,
    better: 'less',
    detail: 'created over HTTP, paydesk sandbox start',
  };
}

export async function sandboxFigures(report: (figure: Figure) => void): Promise<void> {
  try {
    report(await creates());
    await reads(report);
    for (const figure of [readiness, memory]) report(await figure());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
