// Finding one payment among a million, and bringing a shop's orders in.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { manyKnown } from '../test/helpers/many-known.ts';
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

function fillSqlite(file: string): void {
  const db = new DatabaseSync(file);
  db.exec(manyKnown('sqlite', PAYMENTS));
  db.close();
}

async function fillPostgres(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('set search_path to paydesk_desk');
  await client.query(manyKnown('postgres', PAYMENTS));
  await client.query('vacuum analyze known_payments');
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
  'short beginning and amount': ['surn', '49.90'],
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
