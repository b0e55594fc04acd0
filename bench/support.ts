// The support desk: how soon an explanation, a list of a million payments and a webhook are on the screen.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { manyKnown } from '../test/helpers/many-known.ts';
import { end, firstLine, median, startServer, type Figure } from './measure.ts';

const ROUNDS = 15;
const PAYMENTS = 1_000_000;
const program = fileURLToPath(new URL('../bin/run.js', import.meta.url));

type Env = Record<string, string>;

function start(args: string[], env: Env) {
  return spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...env },
  });
}

/** How long a command took, and when it had printed. */
async function run(args: string[], env: Env): Promise<{ ms: number; printed: number }> {
  const from = performance.now();
  const child = start(args, env);
  let printed = 0;
  child.stdout.on('data', () => (printed = performance.now()));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${String(code)}`);
  return { ms: performance.now() - from, printed };
}

/** A service that notes when it had answered. */
async function startBare(): Promise<{ url: string; answered: () => number; server: HttpServer }> {
  let answered = 0;
  const payment = {
    paymentId: 7,
    paymentState: 'Held',
    referenceId: 'inv-7',
    amount: 49.9,
    currency: 'EUR',
    createdTime: new Date(Date.now() - 3_600_000).toISOString(),
  };
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(payment), () => (answered = performance.now()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, answered: () => answered, server };
}

const access = (url: string, appId: string, key: string, home: string): Env => ({
  PAYDESK_BASE_URL: url,
  PAYDESK_APP_ID: appId,
  PAYDESK_API_KEY: key,
  PAYDESK_KIND: 'sandbox',
  PAYDESK_HOME: home,
});

async function explaining(home: string): Promise<Figure> {
  const { url, answered, server } = await startBare();
  const env = access(url, 'app-1', 'sk_bench', home);
  const after: number[] = [];
  const whole: Record<'explain' | 'get', number[]> = { explain: [], get: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const verb of ['explain', 'get'] as const) {
      const { ms, printed } = await run(['payments', verb, '7'], env);
      if (round === 0) continue;
      whole[verb].push(ms);
      if (verb === 'explain') after.push(printed - answered());
    }
  }
  server.close();
  return {
    name: 'explain: from the last answer to the printed text',
    value: median(after),
    unit: 'ms',
    limit: 100,
    better: 'less',
    detail: `as a process ${median(whole.explain).toFixed(0)} ms, payments get with the same read ${median(whole.get).toFixed(0)} ms (medians of ${ROUNDS})`,
  };
}

async function listing(home: string): Promise<Figure> {
  const env = access('http://127.0.0.1:9', 'app-1', 'sk_bench', home);
  await run(['payments', 'list', '--json'], env);
  const db = new DatabaseSync(join(home, 'data', 'desk.db'));
  db.exec(manyKnown('sqlite', PAYMENTS));
  db.close();
  const times: Record<string, number[]> = {};
  const calls: Record<string, string[]> = {
    version: ['--version'],
    all: ['payments', 'list', '--json'],
    stuck: ['payments', 'list', '--stuck', '--json'],
    customer: ['payments', 'list', '--customer', 'c_77', '--json'],
    since: ['payments', 'list', '--since', '1h', '--json'],
  };
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, args] of Object.entries(calls)) {
      const { ms } = await run(args, env);
      if (round > 0) (times[name] ??= []).push(ms);
    }
  }
  const above = (name: string) => median(times[name] ?? []) - median(times['version'] ?? []);
  const lists = Object.keys(calls).filter((name) => name !== 'version');
  return {
    name: `list over ${PAYMENTS.toLocaleString('en')} known payments, above --version`,
    value: Math.max(...lists.map(above)),
    unit: 'ms',
    limit: 300,
    better: 'less',
    detail: `${lists.map((name) => `${name} ${above(name).toFixed(0)} ms`).join(', ')} (the slowest counts; medians of ${ROUNDS})`,
  };
}

async function watching(home: string): Promise<Figure> {
  const server = await startServer('sandbox', ':memory:');
  const env = access(server.url, server.appId, server.apiKey, home);
  const listener = start(['webhook', 'listen', '--port', '0', '--json'], env);
  const { url: webhookUrl } = JSON.parse(await firstLine(listener)) as { url: string };
  listener.stdout.resume();
  const post = async (path: string, body?: object) => {
    const answer = await fetch(`${server.url}/api/apps/${server.appId}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as { paymentId: number };
  };
  const ids: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const { paymentId } = await post('/payments', {
      referenceId: `watched-${round}`,
      amount: 10,
      currency: 'EUR',
      autoCapture: true,
      webhookUrl,
      customerOrder: { customer: { customerId: 'c_bench' } },
    });
    ids.push(paymentId);
  }
  // So rarely that only a webhook can be what makes it look.
  const watch = start(['payments', 'watch', ...ids.map(String), '--interval', '1h', '--json'], env);
  const noticed = new Map<number, number>();
  let ready = 0;
  const lines = createInterface({ input: watch.stdout });
  lines.on('line', (line) => {
    const { event, paymentId } = JSON.parse(line) as { event: string; paymentId: number };
    if (event === 'watching') ready += 1;
    if (event === 'changed' && !noticed.has(paymentId)) noticed.set(paymentId, Date.now());
  });
  const until = async (reached: () => boolean) => {
    while (!reached()) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  await until(() => ready === ids.length);
  for (const id of ids) {
    await post(`/payments/${id}/cancel`);
    await until(() => noticed.has(id));
    // Not in step with the looks at the inbox.
    await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 60));
  }
  await end(listener);
  watch.kill('SIGKILL');
  await server.stop();
  const db = new DatabaseSync(join(home, 'data', 'desk.db'), { readOnly: true });
  const arrived = db.prepare(
    "select min(time) as time from deliveries where payment_id = ? and said_state = 'Cancelling'",
  );
  const times = ids
    .slice(1)
    .map((id) => (noticed.get(id) as number) - (arrived.get(String(id)) as { time: number }).time);
  db.close();
  return {
    name: 'watch: from the arrival of a webhook to the printed line',
    value: median(times),
    unit: 'ms',
    limit: 100,
    better: 'less',
    detail: `median of ${times.length}, the longest ${Math.max(...times)} ms`,
  };
}

export async function supportFigures(report: (figure: Figure) => void): Promise<void> {
  for (const measure of [explaining, listing, watching]) {
    const home = mkdtempSync(join(tmpdir(), 'paydesk-bench-'));
    try {
      report(await measure(home));
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  }
}
