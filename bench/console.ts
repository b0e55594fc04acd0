// The console: how soon an open one shows a change, and whether its lists notice how many payments there are.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { median, startServer, type Figure, type Server } from './measure.ts';

const CHANGES = 60;
const READS = 60;
const WARM_UPS = 20;
const SIZES = { small: 1000, large: 100_000 } as const;
const OF_CUSTOMER = 100;

const folder = mkdtempSync(join(tmpdir(), 'paydesk-bench-console-'));

async function cookieOf({ url, controlToken }: Server): Promise<string> {
  const answer = await fetch(`${url}/console?token=${controlToken}`, { redirect: 'manual' });
  return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
}

async function create(server: Server, referenceId: string): Promise<number> {
  const answer = await fetch(`${server.url}/api/apps/${server.appId}/payments/hosted-page`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      referenceId,
      amount: 49.9,
      currency: 'EUR',
      returnUrl: 'https://shop.example/thanks',
      autoCapture: true,
      showPayRecurringInCheckout: false,
      customerOrder: { customer: { customerId: 'c-1' } },
    }),
  });
  return ((await answer.json()) as { paymentId: number }).paymentId;
}

/** Reads until the stream has told of a change. */
async function nextNews(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error('the stream ended');
    if (Buffer.from(value).toString('utf8').includes('event: change')) return;
  }
}

/** From sending the request that changes a state until the console that heard of it has read the new page. */
async function live(): Promise<Figure> {
  const server = await startServer('sandbox', join(folder, 'live.db'));
  const cookie = await cookieOf(server);
  const stream = await fetch(`${server.url}/console/live`, { headers: { cookie } });
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
  const times: number[] = [];
  const heard: number[] = [];
  for (let index = 0; index < CHANGES; index += 1) {
    const news = nextNews(reader);
    const paymentId = await create(server, `live-${index}`);
    await news;
    // Past the pause that gathers a burst, so that each change is one of its own.
    await new Promise((resolve) => setTimeout(resolve, 150));
    const paid = nextNews(reader);
    const started = performance.now();
    const change = fetch(`${server.url}/_sandbox/payments/${paymentId}/pay`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.controlToken}` },
      body: '{"card":"approved"}',
    });
    await paid;
    heard.push(performance.now() - started);
    const page = await (await fetch(`${server.url}/console`, { headers: { cookie } })).text();
    times.push(performance.now() - started);
    if (!page.includes('tone-good">Captured')) throw new Error('the page does not show the change');
    await (await change).text();
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  await reader.cancel();
  await server.stop();
  return {
    name: 'a change of state until an open console has it',
    value: median(times),
    unit: 'ms',
    limit: 200,
    better: 'less',
    detail: `the event itself after ${median(heard).toFixed(1)} ms, the slowest page after ${Math.max(...times).toFixed(0)} ms (${CHANGES} changes)`,
  };
}

const states = ['Created', 'Captured', 'Captured', 'Captured', 'Declined', 'Authorised', 'Held', 'Refunded'];

/** A sandbox with so many payments: copies of one that it made itself, in many states, of many customers. */
async function filled(count: number): Promise<Server> {
  const file = join(folder, `list-${count}.db`);
  const first = await startServer('sandbox', file);
  await create(first, 'first');
  await first.stop();
  const db = new DatabaseSync(file);
  const columns = db
    .prepare('pragma table_info(payments)')
    .all()
    .map(({ name }) => String(name))
    .filter((name) => name !== 'payment_id');
  const values = columns.map((name) => {
    if (name === 'reference_id') return "'inv-' || i";
    // As many payments of each customer in either size, so that the same rows are on the page.
    if (name === 'customer_id') return `'c-' || (i % ${count / OF_CUSTOMER})`;
    if (name === 'state')
      return `json_extract('${JSON.stringify(states)}', '$[' || (i % ${states.length}) || ']')`;
    return name;
  });
  db.exec(`insert into payments (${columns.join(',')})
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
    select ${values.join(',')} from n, (select * from payments limit 1)`);
  db.exec('pragma wal_checkpoint(truncate)');
  db.close();
  return startServer('sandbox', file);
}

/** The same pages of a small and of a large sandbox, in turns. */
async function lists(): Promise<Figure> {
  const [small, large] = [await filled(SIZES.small), await filled(SIZES.large)];
  const cookies = new Map([
    [small, await cookieOf(small)],
    [large, await cookieOf(large)],
  ]);
  const paths = (count: number, app: string): Record<string, string> => ({
    newest: '/console',
    'deep in the list': `/console?key=${Buffer.from(`[${100_001 + count / 2}]`).toString('base64url')}`,
    'by state': '/console?state=Refunded',
    'by app': `/console?app=${app}`,
    'by app and state': `/console?app=${app}&state=Declined`,
    'by reference': '/console?q=inv-9&by=reference',
    'by customer': '/console?q=c-7&by=customer',
    'not there': '/console?q=nothing-like-it',
  });
  const names = Object.keys(paths(0, ''));
  const times = new Map(names.map((name) => [name, { small: [] as number[], large: [] as number[] }]));
  const servers = [['small', small] as const, ['large', large] as const];
  for (let round = -WARM_UPS; round < READS; round += 1) {
    // Who comes first changes, so that neither always follows the other.
    servers.reverse();
    for (const name of names) {
      for (const [size, server] of servers) {
        const path = paths(SIZES[size], server.appId)[name] as string;
        const started = performance.now();
        const answer = await fetch(server.url + path, { headers: { cookie: cookies.get(server) ?? '' } });
        await answer.text();
        if (round >= 0) times.get(name)?.[size].push(performance.now() - started);
      }
    }
  }
  await small.stop();
  await large.stop();
  const ratios = names.map((name) => {
    const { small: few, large: many } = times.get(name) as { small: number[]; large: number[] };
    return { name, ratio: median(many) / median(few), ms: median(many) };
  });
  const worst = ratios.toSorted((a, b) => b.ratio - a.ratio)[0] as (typeof ratios)[number];
  return {
    name: 'a list page of the console at 100,000 payments against 1,000, the worst of eight',
    value: worst.ratio,
    unit: 'times',
    limit: 1.5,
    better: 'less',
    detail: `${worst.name}; ${ratios.map(({ name, ms }) => `${name} ${ms.toFixed(1)} ms`).join(', ')} (medians of ${READS})`,
  };
}

export async function consoleFigures(report: (figure: Figure) => void): Promise<void> {
  try {
    for (const figure of [live, lists]) report(await figure());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
