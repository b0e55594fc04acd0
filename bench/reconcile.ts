// A provider's file of a million lines against as many known payments, beside csv-parse reading the same file.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { startPostgres } from '../test/helpers/postgres.ts';
import { median, type Figure } from './measure.ts';

const LINES = Number(process.env['PAYDESK_BENCH_ROWS'] ?? 1_000_000);
/** One line in so many has another amount, and its payment is read from the service. */
const WRONG_EVERY = 10_000;
const CUSTOMERS = 100_000;
const ROUNDS = 3;
const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

type Env = Record<string, string>;

interface Usage {
  ms: number;
  cpuMs: number;
  peakMb: number;
  text: string;
}

async function run(args: string[], env: Env, folder: string, mayEndWith = [0]): Promise<Usage> {
  const usage = join(folder, 'usage.json');
  const from = performance.now();
  const child = spawn(process.execPath, ['--import', pathOf('report-usage.js'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', PAYDESK_BENCH_USAGE: usage, ...env },
  });
  let text = '';
  let notes = '';
  child.stdout.on('data', (chunk) => (text += String(chunk)));
  child.stderr.on('data', (chunk) => (notes += String(chunk)));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (!mayEndWith.includes(code as number))
    throw new Error(`${args.join(' ')} ended with ${String(code)}\n${text}${notes}`);
  const ms = performance.now() - from;
  return { ms, text, ...(JSON.parse(readFileSync(usage, 'utf8')) as { cpuMs: number; peakMb: number }) };
}

const program = pathOf('../bin/run.js');
const paydesk = (args: string[], env: Env, folder: string, mayEndWith?: number[]) =>
  run([program, ...args], env, folder, mayEndWith);

const BOOKED = '2026-11-10T08:00:00.000Z';
const amountOf = (number: number): string => `${(number % 400) + 1}.90`;
const feeOf = (number: number): string => String(Math.floor(((number % 400) * 100 + 190) * 0.015) / 100);

/** A payment as the service answers with it. */
const paymentOf = (number: number) => ({
  paymentId: 1_000_000 + number,
  referenceId: `inv-${number}`,
  paymentState: 'Captured',
  amount: Number(amountOf(number)),
  capturedAmount: Number(amountOf(number)),
  currency: 'EUR',
  createdTime: BOOKED,
  customerId: `c_${number % CUSTOMERS}`,
  payInfo: {
    providerReferenceId: `ref_${number}`,
    captureId: `cap_${number}`,
    providerFee: Number(feeOf(number)),
  },
});

async function startService(): Promise<{ url: string; stop(): void }> {
  const server = createServer((request, response) => {
    const id = Number(/\/payments\/(\d+)$/.exec(request.url ?? '')?.[1] ?? 0);
    response.setHeader('content-type', 'application/json');
    if (id <= 1_000_000) response.statusCode = 404;
    response.end(JSON.stringify(id > 1_000_000 ? paymentOf(id - 1_000_000) : { code: 'not-found' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => void server.close(),
  };
}

async function writeFile(path: string): Promise<void> {
  const out = createWriteStream(path);
  out.write('booked_at,type,provider_reference,capture_id,merchant_reference,amount,fee,net,currency\n');
  for (let from = 1; from <= LINES; from += 10_000) {
    let text = '';
    for (let number = from; number < from + 10_000 && number <= LINES; number += 1) {
      const amount = number % WRONG_EVERY === 0 ? '999.99' : amountOf(number);
      text += `${BOOKED},capture,ref_${number},cap_${number},inv-${number},${amount},${feeOf(number)},0.00,EUR\n`;
    }
    if (!out.write(text)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
}

const columns = `app_id, payment_id, reference_id, customer_id, amount, amount_number, currency, state, created_time, source,
  known_time, state_time, since_time, seen_time, provider_reference, capture_id, provider_fee, words, captured_amount`;
const fee = (n: string) => `cast(((${n} % 400) * 100 + 190) * 15 / 1000 as text)`;
const valuesOf = (
  n: string,
  hundredths: (text: string) => string,
) => `'app-1', cast(1000000 + ${n} as text), 'inv-' || ${n}, 'c_' || ${n} % ${CUSTOMERS},
  cast(${n} % 400 + 1 as text) || '.90', ${n} % 400 + 1.9, 'EUR', 'Captured', ${Date.parse(BOOKED)}, 'imported',
  ${Date.now()}, ${Date.now()}, ${Date.parse(BOOKED)}, ${Date.now()}, 'ref_' || ${n}, 'cap_' || ${n},
  ${hundredths(fee(n))}, 'inv ' || ${n}, cast(${n} % 400 + 1 as text) || '.90'`;

/** A whole number of hundredths as a decimal. */
const decimal = (text: string) =>
  `(substr(${text}, 1, length(${text}) - 2) || '.' || substr(${text}, length(${text}) - 1))`;
const padded = (text: string) =>
  decimal(`substr('000' || ${text}, -(case when length(${text}) < 3 then 3 else length(${text}) end))`);
const paddedPostgres = (text: string) => decimal(`lpad(${text}, greatest(3, length(${text})), '0')`);

function fillSqlite(file: string): void {
  const db = new DatabaseSync(file);
  db.exec(`insert into known_payments (${columns})
    with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < ${LINES})
    select ${valuesOf('i', padded)} from numbers`);
  db.close();
}

async function fillPostgres(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`insert into paydesk_desk.known_payments (${columns})
    select ${valuesOf('i', paddedPostgres)} from generate_series(1::bigint, ${LINES}) as numbers(i)`);
  await client.query('vacuum analyze paydesk_desk.known_payments');
  await client.end();
}

const MAPPING = `columns: { at: booked_at, kind: type, amount: amount, currency: currency, fee: fee,
  providerReference: provider_reference, operationId: capture_id, reference: merchant_reference }\n`;

async function reconciling(
  engine: string,
  env: Env,
  folder: string,
  fill: () => Promise<void> | void,
): Promise<Figure[]> {
  const [file, map] = [join(folder, 'settlement.csv'), join(folder, 'map.yaml')];
  writeFileSync(map, MAPPING);
  await paydesk(['payments', 'list', '--json'], env, folder);
  await fill();
  const [reading, reconciled]: [Usage[], Usage[]] = [[], []];
  const wrong = Math.floor(LINES / WRONG_EVERY);
  for (let round = 0; round < ROUNDS; round += 1) {
    reading.push(await run([pathOf('csv-parse-alone.js'), file], {}, folder));
    const usage = await paydesk(['reconcile', file, '--map', map, '--json'], env, folder, [0, 7]);
    const { lines, matched, open } = JSON.parse(usage.text) as Record<string, number>;
    if (lines !== LINES || matched !== LINES - wrong || open !== wrong)
      throw new Error(`reconciled ${lines} lines, ${matched} matched, ${open} open`);
    reconciled.push(usage);
  }
  const rate = (usages: Usage[]) => LINES / (median(usages.map(({ ms }) => ms)) / 1000);
  const shown = (usages: Usage[]) => `${Math.round(rate(usages)).toLocaleString('en')} lines/s`;
  // Each pair ran one right after the other: what else the machine did meanwhile met both.
  const ratio = (of: 'ms' | 'cpuMs') =>
    median(reading.map((alone, round) => alone[of] / reconciled[round]![of]));
  return [
    {
      name: `reconciling ${LINES.toLocaleString('en')} lines on ${engine}, to csv-parse reading them`,
      value: ratio('ms'),
      unit: '',
      limit: 0.25,
      better: 'more',
      detail: `${shown(reconciled)} beside ${shown(reading)} (medians of ${ROUNDS}), by CPU time ${ratio('cpuMs').toFixed(2)}; ${wrong} exceptions read again`,
    },
    {
      name: `resident memory of reconciling ${LINES.toLocaleString('en')} lines on ${engine}, at its peak`,
      value: Math.max(...reconciled.map(({ peakMb }) => peakMb)),
      unit: 'MB',
      limit: 200,
      better: 'less',
      detail: `csv-parse alone ${Math.round(Math.max(...reading.map(({ peakMb }) => peakMb)))} MB`,
    },
  ];
}

export async function reconcileFigures(report: (figure: Figure) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'paydesk-bench-'));
  const service = await startService();
  const env = {
    PAYDESK_BASE_URL: service.url,
    PAYDESK_APP_ID: 'app-1',
    PAYDESK_API_KEY: 'sk_bench',
    PAYDESK_KIND: 'sandbox',
    PAYDESK_HOME: folder,
  };
  try {
    await writeFile(join(folder, 'settlement.csv'));
    const sqlite = () => fillSqlite(join(folder, 'data', 'desk.db'));
    for (const figure of await reconciling('SQLite', env, folder, sqlite)) report(figure);
    const postgres = await startPostgres();
    if (!postgres) throw new Error('PostgreSQL is needed: install it, or set PAYDESK_TEST_POSTGRES.');
    try {
      const url = await postgres.createDatabase();
      const shared = { ...env, PAYDESK_DATABASE: url };
      for (const figure of await reconciling('PostgreSQL', shared, folder, () => fillPostgres(url)))
        report(figure);
    } finally {
      await postgres.stop();
    }
  } finally {
    service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
