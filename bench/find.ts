// Finding one payment among a million, and bringing a shop's orders in.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { startPostgres } from '../test/helpers/postgres.ts';
import { median, type Figure } from './measure.ts';

const ROUNDS = 9;
const PAYMENTS = Number(process.env['PAYDESK_BENCH_ROWS'] ?? 1_000_000);
const program = fileURLToPath(new URL('../bin/run.js', import.meta.url));

type Env = Record<string, string>;

async function run(args: string[], env: Env): Promise<{ ms: number; text: string }> {
  const from = performance.now();
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...env },
  });
  let text = '';
  child.stdout.on('data', (chunk) => (text += String(chunk)));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${String(code)}`);
  return { ms: performance.now() - from, text };
}

/** As a shop's own: few names, many customers, prices that come again and again. `n` is the number of the payment. */
const columns = `app_id, payment_id, reference_id, customer_id, amount, amount_number, currency, state, created_time, source,
  known_time, state_time, since_time, seen_time, payer_name, payer_email, brand, words`;
const first = `('ana', 'ben', 'carla', 'dan', 'eva', 'finn', 'greta', 'hugo')`;
const valuesOf = (n: string, pick: (list: string, index: string) => string, now: number) => `'app-1',
  cast(1000000 + ${n} as text), 'inv-' || ${n}, 'c_' || (${n} % 50000),
  cast(${n} % 401 as text) || '.90', ${n} % 401 + 0.9, 'EUR',
  case when ${n} % 1000 = 0 then 'Held' when ${n} % 30 = 4 then 'Refunded' else 'Captured' end,
  ${now} - ${n} * 1000, 'imported', ${now}, ${now}, ${now} - ${n} * 1000, ${now},
  ${pick(first, `${n} % 8`)} || ' surname' || (${n} % 20000), 'mail' || (${n} % 50000) || '@shop.example',
  case when ${n} % 2 = 0 then 'Visa' else 'Mastercard' end,
  cast(1000000 + ${n} as text) || ' inv ' || ${n} || ' inv' || ${n} || ' c ' || (${n} % 50000) || ' c' || (${n} % 50000) ||
    ' mail' || (${n} % 50000) || ' shop example mail' || (${n} % 50000) || 'shopexample ' || ${pick(first, `${n} % 8`)} ||
    ' surname' || (${n} % 20000) || case when ${n} % 2 = 0 then ' visa' else ' mastercard' end`;

function fillSqlite(file: string): void {
  const db = new DatabaseSync(file);
  const pick = (list: string, index: string) =>
    `(case ${index} ${[...list.matchAll(/'\w+'/g)].map(([name], at) => `when ${at} then ${name}`).join(' ')} end)`;
  db.exec(`insert into known_payments (${columns})
    with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < ${PAYMENTS})
    select ${valuesOf('i', pick, Date.now())} from numbers`);
  db.close();
}

async function fillPostgres(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const pick = (list: string, index: string) => `(array[${list.slice(1, -1)}])[${index} + 1]`;
  await client.query(`insert into paydesk_desk.known_payments (${columns})
    select ${valuesOf('i', pick, Date.now())} from generate_series(1::bigint, ${PAYMENTS}) as numbers(i)`);
  await client.query('vacuum analyze paydesk_desk.known_payments');
  await client.end();
}

const middle = Math.floor(PAYMENTS / 2);
const day = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
const lastDays = `${day(4)}..${day(1)}`;
const calls: Record<string, string[]> = {
  reference: [`inv-${middle}`],
  name: ['eva', 'surname1028'],
  beginning: ['surname102'],
  'short beginning': ['surn'],
  'e-mail': ['mail777@shop.example'],
  amount: ['EUR', '49.90'],
  'amount and name': ['ana', '49.90'],
  about: ['~50'],
  'brand, amount and day': ['visa', '49.90', 'yesterday'],
  'a common word': ['visa'],
  'two common words': ['visa', 'held'],
  'a day': ['yesterday'],
  'brand, days and state': ['visa', lastDays, 'refunded'],
  'a state': ['held'],
  nothing: ['nobody', 'at', 'all'],
};

async function finding(engine: string, env: Env, fill: () => Promise<void> | void): Promise<Figure> {
  await run(['payments', 'list', '--json'], env);
  await fill();
  const times: Record<string, number[]> = {};
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, words] of [['version', undefined], ...Object.entries(calls)] as const) {
      const { ms, text } = await run(words ? ['payments', 'find', ...words, '--json'] : ['--version'], env);
      if (words && (text.trim() === '[]') !== (name === 'nothing'))
        throw new Error(`find ${words.join(' ')}: ${text}`);
      if (round > 0) (times[name] ??= []).push(ms);
    }
  }
  const above = (name: string) => median(times[name] ?? []) - median(times['version'] ?? []);
  return {
    name: `find over ${PAYMENTS.toLocaleString('en')} known payments on ${engine}, above --version`,
    value: Math.max(...Object.keys(calls).map(above)),
    unit: 'ms',
    limit: 150,
    better: 'less',
    detail: `${Object.keys(calls)
      .map((name) => `${name} ${above(name).toFixed(0)} ms`)
      .join(', ')} (the slowest counts; medians of ${ROUNDS})`,
  };
}

export async function findFigures(report: (figure: Figure) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'paydesk-bench-'));
  const env = {
    PAYDESK_BASE_URL: 'http://127.0.0.1:9',
    PAYDESK_APP_ID: 'app-1',
    PAYDESK_API_KEY: 'sk_bench',
    PAYDESK_KIND: 'sandbox',
    PAYDESK_HOME: folder,
  };
  try {
    report(await finding('SQLite', env, () => fillSqlite(join(folder, 'data', 'desk.db'))));
    const postgres = await startPostgres();
    if (!postgres) throw new Error('PostgreSQL is needed: install it, or set PAYDESK_TEST_POSTGRES.');
    try {
      const url = await postgres.createDatabase();
      report(await finding('PostgreSQL', { ...env, PAYDESK_DATABASE: url }, () => fillPostgres(url)));
    } finally {
      await postgres.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
