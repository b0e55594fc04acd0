import { type ChildProcess, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runTyped } from '../../helpers/desk.js';
import { paydesk, type RunOptions } from '../../helpers/run.js';

// Real processes that sleep, clocks that are set, and one service by two names: one refund arrives.

const hasFaketime = spawnSync('faketime', ['--version']).status === 0;

/** Captured payments, refunded when told. It counts complete instructions, and its port can be closed for a while. */
class Service {
  readonly told: string[] = [];
  reads = 0;
  /** Whether it carries out a refund and answers it, or cuts the connection and forgets it. */
  isDeaf = false;
  onRead: (count: number) => void = () => undefined;
  #port = 0;
  #server: Server | undefined;

  get port(): number {
    return this.#port;
  }

  async open(): Promise<void> {
    const server = createServer((request, response) => {
      request.resume().on('end', () => this.#reply(request.method, request.url ?? '', response));
    });
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** New connections are refused from now on; the open ones stay. */
  refuse(): void {
    this.#server?.close();
  }

  close(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
  }

  #reply(method: string | undefined, url: string, response: ServerResponse): void {
    const id = /\/payments\/(\d+)/.exec(url)?.[1];
    if (id === undefined) return void response.writeHead(404).end();
    if (method === 'GET') this.onRead((this.reads += 1));
    if (url.includes('/refund')) {
      this.told.push(id);
      if (this.isDeaf) return void response.socket?.destroy();
      this.#refunded.add(id);
    }
    const paymentState = this.#refunded.has(id) ? 'Refunded' : 'Captured';
    const payment = { paymentId: Number(id), paymentState, amount: 44.4, currency: 'EUR' };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(payment));
  }

  /** Somebody refunds it in the management console. */
  refundElsewhere(id: string): void {
    this.#refunded.add(id);
  }

  readonly #refunded = new Set<string>();
}

let service: Service;
let home: string;
beforeEach(async () => {
  service = new Service();
  await service.open();
  home = mkdtempSync(join(tmpdir(), 'paydesk-paused-'));
});
afterEach(() => {
  service.close();
  rmSync(home, { recursive: true, force: true });
});

interface Options extends Pick<RunOptions, 'under' | 'onStderr'> {
  quiet?: string;
  host?: string;
  /** In the process of the tests, which is another one than that which is paused or has another clock. */
  here?: boolean;
}

async function refund(args: string[], { quiet, host = '127.0.0.1', here, ...options }: Options = {}) {
  const env = {
    PAYDESK_BASE_URL: `http://${host}:${service.port}`,
    PAYDESK_APP_ID: 'app-1',
    PAYDESK_API_KEY: 'key-1234',
    PAYDESK_KIND: 'sandbox',
    ...(quiet !== undefined && { PAYDESK_QUIET_PERIOD: quiet }),
  };
  const words = ['payments', 'refund', ...args, '--json'];
  const result = here
    ? await runTyped(words, { home, env })
    : await paydesk(words, { ...options, home, env });
  const json = JSON.parse(result.stdout) as { outcome?: string; error?: { code: string } };
  return { code: result.code, outcome: json.outcome, error: json.error?.code };
}

it('sends nothing after a refused connection if the payment has been refunded meanwhile', async () => {
  const id = '100231';
  // The second read is the last before it is sent.
  service.onRead = (count) => (count === 2 ? service.refuse() : undefined);
  let isOpen = false;
  const result = await refund([id, '--debug'], {
    quiet: '60s',
    onStderr: (text) => {
      if (isOpen || !/attempt \d in/.test(text)) return;
      isOpen = true;
      service.onRead = () => undefined;
      service.refundElsewhere(id);
      void service.open();
    },
  });
  expect([result.code, result.error]).toEqual([9, 'changed-meanwhile']);
  expect(service.told).toEqual([]);
});

describe('a process that is paused while it waits to try a refused connection again', () => {
  /** Starts a refund and stops its process after a connection was refused; undefined when it was too late for that. */
  async function pauseBeforeRetry(id: string) {
    service.reads = 0;
    // The second read is the last before it is sent.
    service.onRead = (count) => (count === 2 ? service.refuse() : undefined);
    const paused = Promise.withResolvers<ChildProcess | undefined>();
    let isStopped = false;
    const ended = refund([id, '--debug'], {
      quiet: '5s',
      onStderr: (text, child) => {
        // What it wrote before it was stopped may come when it goes on.
        if (isStopped || !/attempt \d in/.test(text) || child.signalCode !== null) return;
        isStopped = true;
        child.kill('SIGSTOP');
        paused.resolve(child);
      },
    });
    void ended.then(() => paused.resolve(undefined));
    const child = await paused.promise;
    await service.open();
    service.onRead = () => undefined;
    return child && { child, ended };
  }

  /** Another process takes over, and the first one wakes. What the first one says in the end. */
  async function takeOver(id: string): Promise<string | undefined> {
    const first = await pauseBeforeRetry(id);
    if (!first) return undefined;
    try {
      // Longer than a busy machine takes for it.
      const early = await refund([id, '--resend'], { quiet: '10m', here: true });
      expect([early.code, early.error]).toEqual([9, 'quiet-period']);
      expect(service.told).not.toContain(id);
      const resend = async () => (await refund([id, '--resend'], { quiet: '5s', here: true })).outcome;
      await expect.poll(resend, { timeout: 60_000, interval: 200 }).toBe('done');
    } finally {
      first.child.kill('SIGCONT');
    }
    const late = await first.ended;
    expect(await refund([id], { here: true })).toMatchObject({ code: 0, outcome: 'done' });
    expect(service.told.filter((told) => told === id)).toEqual([id]);
    return late.error;
  }

  it('sends nothing when it wakes after another process has sent it again', async () => {
    let told: string | undefined;
    // On a busy machine a process may give up before it can be stopped, or be stopped after its last attempt.
    for (let id = 100_231; told !== 'taken-over' && id < 100_251; id += 1) told = await takeOver(String(id));
    expect(told).toBe('taken-over');
  });
});

describe.skipIf(!hasFaketime)('a wall clock that is set', () => {
  const shifted = (by: string) => ['faketime', '--exclude-monotonic', '-f', by];

  it.each(['+11m', '-2d'])('by %s does not shorten the quiet period', async (by) => {
    service.isDeaf = true;
    expect(await refund(['100231'], { here: true })).toMatchObject({ code: 6, outcome: 'unknown' });
    const again = await refund(['100231', '--resend'], { under: shifted(by) });
    expect([again.code, again.error]).toEqual([9, 'quiet-period']);
    expect(service.told).toEqual(['100231']);
  });

  it.each(['+11m', '-2d'])('back from %s does not lengthen it', async (by) => {
    service.isDeaf = true;
    const first = await refund(['100231'], { quiet: '1s', under: shifted(by) });
    expect(first).toMatchObject({ code: 6, outcome: 'unknown' });
    service.isDeaf = false;
    await expect
      .poll(async () => (await refund(['100231', '--resend'], { quiet: '1s', here: true })).outcome, {
        timeout: 60_000,
        interval: 200,
      })
      .toBe('done');
    expect(service.told).toEqual(['100231', '100231']);
  });
});

it('one service by two spellings of its address gets one refund', async () => {
  for (const id of ['100231', '100232']) {
    await Promise.all([refund([id]), refund([id], { host: 'localhost', here: true })]);
    for (const host of ['127.0.0.1', 'localhost']) await refund([id, '--again'], { host, here: true });
    expect(service.told.filter((told) => told === id)).toEqual([id]);
  }
});
