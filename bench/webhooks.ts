// A listener as people run it, `paydesk webhook listen`, against a real sandbox, with a handler in this process.
import { spawn, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { Pool } from 'undici';
import type { openDeskDatabase as openType } from '../src/ledger/database.js';
import type { createInbox as createType } from '../src/webhooks/inbox/inbox.js';
import type { openListener as listenerType } from '../src/webhooks/inbox/listeners.js';
import { end, firstLine, median, residentMb, startServer, type Figure, type Server } from './measure.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** How many deliveries a full inbox has. */
const FULL = Number(process.env['BENCH_DELIVERIES'] ?? 1_000_000);
const FEW = 1_000;
const RATE = 1_000;
const SECONDS = 10;
const PAYMENTS = 200;

interface Handler {
  url: string;
  /** When the delivery with that number arrived, by `performance.now()`. */
  arrived: Map<number, number>;
  next(number: number): Promise<number>;
  close(): void;
}

async function startHandler(): Promise<Handler> {
  const arrived = new Map<number, number>();
  const waiting = new Map<number, (at: number) => void>();
  const server = createServer((incoming, outgoing) => {
    const number = Number(incoming.headers['x-number']);
    const at = performance.now();
    arrived.set(number, at);
    waiting.get(number)?.(at);
    incoming.resume();
    incoming.on('end', () => outgoing.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived,
    next: (number) => new Promise((resolve) => waiting.set(number, resolve)),
    close: () => server.close().closeAllConnections(),
  };
}

interface Listening {
  url: string;
  child: ChildProcess;
}

async function startListening(home: string, server: Server, handler: Handler): Promise<Listening> {
  const args = ['webhook', 'listen', '--json', '--port', '0', '--forward-to', `${handler.url}/hooks`];
  const child = spawn(process.execPath, [join(root, 'bin', 'run.js'), ...args], {
    env: {
      ...process.env,
      NODE_ENV: 'production',
      PAYDESK_HOME: home,
      PAYDESK_BASE_URL: server.url,
      PAYDESK_KIND: 'sandbox',
      PAYDESK_APP_ID: server.appId,
      PAYDESK_API_KEY: server.apiKey,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { url } = JSON.parse(await firstLine(child)) as { url: string };
  child.stdout?.resume();
  return { url, child };
}

async function createPayments(server: Server): Promise<number[]> {
  const ids: number[] = [];
  for (let index = 0; index < PAYMENTS; index += 1) {
    const answer = await fetch(`${server.url}/api/apps/${server.appId}/payments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        referenceId: `hook-${index}`,
        amount: 10,
        currency: 'EUR',
        autoCapture: true,
        customerOrder: { customer: { customerId: 'c_bench' } },
      }),
    });
    ids.push(((await answer.json()) as { paymentId: number }).paymentId);
  }
  return ids;
}

/** Posts with its number in a header and a body as the service sends it. */
function createPoster(url: string, ids: readonly number[]) {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: 64, allowH2: false });
  return {
    async post(number: number): Promise<number> {
      const answer = await pool.request({
        path: pathname,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-number': String(number) },
        body: JSON.stringify({
          eventId: `evt_${number}`,
          type: 'payment.state-changed',
          paymentId: ids[number % ids.length],
          referenceId: `hook-${number % ids.length}`,
          paymentState: 'Created',
          paymentStateId: 1,
          occurredTime: '2026-11-15T09:00:00.000Z',
        }),
      });
      await answer.body.dump();
      return answer.statusCode;
    },
    close: () => pool.close(),
  };
}

/** One at a time, through the listener and straight to the handler in turns. */
async function delay(listening: Listening, handler: Handler, ids: number[]): Promise<Figure> {
  const through = createPoster(listening.url, ids);
  const direct = createPoster(`${handler.url}/hooks`, ids);
  const times: Record<'through' | 'direct', number[]> = { through: [], direct: [] };
  let number = 0;
  for (let round = 0; round < 320; round += 1) {
    for (const [name, poster] of Object.entries({ through, direct })) {
      number += 1;
      const arriving = handler.next(number);
      const started = performance.now();
      await poster.post(number);
      const at = await arriving;
      // Each on its own: what is still to be written about the one before is not measured with it.
      await new Promise((resolve) => setTimeout(resolve, 10));
      if (round >= 20) times[name as keyof typeof times].push(at - started);
    }
  }
  await through.close();
  await direct.close();
  const [way, straight] = [median(times.through), median(times.direct)];
  return {
    name: 'a webhook on its way to the handler, through the inbox',
    value: way - straight,
    unit: 'ms',
    limit: 2,
    better: 'less',
    detail: `${way.toFixed(2)} ms, ${straight.toFixed(2)} ms straight (medians of 300)`,
  };
}

/** So many every second, whatever becomes of those before. */
async function load(listening: Listening, handler: Handler, ids: number[]): Promise<Figure[]> {
  const poster = createPoster(listening.url, ids);
  const first = 1_000_000;
  const total = RATE * SECONDS;
  const answers: Array<Promise<number>> = [];
  const started = performance.now();
  while (answers.length < total) {
    const due = Math.min(total, Math.ceil(((performance.now() - started) / 1000) * RATE));
    while (answers.length < due) answers.push(poster.post(first + answers.length).catch(() => 0));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const statuses = await Promise.all(answers);
  const seconds = (performance.now() - started) / 1000;
  const accepted = statuses.flatMap((status, index) => (status === 200 ? [first + index] : []));
  const deadline = performance.now() + 60_000;
  const missing = () => accepted.filter((number) => !handler.arrived.has(number)).length;
  while (missing() > 0 && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 50));
  const lag = Math.max(...accepted.map((number) => handler.arrived.get(number) ?? Infinity)) - started;
  await poster.close();
  return [
    {
      name: `webhooks a second, kept, answered and forwarded, for ${SECONDS} s`,
      value: accepted.length / Math.max(seconds, SECONDS),
      unit: '/s',
      limit: RATE * 0.99,
      better: 'more',
      detail: `${accepted.length} of ${total} answered 200 within ${seconds.toFixed(1)} s, the last forwarded after ${(lag / 1000).toFixed(1)} s`,
    },
    {
      name: 'of them lost',
      value: total - accepted.length + missing(),
      unit: '',
      limit: 0,
      better: 'less',
      detail: `${missing()} were answered and did not reach the handler within 60 s`,
    },
  ];
}

async function modules() {
  const at = (path: string) => new URL(`../dist/${path}`, import.meta.url).href;
  const { openDeskDatabase } = (await import(at('ledger/database.js'))) as {
    openDeskDatabase: typeof openType;
  };
  const { createInbox } = (await import(at('webhooks/inbox/inbox.js'))) as { createInbox: typeof createType };
  const { openListener } = (await import(at('webhooks/inbox/listeners.js'))) as {
    openListener: typeof listenerType;
  };
  return { openDeskDatabase, createInbox, openListener };
}

/** An inbox with that many deliveries, each forwarded once. */
async function fillInbox(home: string, server: Server, count: number): Promise<void> {
  const { openDeskDatabase, openListener } = await modules();
  const database = await openDeskDatabase({ location: join(home, 'data', 'desk.db'), operator: 'bench' });
  const { store } = database;
  const { id } = await openListener(store, { appId: server.appId });
  for (let from = 0; from < count; from += 50_000) {
    const to = Math.min(count, from + 50_000);
    await store.transaction(async (tx) => {
      await sql`
        with recursive n (i) as (select ${from} union all select i + 1 from n where i + 1 < ${to})
        insert into deliveries (listener_id, time, kind, method, path, query, headers, body, digest, payment_id,
          reference_id, named_by, said_state, event_id, read_state, previous_state, verdict, read_time, due_time, finished)
        select ${id}, 1700000000000 + i, 'received', 'POST', '', '', '[["content-type","application/json"]]',
          cast('{"eventId":"evt_' || i || '","paymentId":' || (i % 100000) || ',"paymentState":"Captured"}' as blob),
          hex(i), cast(i % 100000 as text), 'ref-' || (i % 100000), 'json', 'Captured', 'evt_f' || i, 'Captured',
          'Capturing', 'changed', 1700000000000 + i, 1700000000000 + i, 1
        from n`.execute(tx);
      await sql`
        insert into forwards (listener_id, delivery_id, target, target_key, lane, replay, attempts, status, ms, outcome,
          due_time, finished)
        select ${id}, id, 'http://127.0.0.1:1/', 'x', 'x', 0, 1, 200, 3, 'delivered', time, 1
        from deliveries where id > (select coalesce(max(delivery_id), 0) from forwards)`.execute(tx);
    });
  }
  await database.close();
}

/** What the newest page costs in each of two inboxes, in turns, in milliseconds. */
async function newestMs(
  homes: Record<'few' | 'full', string>,
  server: Server,
): Promise<Record<'few' | 'full', number>> {
  const { openDeskDatabase, createInbox } = await modules();
  const app = { baseUrl: server.url, appId: server.appId };
  const opened = await Promise.all(
    Object.values(homes).map((home) =>
      openDeskDatabase({ location: join(home, 'data', 'desk.db'), operator: 'bench' }),
    ),
  );
  const inboxes = opened.map(({ store }) => createInbox(store));
  const times: number[][] = [[], []];
  for (let round = 0; round < 320; round += 1) {
    for (const [index, inbox] of inboxes.entries()) {
      const started = performance.now();
      await Array.fromAsync(inbox.list(app, {}, { limit: 50 }));
      if (round >= 20) times[index]?.push(performance.now() - started);
    }
  }
  for (const database of opened) await database.close();
  return { few: median(times[0] as number[]), full: median(times[1] as number[]) };
}

function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'paydesk-bench-hooks-'));
  mkdirSync(join(home, 'data'), { mode: 0o700 });
  return home;
}

/** Resident memory of a listener beside this inbox, after so many more. */
async function memoryOf(
  home: string,
  server: Server,
  handler: Handler,
  ids: number[],
  first: number,
): Promise<number> {
  const listening = await startListening(home, server, handler);
  const poster = createPoster(listening.url, ids);
  for (let at = 0; at < 10_000; at += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, index) => poster.post(first + at + index)));
  }
  const memory = residentMb(listening.child.pid as number);
  await poster.close();
  await end(listening.child);
  return memory;
}

/** The same work beside a small inbox and a full one. */
async function size(server: Server, handler: Handler, ids: number[]): Promise<Figure[]> {
  const homes = { few: makeHome(), full: makeHome() };
  await fillInbox(homes.few, server, FEW);
  await fillInbox(homes.full, server, FULL);
  const newest = await newestMs(homes, server);
  const memory = {
    few: await memoryOf(homes.few, server, handler, ids, 2_000_000),
    full: await memoryOf(homes.full, server, handler, ids, 3_000_000),
  };
  for (const home of Object.values(homes)) rmSync(home, { recursive: true, force: true });
  const many = FULL.toLocaleString('en');
  const few = FEW.toLocaleString('en');
  return [
    {
      name: `the newest 50 of ${many} kept webhooks against those of ${few}`,
      value: newest.full / newest.few,
      unit: 'times',
      limit: 1.5,
      better: 'less',
      detail: `${newest.full.toFixed(2)} ms, ${newest.few.toFixed(2)} ms (medians of 300, in turns)`,
    },
    {
      name: `memory of a listener beside ${many} kept webhooks against ${few}`,
      value: memory.full / memory.few,
      unit: 'times',
      limit: 1.2,
      better: 'less',
      detail: `${memory.full.toFixed(0)} MB, ${memory.few.toFixed(0)} MB, each after 10,000 more`,
    },
  ];
}

export async function webhookFigures(report: (figure: Figure) => void): Promise<void> {
  const home = makeHome();
  const server = await startServer('sandbox', ':memory:');
  const handler = await startHandler();
  try {
    const ids = await createPayments(server);
    const listening = await startListening(home, server, handler);
    report(await delay(listening, handler, ids));
    for (const figure of await load(listening, handler, ids)) report(figure);
    await end(listening.child);
    for (const figure of await size(server, handler, ids)) report(figure);
  } finally {
    handler.close();
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  }
}
