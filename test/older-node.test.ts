import { execFileSync, type ChildProcess } from 'node:child_process';
import { expect, it } from 'vitest';
import { APP, httpServer, KEY, type TestServer } from './helpers/servers.js';
import { paydesk, paydeskTty, type Tty } from './helpers/run.js';

// A checkout that an older Node runs starts the program a second time, with the Node that it carries.

const claimOlder = 'data:text/javascript,Object.defineProperty(process,"version",{value:"v20.0.0"})';
const under = [
  'bash',
  '--norc',
  '-c',
  `node=$1; shift; exec "$node" --import '${claimOlder}' "$@"`,
  'older-node',
];

const envFor = ({ url }: TestServer) => ({
  PAYDESK_BASE_URL: url,
  PAYDESK_APP_ID: APP,
  PAYDESK_API_KEY: KEY,
  PAYDESK_KIND: 'sandbox',
});

const captured = JSON.stringify({
  paymentId: 100231,
  referenceId: 'inv-7',
  paymentState: 'Captured',
  amount: 44.4,
  currency: 'EUR',
});

it('ends with what the program ends with', async () => {
  expect(await paydesk(['--version'], { under })).toMatchObject({ code: 0 });
  expect(await paydesk(['fooo'], { under })).toMatchObject({ code: 2 });
});

it('ends with 6 when Ctrl-C leaves the outcome of a refund unknown', async () => {
  let tty: Tty | undefined;
  let isSent = false;
  const server = await httpServer(({ url }, response) => {
    if (url.includes('referenceId')) return response.writeHead(404).end();
    isSent ||= url.endsWith('/refund');
    if (!isSent) return response.writeHead(200, { 'content-type': 'application/json' }).end(captured);
    // The second one comes with the read that the first one led to.
    return tty?.press('ctrl-c');
  });
  tty = await paydeskTty(['payments', 'refund', '100231'], { env: envFor(server), under });
  expect(await tty.ended()).toBe(6);
  expect(tty.text()).toContain('Stopped before the outcome was known');
});

it.each(['SIGTERM', 'SIGHUP'] as const)('passes %s on to the program', async (signal) => {
  let child: ChildProcess | undefined;
  const server = await httpServer(() => child?.kill(signal));
  const onStarted = (started: ChildProcess) => void (child = started);
  const ran = await paydesk(['payments', 'get', '100231'], { env: envFor(server), under, onStarted });
  expect(ran.code).toBe(130);
});

it('says which signal ended the program, as a shell does', async () => {
  let child: ChildProcess | undefined;
  const server = await httpServer(() => {
    const [program] = execFileSync('pgrep', ['-P', String(child?.pid)], { encoding: 'utf8' }).split('\n');
    process.kill(Number(program), 'SIGKILL');
  });
  const onStarted = (started: ChildProcess) => void (child = started);
  const ran = await paydesk(['payments', 'get', '100231'], { env: envFor(server), under, onStarted });
  expect(ran.code).toBe(128 + 9);
});
