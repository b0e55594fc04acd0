import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { runTyped } from '../../helpers/desk.js';
import { homeWithLedger } from '../../helpers/in-process.js';
import { paydesk, type RunResult } from '../../helpers/run.js';
import { eventually } from '../../helpers/sandbox.js';

// A service that says one thing and does another, and services that are taken for each other.

interface Reply {
  status: number;
  body?: unknown;
  /** Sent as it is. */
  text?: string;
}

// Most of them wait for what a service may still show, so they do that at the same time.
const it = test.concurrent;

const folder = mkdtempSync(join(tmpdir(), 'paydesk-contradictions-'));
const servers = new Map<number, Server>();
const stop = (server: Server) => server.close().closeAllConnections();
afterAll(() => {
  for (const server of servers.values()) stop(server);
  rmSync(folder, { recursive: true, force: true });
});

const homes = new Map<number, string>();
/** The desk of a service. */
const homeOf = (port: number): string => homes.get(port) as string;

const payment = (state: string, more: object = {}) => ({
  paymentId: 100231,
  referenceId: 'inv-7',
  paymentState: state,
  amount: 44.4,
  currency: 'EUR',
  ...more,
});

/** Answers as it is told; a request without a reply is answered by the test. */
async function start(
  reply: (request: IncomingMessage, response: ServerResponse) => Reply | undefined,
): Promise<number> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const answer = reply(request, response);
      if (answer === undefined) return;
      const { status, body, text } = answer;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(text ?? (body === undefined ? undefined : JSON.stringify(body)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  servers.set(port, server);
  homes.set(port, await homeWithLedger());
  return port;
}

type Way = (args: string[], options: { home: string; env: Record<string, string> }) => Promise<RunResult>;

const envFor = (port: number) => ({
  PAYDESK_BASE_URL: `http://127.0.0.1:${port}`,
  PAYDESK_APP_ID: 'app-1',
  PAYDESK_API_KEY: 'key-1234',
  PAYDESK_KIND: 'sandbox',
});

/** In this process, unless the test is about two of them. */
async function run(port: number, args: string[], env: Record<string, string> = {}, way: Way = runTyped) {
  const result = await way([...args, '--json'], {
    home: homeOf(port),
    env: { ...envFor(port), ...env },
  });
  const json = JSON.parse(result.stdout) as {
    outcome?: string;
    error?: { code: string; message: string; next?: string[] };
  };
  return { exit: result.code, outcome: json.outcome, code: json.error?.code, json };
}

/** Types an instruction, and again where a busy machine was too late to send it. */
async function tell(port: number, args: string[], env: Record<string, string>) {
  for (;;) {
    const result = await run(port, args, env);
    if (result.code !== 'not-sent') return result;
  }
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

/** Under the reference inv-3 it shows a payment that is inv-7 by its id. */
async function startTwoFaced() {
  const told: string[] = [];
  const port = await start(({ method, url = '' }) => {
    if (method === 'POST') told.push(url);
    const referenceId = url.includes('referenceId:inv-3') ? 'inv-3' : 'inv-7';
    return { status: 200, body: payment('Captured', { referenceId }) };
  });
  return { told, port };
}

it('a reference under which the service shows another payment than by its id moves nothing', async () => {
  const { told, port } = await startTwoFaced();
  const { exit, code, json } = await run(port, ['payments', 'refund', 'inv-3']);
  expect([exit, code]).toEqual([9, 'changed-meanwhile']);
  expect(json.error?.message).toContain('its reference is inv-7');
  expect(told).toEqual([]);
});

it('a row of a batch whose payment has another reference by its id moves nothing', async () => {
  const { told, port } = await startTwoFaced();
  const rows = join(folder, 'rows.csv');
  const plan = join(folder, 'plan.json');
  writeFileSync(rows, 'reference\ninv-3\n');
  const planned = await run(port, ['batch', 'plan', rows, '--action', 'refund', '--out', plan]);
  expect(planned.exit).toBe(0);
  expect((await run(port, ['batch', 'apply', plan])).exit).not.toBe(0);
  expect(told).toEqual([]);
});

it('a reference that names another payment while a refund under it is open moves nothing', async () => {
  const told: string[] = [];
  let shown = 100231;
  const port = await start(({ method, url = '' }, response) => {
    if (url.endsWith('/refund')) {
      told.push(url);
      response.destroy();
      return undefined;
    }
    if (method === 'POST') return { status: 204 };
    const paymentId = url.includes('referenceId:') ? shown : Number(/\d+$/.exec(url)?.[0]);
    return { status: 200, body: payment('Captured', { paymentId }) };
  });
  expect((await run(port, ['payments', 'refund', 'inv-7'])).exit).toBe(6);
  shown = 100232;
  const { exit, code, json } = await run(port, ['payments', 'refund', 'inv-7']);
  expect([exit, code]).toEqual([9, 'reference-moved']);
  expect(json.error?.next).toEqual(['paydesk payments check 100231', 'paydesk payments refund id:100232']);
  expect(told).toHaveLength(1);
});

it.each(['"0100231"', '100231.0', '1.00231e5'])(
  'a payment whose id comes back as %s is the same payment',
  async (shown) => {
    const told: string[] = [];
    const port = await start(({ method, url = '' }) => {
      if (url.endsWith('/refund')) {
        told.push(url);
        return { status: 500 };
      }
      if (method === 'POST') return { status: 204 };
      const text = JSON.stringify(payment('Captured'));
      const id = told.length === 0 ? '100231' : shown;
      return { status: 200, text: text.replace(/"paymentId":[^,}]+/, `"paymentId":${id}`) };
    });
    expect(await run(port, ['payments', 'refund', 'inv-7'])).toMatchObject({ exit: 6, outcome: 'unknown' });
    expect(await run(port, ['payments', 'refund', 'inv-7'])).toMatchObject({ exit: 6, outcome: 'unknown' });
    await run(port, ['payments', 'refund', 'inv-7', '--again']);
    expect(told).toEqual([expect.stringContaining('/payments/100231/refund')]);
  },
);

it('a payment of another service proves nothing of the one with the same id', async () => {
  const first = await startPayment('Captured', 'Captured', { status: 500 });
  const second = await start(() => ({ status: 200, body: payment('Refunded', { referenceId: 'other-7' }) }));
  expect(await run(first, ['payments', 'refund', '100231'])).toMatchObject({ exit: 6 });
  const sameDesk = { PAYDESK_HOME: homeOf(first) };
  expect(await run(second, ['payments', 'check', '100231'], sameDesk)).toMatchObject({
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

it.each([400, 401, 403, 404, 422])(
  'a charge whose first answer was lost is unknown when its second attempt is answered %i',
  async (status) => {
    let posts = 0;
    const port = await start(({ method, url = '' }) => {
      if (method === 'POST') {
        posts += 1;
        return posts === 1 ? { status: 500 } : { status, body: { title: 'inv-7 was used already' } };
      }
      if (!url.includes('/payments/')) return { status: 200, body: { customerId: 'c_1', appId: 'app-1' } };
      return { status: 404 };
    });
    expect(await run(port, charge)).toMatchObject({ exit: 6 });
    expect(posts).toBe(2);
    expect(await lastCharge(port)).toMatchObject({ operation: 'charge', outcome: 'unknown' });
    const checked = await run(port, ['payments', 'check', 'ref:inv-7']);
    expect(checked).toMatchObject({ exit: 6, code: 'still-open' });
    expect(checked.json.error).toMatchObject({
      message: expect.stringContaining('The outcome of the charge of payment inv-7') as unknown,
      next: expect.arrayContaining(['paydesk payments check ref:inv-7']) as unknown,
    });
    expect(await run(port, ['payments', 'refund', 'inv-7'])).toMatchObject({ exit: 9, code: 'intent-open' });
  },
);

it('a charge whose answer was lost is not sent again while its reference cannot be looked for', async () => {
  let posts = 0;
  const port = await start(({ method, url = '' }, response) => {
    if (method === 'POST') {
      posts += 1;
      return void response.destroy();
    }
    if (!url.includes('/payments/')) return { status: 200, body: { customerId: 'c_1', appId: 'app-1' } };
    return { status: posts === 0 ? 404 : 500 };
  });
  expect(await run(port, charge)).toMatchObject({ exit: 6 });
  expect(posts).toBe(1);
  expect(await lastCharge(port)).toMatchObject({ operation: 'charge', outcome: 'unknown' });
});

it.each([
  ['does not name its reference', { paymentId: 5, paymentState: 'Captured' }],
  ['shows two payments', { data: payment('Declined'), payment: payment('Captured') }],
])('a charge whose answer %s is read', async (_, body) => {
  let isMade = false;
  const port = await start(({ method, url = '' }) => {
    if (method === 'POST') {
      isMade = true;
      return { status: 200, body };
    }
    if (!url.includes('/payments/')) return { status: 200, body: { customerId: 'c_1', appId: 'app-1' } };
    return isMade ? { status: 200, body: payment('Declined') } : { status: 404 };
  });
  expect(await run(port, charge)).toMatchObject({ exit: 3 });
  expect(await lastCharge(port)).toMatchObject({ operation: 'charge', outcome: 'failed' });
});

it('a charge that was not answered when its process was killed is in the history as unknown', async () => {
  let child: ChildProcess | undefined;
  const port = await start(({ method, url = '' }) => {
    if (method === 'POST') child?.kill('SIGKILL');
    else if (!url.includes('/payments/')) return { status: 200, body: { customerId: 'c_1', appId: 'app-1' } };
    else return { status: 404 };
    return undefined;
  });
  await paydesk(charge, {
    home: homeOf(port),
    env: envFor(port),
    onStarted: (started) => void (child = started),
  });
  expect(await lastCharge(port)).toMatchObject({ operation: 'charge', outcome: 'unknown' });
  expect(await run(port, ['payments', 'check', 'inv-7'])).toMatchObject({ exit: 6 });
});

it('a charge that never left is in the history as unsent', async () => {
  const port = await start(({ method, url = '' }, response) => {
    if (method === 'POST') throw new Error('It was never to be sent.');
    if (!url.includes('/payments/')) return { status: 200, body: { customerId: 'c_1', appId: 'app-1' } };
    response.once('close', () => stop(servers.get(port) as Server));
    return { status: 404 };
  });
  expect(await run(port, charge)).toMatchObject({ exit: 5 });
  expect(await lastCharge(port)).toMatchObject({ operation: 'charge', outcome: 'unsent' });
});

it.each([
  ['the key is refused', { status: 401 }, []],
  ['the key is not allowed', { status: 403 }, []],
  ['the read takes too long', undefined, ['--timeout', '1s']],
])('an open refund is told while %s', async (_, reply, flags) => {
  let isAway = false;
  const port = await start(({ method, url = '' }) => {
    if (url.includes('referenceId')) return { status: 404 };
    if (isAway) return reply;
    return method === 'GET' ? unchanged : { status: 500 };
  });
  expect(await run(port, ['payments', 'refund', '100231'])).toMatchObject({ exit: 6 });
  isAway = true;
  for (const command of ['check', 'refund']) {
    expect(await run(port, ['payments', command, '100231', ...flags])).toMatchObject({
      exit: 6,
      code: 'still-open',
    });
  }
});

it('a second Ctrl-C after a refund was sent says that its outcome is unknown', async () => {
  let child: ChildProcess | undefined;
  let isSent = false;
  const port = await start(({ url = '' }) => {
    if (url.includes('referenceId')) return { status: 404 };
    isSent ||= url.endsWith('/refund');
    if (!isSent) return unchanged;
    // The second one comes with the read that the first one led to.
    child?.kill('SIGINT');
    return undefined;
  });
  const refund = ['payments', 'refund', '100231', '--json'];
  const onStarted = (started: ChildProcess) => void (child = started);
  const { code, stdout } = await paydesk(refund, { home: homeOf(port), env: envFor(port), onStarted });
  expect(code).toBe(6);
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'outcome-unknown', next: ['paydesk history'] } });
});

const quiet = { PAYDESK_QUIET_PERIOD: '1s' };

/** A refund that was answered 503; how it is sent again once the quiet period has passed, and how often it came. */
async function sendAgain(what: string, recheck: Reply, read: Reply) {
  let told = 0;
  const port = await start(({ method, url = '' }) => {
    if (url.includes('referenceId')) return { status: 404 };
    if (method === 'GET') return told === 0 ? unchanged : read;
    if (url.endsWith('/recheck')) return recheck;
    told += 1;
    return { status: 503 };
  });
  const refund = async (...flags: string[]) => {
    for (;;) {
      const before = told;
      const result = await run(port, ['payments', 'refund', '100231', ...flags], quiet);
      // On a busy machine the moment to send may have passed: then nothing is sent, and an earlier one stays unknown.
      const staysUnknown = read === unchanged && result.exit === 6 && told === before;
      const isLate = result.code === 'not-sent' || staysUnknown;
      if (!isLate && result.code !== 'quiet-period') return result.exit;
      // Each try costs time that the others need.
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  };
  const first = await refund();
  return { what, first, exit: await refund('--resend'), told };
}

const captured = { capturedAmount: 44.4, payInfo: { refundId: '', at: '2026-11-15T07:49:02Z' } };
const unchanged: Reply = { status: 200, body: payment('Captured', captured) };
const twice = (text: string): Reply => ({
  status: 200,
  text: text.replace('}', ',"paymentState":"Captured"}'),
});

it('only a recheck and a read that show the payment as it was let it be sent again', async () => {
  const rechecks: Record<string, Reply> = {
    'success: false': { status: 200, body: { success: false } },
    'a status of its own': { status: 200, body: { status: 422, message: 'no' } },
    errors: { status: 200, body: { errors: ['provider unavailable'] } },
    false: { status: 200, body: false },
    'the payment and an error': { status: 200, body: payment('Captured', { error: 'timeout' }) },
    'a change': { status: 200, body: { changed: true } },
    'the payment and a change': { status: 200, body: payment('Captured', { changed: true }) },
    'a change in an envelope': { status: 200, body: { data: { changed: true } } },
    'the payment and a change in an envelope': {
      status: 200,
      body: { result: { payment: payment('Captured'), changed: true } },
    },
    'a refunded amount': {
      status: 200,
      body: { paymentId: 100231, paymentState: 'Captured', refundedAmount: 44.4 },
    },
    'another amount in an envelope': {
      status: 200,
      body: { data: payment('Captured', { capturedAmount: '0.00' }) },
    },
    'a refund': { status: 200, body: payment('Captured', { payInfo: { refundId: 'r-1' } }) },
    'the payment in another state': { status: 200, body: payment('Refunding') },
    'two states': twice(JSON.stringify(payment('Refunded'))),
    'a 202': { status: 202 },
    'a 202 with the payment': { status: 202, body: payment('Captured') },
    'that it is queued': { status: 200, body: { status: 'queued' } },
    'that it is queued, in an envelope': { status: 200, body: { data: { status: 'queued' } } },
  };
  const refused = Object.entries(rechecks).map(([what, recheck]) => sendAgain(what, recheck, unchanged));
  const twoStates = sendAgain(
    'a read of two states',
    { status: 204 },
    twice(JSON.stringify(payment('Refunded'))),
  );
  const allowed = {
    nothing: { status: 204 },
    'less than the read': { status: 200, body: { paymentId: '100231', capturedAmount: '44.40' } },
    'another time, and more than the read': {
      status: 200,
      body: payment('Captured', { payInfo: { at: '2026-11-15T07:50:00Z' }, refundedAmount: 0, note: 'new' }),
    },
  };
  const sent = Object.entries(allowed).map(([what, recheck]) => sendAgain(what, recheck, unchanged));
  expect(await Promise.all(refused)).toEqual(
    Object.keys(rechecks).map((what) => ({ what, first: 6, exit: 9, told: 1 })),
  );
  expect(await twoStates).toMatchObject({ exit: expect.toSatisfy((exit) => exit !== 0), told: 1 });
  expect(await Promise.all(sent)).toEqual(
    Object.keys(allowed).map((what) => ({ what, first: 6, exit: 6, told: 2 })),
  );
});

it.each(['Failed', 'Declined', 'Cancelled', 'RefundFailed'])(
  'a success that shows the payment in %s is no success',
  async (state) => {
    const port = await startPayment('Captured', 'Captured', { status: 200, body: payment(state) });
    const refunded = await run(port, ['payments', 'refund', '100231']);
    expect(refunded).toMatchObject({ exit: 6, json: { outcome: 'unknown' } });
    expect(refunded.json.error?.message).toContain(`with the payment in ${state}`);
  },
);

it('a capture is not sent again while a recheck shows a captured amount that the reads do not have', async () => {
  let told = 0;
  const port = await start(({ method, url = '' }) => {
    if (url.includes('referenceId')) return { status: 404 };
    if (method === 'GET') return { status: 200, body: payment('Authorised') };
    if (url.endsWith('/recheck')) {
      return { status: 200, body: payment('Authorised', told > 0 ? { capturedAmount: 44.4 } : {}) };
    }
    told += 1;
    return { status: 422, body: { message: 'no' } };
  });
  const first = await tell(port, ['payments', 'capture', '100231'], quiet);
  expect(first).toMatchObject({ exit: 6, outcome: 'unknown' });
  const again = () => run(port, ['payments', 'capture', '100231', '--resend'], quiet);
  let last = await again();
  while (last.code === 'quiet-period') last = await again();
  expect([last.exit, last.code, told]).toEqual([9, 'moved', 1]);
});

it.each([
  [200, 409],
  [200, 422],
  [202, 422],
])(
  'a recheck (%i) that says done is not believed while the read after it says otherwise',
  async (status, answer) => {
    const port = await start(({ method, url = '' }) => {
      if (url.includes('referenceId')) return { status: 404 };
      if (url.endsWith('/recheck')) return { status, body: payment('Refunded') };
      return method === 'GET' ? unchanged : { status: answer, body: { message: 'no' } };
    });
    expect(await run(port, ['payments', 'refund', '100231'])).toMatchObject({ exit: 6, outcome: 'unknown' });
  },
);

it('nobody takes a payment over whose instruction is still waiting for its answer', async () => {
  let told = 0;
  let arrived: (response: ServerResponse) => void = () => undefined;
  const isTold = new Promise<ServerResponse>((resolve) => (arrived = resolve));
  const port = await start(({ method, url = '' }, response) => {
    if (url.includes('referenceId')) return { status: 404 };
    if (method === 'GET') return { status: 200, body: payment('Captured') };
    if (url.endsWith('/recheck')) return { status: 204 };
    told += 1;
    arrived(response);
    return undefined;
  });
  const env = { PAYDESK_QUIET_PERIOD: '8s' };
  const first = run(port, ['payments', 'refund', '100231'], env, paydesk);
  const isOver = first.then((result) => Promise.reject(new Error(`it ended: ${JSON.stringify(result)}`)));
  const response = await Promise.race([isTold, isOver]);
  // The answer has begun, so that no time limit ends it while the test looks at the ledger.
  response.writeHead(200, { 'content-type': 'application/json' });
  const db = new DatabaseSync(join(homeOf(port), 'data', 'desk.db'));
  const heldSince = () => db.prepare('select steady_ms from holds').get()?.['steady_ms'] as number;
  // Each time it was sent an hour ago by the ledger's clock: only a hold that is renewed says that it is still waited for.
  for (let times = 0; times < 2; times += 1) {
    response.write(' ');
    db.exec('update intents set steady_ms = steady_ms - 3600000');
    db.exec('update holds set steady_ms = steady_ms - 3600000');
    const aged = heldSince();
    await Promise.race([eventually(() => expect(heldSince()).toBeGreaterThan(aged)), isOver]);
  }
  db.close();
  const second = await run(port, ['payments', 'refund', '100231', '--resend'], env);
  expect(second).toMatchObject({ exit: 9, code: 'quiet-period' });
  response.end(JSON.stringify(payment('Refunding')));
  expect([await first, told]).toMatchObject([{ exit: 0, outcome: 'accepted' }, 1]);
});

it('a check says so when the service no longer shows what this desk has as done', async () => {
  const states = ['Captured', 'Captured', 'Refunded'];
  const port = await start(({ method, url = '' }) => {
    if (url.includes('referenceId')) return { status: 404 };
    if (method === 'GET' || url.endsWith('/recheck')) {
      return { status: 200, body: payment(states.shift() ?? 'Captured') };
    }
    return { status: 204 };
  });
  expect(await run(port, ['payments', 'refund', '100231'])).toMatchObject({ exit: 0, outcome: 'done' });
  expect(await run(port, ['payments', 'check', '100231'])).toMatchObject({
    exit: 9,
    code: 'ledger-conflict',
  });
});

/** A payment that shows what `shows` returns, and answers instructions with 204; counts them. */
async function startShowing(shows: () => object) {
  const told: string[] = [];
  const port = await start(({ method, url = '' }) => {
    if (method === 'POST' && !url.endsWith('/recheck')) {
      told.push(url.split('/').at(-1) ?? '');
      return { status: 204 };
    }
    return url.includes('referenceId') ? { status: 404 } : { status: 200, body: shows() };
  });
  return { port, told };
}

it.each([
  ['a refunded amount', { refundedAmount: 44.4 }],
  ['another id of the state', { paymentStateId: 9 }],
  ['the id of a refund', { payInfo: { refundId: 'r-1' } }],
])(
  'a refund that bounced is not called failed, nor sent --again, while the payment shows %s',
  async (_, more) => {
    let shown: object = payment('Captured');
    const { port, told } = await startShowing(() => shown);
    await tell(port, ['payments', 'refund', '100231'], quiet);
    shown = payment('Refunding');
    await run(port, ['payments', 'check', '100231'], quiet);
    shown = payment('Captured', more);
    await run(port, ['payments', 'check', '100231'], quiet);
    await eventually(async () => {
      const { exit, outcome, json } = await run(port, ['payments', 'refund', '100231', '--again'], quiet);
      expect([exit, outcome]).toEqual([6, 'unknown']);
      expect(json.error?.message).toContain('not exactly as it was before');
      expect(json.error?.message).toContain('Ask the operator');
    });
    expect(told).toEqual(['refund']);
  },
);

it('a refund that bounced long after it was sent is failed only if that is so for a quiet period', async () => {
  let shown: object = payment('Captured');
  const { port, told } = await startShowing(() => shown);
  await tell(port, ['payments', 'refund', '100231'], quiet);
  shown = payment('Refunding');
  expect(await run(port, ['payments', 'check', '100231'], quiet)).toMatchObject({ outcome: 'accepted' });
  // As if a day had passed.
  const db = new DatabaseSync(join(homeOf(port), 'data', 'desk.db'));
  for (const table of ['intents', 'outcomes', 'holds'])
    db.exec(`update ${table} set steady_ms = steady_ms - 86400000`);
  db.close();
  shown = payment('Captured', { failureReason: 'the account is closed' });
  const first = await run(port, ['payments', 'check', '100231'], { PAYDESK_QUIET_PERIOD: '10s' });
  expect([first.exit, first.outcome]).toEqual([6, 'accepted']);
  const early = await run(port, ['payments', 'refund', '100231', '--again'], { PAYDESK_QUIET_PERIOD: '10s' });
  expect([early.exit, told]).toEqual([6, ['refund']]);
  await eventually(async () =>
    expect(await run(port, ['payments', 'check', '100231'], quiet)).toMatchObject({
      exit: 3,
      outcome: 'failed',
    }),
  );
  expect(await tell(port, ['payments', 'refund', '100231', '--again'], quiet)).toMatchObject({ exit: 0 });
  expect(told).toEqual(['refund', 'refund']);
});

it('what was sent with --force needs it again, also after the quiet period', async () => {
  const port = await startPayment('Refunded', 'Refunded', {
    status: 422,
    body: { title: 'No', status: 422 },
  });
  expect(await tell(port, ['payments', 'refund', '100231', '--force'], quiet)).toMatchObject({ exit: 1 });
  await eventually(async () => {
    const { exit, code, json } = await run(port, ['payments', 'refund', '100231'], quiet);
    expect([exit, code]).toEqual([9, 'not-possible']);
    expect(json.error?.next).toContain('paydesk payments refund 100231 --force');
  });
});

it('an answer that shows the end is not believed: the payment is read', async () => {
  const port = await startPayment('Captured', 'Captured', { status: 200, body: payment('Refunded') });
  expect(await run(port, ['payments', 'refund', '100231'])).toMatchObject({ exit: 0, outcome: 'accepted' });
});

it.each([
  ['cancel', 'Authorised', 'Capturing'],
  ['capture', 'Authorised', 'Expired'],
])(
  'a %s whose answer is lost is not called refused because the payment shows %s and then %s, before the quiet period is over',
  async (verb, before, after) => {
    let told = false;
    const port = await start(({ method, url = '' }, response) => {
      const isInstruction = method === 'POST' && !url.endsWith('/recheck');
      told ||= isInstruction;
      if (isInstruction) return void response.destroy();
      if (url.includes('referenceId')) return { status: 404 };
      return { status: 200, body: payment(told ? after : before) };
    });
    expect(await tell(port, ['payments', verb, '100231'], quiet)).toMatchObject({
      exit: 6,
      outcome: 'unknown',
    });
    await eventually(async () =>
      expect(await run(port, ['payments', 'check', '100231'], quiet)).toMatchObject({
        exit: 1,
        outcome: 'refused',
      }),
    );
  },
);

it.each([404, 400, 410])('an open refund is named when its payment is answered with %i', async (status) => {
  let isThere = true;
  const port = await start(({ method, url = '' }, response) => {
    if (method === 'POST' && !url.endsWith('/recheck')) return void response.destroy();
    return isThere && !url.includes('referenceId') ? { status: 200, body: payment('Captured') } : { status };
  });
  expect(await run(port, ['payments', 'refund', '100231'])).toMatchObject({ exit: 6 });
  isThere = false;
  for (const verb of ['refund', 'check']) {
    const open = await run(port, ['payments', verb, '100231']);
    expect([open.exit, open.outcome, open.code]).toEqual([6, 'unknown', 'still-open']);
  }
  expect(await run(port, ['payments', 'cancel', '100231'])).toMatchObject({ exit: 9, code: 'intent-open' });
});

it('a capture that this desk has as done, and the payment denies, is a conflict for check as well', async () => {
  let shown: object = payment('Authorised');
  const { port } = await startShowing(() => shown);
  await run(port, ['payments', 'capture', '100231']);
  shown = payment('Captured');
  expect(await run(port, ['payments', 'check', '100231'])).toMatchObject({ exit: 0, outcome: 'done' });
  shown = payment('Authorised');
  expect(await run(port, ['payments', 'check', '100231'])).toMatchObject({
    exit: 9,
    code: 'ledger-conflict',
  });
});

/** Sends the refund again as soon as the quiet period allows it. */
async function resend(port: number) {
  const again = () => run(port, ['payments', 'refund', '100231', '--resend'], quiet);
  let last = await again();
  while (last.code === 'quiet-period') last = await again();
  return last;
}

it('a refund that is sent again and never leaves stays unknown, and is not sent by the next command', async () => {
  let told = 0;
  const server = () => servers.get(port) as Server;
  const port = await start(({ method, url = '' }) => {
    if (url.includes('referenceId')) return { status: 404 };
    // An instruction has a connection of its own, which finds nobody from now on.
    if (url.endsWith('/recheck') && told === 1) NetServer.prototype.close.call(server());
    if (method === 'GET' || url.endsWith('/recheck')) return unchanged;
    told += 1;
    return { status: 503 };
  });
  expect((await tell(port, ['payments', 'refund', '100231'], quiet)).exit).toBe(6);
  const listen = () => new Promise<void>((resolve) => server().listen(port, '127.0.0.1', resolve));
  // An attempt within the quiet period rechecks as well, and then cannot even read.
  const again = await eventually(async () => {
    if (!server().listening) await listen();
    const last = await resend(port);
    expect(last.json.error?.message).toContain('was not sent again');
    return last;
  });
  expect(again).toMatchObject({ exit: 6, outcome: 'unknown' });
  expect(again.json.error?.message).toContain('Nothing was sent now.');
  await listen();
  expect(await run(port, ['payments', 'refund', '100231'], quiet)).toMatchObject({
    exit: 6,
    code: 'still-open',
  });
  expect(told).toBe(1);
});

const create =
  `payments create --customer c_1 --amount 44.40 --currency EUR --return-url https://shop.example \
  --reference inv-7 --wait`.split(/\s+/);

it('a payment that was made is waited for while reads do not find it yet', async () => {
  let reads = 0;
  const port = await start(({ method, url = '' }) => {
    if (method === 'POST') return { status: 201, body: payment('Created') };
    if (!url.includes('/payments/')) return { status: 200, body: { customerId: 'c_1', appId: 'app-1' } };
    reads += 1;
    return reads < 4 ? { status: 404 } : { status: 200, body: payment('Captured') };
  });
  expect(await run(port, create)).toMatchObject({ exit: 0, json: { payment: { paymentState: 'Captured' } } });
});

it('a payment that is never found says why when the time is up', async () => {
  const port = await start(({ method, url = '' }) => {
    if (method === 'POST') return { status: 201, body: payment('Created') };
    if (!url.includes('/payments/')) return { status: 200, body: { customerId: 'c_1', appId: 'app-1' } };
    return { status: 404 };
  });
  const { exit, json } = await run(port, [...create, '--timeout', '6s']);
  expect(exit).toBe(8);
  expect(json.error?.message).toMatch(
    /^Time is up\. Payment 100231 \(inv-7\) was Created when it was last seen, and cannot be read now: There is no payment 100231/,
  );
});

it('a refund of somebody else that a read no longer shows is not sent a second time', async () => {
  let shown = payment('Refunding', captured);
  let recheckStatus = 202;
  let rechecks = 0;
  let told = 0;
  const port = await start(({ method, url = '' }) => {
    if (url.includes('referenceId')) return { status: 404 };
    if (method === 'GET') return { status: 200, body: shown };
    if (url.endsWith('/recheck')) {
      rechecks += 1;
      return { status: recheckStatus, body: shown };
    }
    told += 1;
    shown = payment('Refunded', captured);
    return { status: 200, body: shown };
  });
  const long = { PAYDESK_QUIET_PERIOD: '10m' };
  const say = (args: string[], env = long) => run(port, args, env);
  await say(['payments', 'get', '100231']);
  shown = payment('Captured', captured);
  const refund = ['payments', 'refund', '100231'];
  expect(await say(refund)).toMatchObject({ exit: 9, code: 'seen-elsewhere' });
  expect(await say([...refund, '--again'])).toMatchObject({ exit: 9, code: 'seen-elsewhere' });
  for (const [status, outcome] of [
    [202, 'accepted'],
    [200, 'done'],
  ] as const) {
    recheckStatus = status;
    expect((await say(['payments', 'recheck', '100231'])).json).toMatchObject({ outcome });
    expect((await say(['payments', 'explain', '100231'])).json).toMatchObject({
      verdict: expect.stringMatching(
        /If a check with the provider shows the same after .*, the refund has failed\.$/,
      ) as unknown,
      actions: [{ command: 'paydesk payments recheck 100231', recommended: true }],
    });
  }
  expect([told, rechecks]).toEqual([0, 2]);

  const sent = await eventually(async () => {
    const result = await say(refund, quiet);
    expect(result.code).not.toBe('seen-elsewhere');
    return result;
  });
  expect([sent.exit, told]).toEqual([0, 1]);
  // The provider was asked before it was sent.
  expect(rechecks).toBe(3);
});

it.each([
  ['shows it', { status: 200, body: payment('Refunded', captured) }, 'changed-meanwhile'],
  ['says that something changed', { status: 200, body: { changed: true } }, 'changed-meanwhile'],
  ['is only queued', { status: 202 }, 'not-rechecked'],
  ['fails', { status: 500 }, 'not-rechecked'],
])(
  'a refund of somebody else that reads have lost is not sent a second time where the recheck %s',
  async (_, recheck, code) => {
    let shown = payment('Refunding', captured);
    let told = 0;
    const port = await start(({ method, url = '' }) => {
      if (url.includes('referenceId')) return { status: 404 };
      if (method === 'GET') return { status: 200, body: shown };
      if (url.endsWith('/recheck')) return recheck;
      told += 1;
      return { status: 200, body: payment('Refunded', captured) };
    });
    await run(port, ['payments', 'get', '100231'], quiet);
    shown = payment('Captured', captured);
    await eventually(async () => {
      const { exit, code: last } = await run(port, ['payments', 'refund', '100231'], quiet);
      expect([exit, last]).toEqual([9, code]);
    });
    expect(told).toBe(0);
  },
);
