import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { paydesk } from '../../helpers/run.js';

// A service that says one thing and does another, and services that are taken for each other.

interface Reply {
  status: number;
  body?: unknown;
  /** Sent as it is. */
  text?: string;
}

const servers: Server[] = [];
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'paydesk-contradictions-'));
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
  rmSync(home, { recursive: true, force: true });
});

const payment = (state: string, more: object = {}) => ({
  paymentId: 100231,
  referenceId: 'inv-7',
  paymentState: state,
  amount: 44.4,
  currency: 'EUR',
  ...more,
});

async function start(reply: (request: IncomingMessage) => Reply): Promise<number> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const { status, body, text } = reply(request);
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(text ?? (body === undefined ? undefined : JSON.stringify(body)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  return (server.address() as AddressInfo).port;
}

async function run(port: number, args: string[]) {
  const result = await paydesk([...args, '--json'], {
    home,
    env: {
      PAYDESK_BASE_URL: `http://127.0.0.1:${port}`,
      PAYDESK_APP_ID: 'app-1',
      PAYDESK_API_KEY: 'key-1234',
      PAYDESK_KIND: 'sandbox',
    },
  });
  const json = JSON.parse(result.stdout) as { outcome?: string; error?: { code: string; message: string } };
  return { exit: result.code, outcome: json.outcome, code: json.error?.code, json };
}

/** A payment whose instructions are answered by `answer`, and that shows `after` once one has come. */
function startPayment(before: string, after: string, answer: Reply): Promise<number> {
  let told = false;
  return start(({ method, url = '' }) => {
    const isInstruction = method === 'POST' && !url.endsWith('/recheck');
    told ||= isInstruction;
    if (isInstruction) return answer;
    return url.includes('referenceId')
      ? { status: 404 }
      : { status: 200, body: payment(told ? after : before) };
  });
}

it.each([
  ['cancel', 'Authorised', 'Captured', {}],
  ['cancel', 'Authorised', 'Declined', undefined],
  ['capture', 'Authorised', 'Cancelled', {}],
])(
  'a %s that is answered with success and turns %s into %s is unknown',
  async (verb, before, after, body) => {
    const port = await startPayment(before, after, { status: body === undefined ? 204 : 200, body });
    expect(await run(port, ['payments', verb, '100231'])).toMatchObject({ exit: 6, outcome: 'unknown' });
  },
);

it.each([
  { title: 'Refund not possible', status: 422 },
  { message: 'Refund rejected by provider' },
  { detail: 'The provider declined it' },
])('a success whose body complains is unknown: %j', async (body) => {
  const port = await startPayment('Captured', 'Captured', { status: 200, body });
  expect(await run(port, ['payments', 'refund', '100231'])).toMatchObject({ exit: 6, outcome: 'unknown' });
});

it.each([
  ['another reference', JSON.stringify(payment('Refunded', { referenceId: 'inv-8' }))],
  ['a list', JSON.stringify([payment('Refunded')])],
  ['a state twice', JSON.stringify(payment('Captured')).replace('}', ',"paymentState":"Refunded"}')],
])('a success that shows the payment with %s proves nothing', async (_, text) => {
  const port = await startPayment('Captured', 'Captured', { status: 200, text });
  expect(await run(port, ['payments', 'refund', '100231'])).toMatchObject({ exit: 6, outcome: 'unknown' });
});

it('a payment whose id comes back with zeros before it is the same payment', async () => {
  const told: string[] = [];
  const port = await start(({ method, url = '' }) => {
    if (url.endsWith('/refund')) {
      told.push(url);
      return { status: 500 };
    }
    if (method === 'POST') return { status: 204 };
    return { status: 200, body: payment('Captured', told.length > 0 ? { paymentId: '0100231' } : {}) };
  });
  expect(await run(port, ['payments', 'refund', 'inv-7'])).toMatchObject({ exit: 6, outcome: 'unknown' });
  await run(port, ['payments', 'refund', 'inv-7']);
  await run(port, ['payments', 'refund', 'inv-7', '--again']);
  expect(told).toHaveLength(1);
});

it('a payment of another service proves nothing of the one with the same id', async () => {
  const first = await startPayment('Captured', 'Captured', { status: 500 });
  const second = await start(() => ({ status: 200, body: payment('Refunded', { referenceId: 'other-7' }) }));
  expect(await run(first, ['payments', 'refund', '100231'])).toMatchObject({ exit: 6 });
  expect(await run(second, ['payments', 'check', '100231'])).toMatchObject({
    exit: 9,
    code: 'ledger-conflict',
  });
  expect(await run(first, ['payments', 'check', '100231'])).toMatchObject({ exit: 6, outcome: 'unknown' });
});

const charge = ['payments', 'charge', '--customer', 'c_1', '--amount', '44.40', '--reference', 'inv-7'];
const lastCharge = async (port: number) => {
  const { json } = await run(port, ['history']);
  return (json as unknown as Array<{ operation: string; outcome: string }>)[0];
};

it.each([422, 429, 500, 403])(
  'a charge that was made and answered %i is found by its reference',
  async (status) => {
    let isMade = false;
    const port = await start(({ method, url = '' }) => {
      if (method === 'POST') {
        isMade = true;
        return { status, body: { title: 'No' } };
      }
      if (!url.includes('/payments/')) return { status: 200, body: { customerId: 'c_1', appId: 'app-1' } };
      return isMade ? { status: 200, body: payment('Captured') } : { status: 404 };
    });
    expect(await run(port, charge)).toMatchObject({ exit: 0 });
    expect(await lastCharge(port)).toMatchObject({ operation: 'charge', outcome: 'done' });
  },
);

it('a charge that was refused is in the history', async () => {
  const port = await start(({ method, url = '' }) => {
    if (method === 'POST') return { status: 422, body: { title: 'No method' } };
    if (!url.includes('/payments/')) return { status: 200, body: { customerId: 'c_1', appId: 'app-1' } };
    return { status: 404 };
  });
  expect(await run(port, charge)).toMatchObject({ exit: 1 });
  expect(await lastCharge(port)).toMatchObject({ operation: 'charge', outcome: 'refused' });
});
