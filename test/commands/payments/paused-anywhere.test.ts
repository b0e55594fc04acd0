import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { runTyped } from '../../helpers/desk.js';
import { paydesk } from '../../helpers/run.js';
import { makeCertificates, type Certificates } from '../../helpers/tls.js';

// A refund is stopped (SIGSTOP) at each connection that it makes and each request that it sends, another process sends
// the refund once that is allowed, and the first one wakes (SIGCONT). One refund arrives, wherever it was stopped.
// A connection needs an answer to its TLS handshake before anything is written: whoever is stopped at a connection wakes
// with the instruction still to be written.

let certificates: Certificates;
beforeAll(() => {
  certificates = makeCertificates();
});
afterAll(() => certificates.remove());

const closers: Array<() => void> = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const refund = ['payments', 'refund', '100231', '--json'];

function resultOf({ stdout }: { stdout: string }): string | undefined {
  const json = JSON.parse(stdout) as { outcome?: string; error?: { code: string } };
  return json.outcome ?? json.error?.code;
}

/** One captured payment and a home of its own; `onStep` is called at each connection and each complete request. */
async function startWorld(onStep: (step: number) => void) {
  let steps = 0;
  let told = 0;
  const { serverCert, serverKey, caFile } = certificates;
  const tls = { cert: readFileSync(serverCert), key: readFileSync(serverKey) };
  const answer = (request: IncomingMessage, response: ServerResponse, onRequest: () => void) => {
    request.resume().on('end', () => {
      onRequest();
      if (request.url?.endsWith('/refund')) told += 1;
      const paymentState = told > 0 ? 'Refunded' : 'Captured';
      const payment = { paymentId: 100231, paymentState, amount: 44.4, currency: 'EUR' };
      const status = request.url?.includes('referenceId') ? 404 : 200;
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(payment));
    });
  };
  const step = () => onStep((steps += 1));
  const server = createServer(tls, (request, response) => answer(request, response, step));
  server.on('connection', step);
  // The same service for the others, who need no certificate and make no steps.
  const plain = createPlainServer((request, response) => answer(request, response, () => undefined));
  const ports: number[] = [];
  for (const each of [server, plain]) {
    await new Promise<void>((resolve) => each.listen(0, '127.0.0.1', resolve));
    ports.push((each.address() as AddressInfo).port);
  }
  const home = mkdtempSync(join(tmpdir(), 'paydesk-paused-'));
  closers.push(() => {
    for (const each of [server, plain]) each.close().closeAllConnections();
    rmSync(home, { recursive: true, force: true });
  });
  const env = {
    PAYDESK_APP_ID: 'app-1',
    PAYDESK_API_KEY: 'key-1234',
    PAYDESK_KIND: 'sandbox',
    PAYDESK_QUIET_PERIOD: '2s',
  };
  return {
    steps: () => steps,
    told: () => told,
    /** In a process of its own. */
    async refund(onStarted: (child: ChildProcess) => void = () => undefined) {
      const own = { NODE_EXTRA_CA_CERTS: caFile, PAYDESK_BASE_URL: `https://127.0.0.1:${ports[0]}` };
      return resultOf(await paydesk(refund, { home, env: { ...env, ...own }, onStarted }));
    },
    /** In this process. */
    async refundHere(...args: string[]) {
      const own = { PAYDESK_BASE_URL: `http://127.0.0.1:${ports[1]}` };
      return resultOf(await runTyped([...refund, ...args], { home, env: { ...env, ...own } }));
    },
  };
}

it('a process that is stopped at any step and wakes after another has sent the refund sends nothing', async () => {
  const undisturbed = await startWorld(() => undefined);
  expect(await undisturbed.refund()).toBe('done');
  const steps = undisturbed.steps();
  expect(steps).toBeGreaterThan(4);

  for (let stopAt = 1; stopAt <= steps; stopAt += 1) {
    const stopped = Promise.withResolvers<ChildProcess>();
    let first: ChildProcess | undefined;
    const world = await startWorld((step) => {
      if (step !== stopAt || !first) return;
      first.kill('SIGSTOP');
      stopped.resolve(first);
    });
    const ended = world.refund((child) => (first = child));
    const child = await Promise.race([stopped.promise, ended.then(() => undefined)]);
    // Timing decides whether a look is repeated: this one came to its end in fewer steps.
    if (!child) {
      expect([world.told(), world.steps() < stopAt]).toEqual([1, true]);
      continue;
    }
    const takeOver = async () => {
      const resent = await world.refundHere('--resend');
      return resent === 'nothing-open' ? world.refundHere() : resent;
    };
    // Whoever is stopped in the middle of a write to the ledger keeps it locked: then nobody else can send either.
    await expect.poll(takeOver, { timeout: 100_000, interval: 300 }).toMatch(/^(done|ledger-unavailable)$/);
    child.kill('SIGCONT');
    await ended;
    expect(world.told(), `stopped at step ${stopAt} of ${steps}`).toBe(1);
    expect(await world.refundHere()).toBe('done');
  }
});
