import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Diagnosis } from '../../../src/doctor/check.js';
import { httpServer } from '../../helpers/servers.js';
import { paydesk } from '../../helpers/run.js';
import { eventually } from '../../helpers/sandbox.js';
import { envOf, openTestDesk, runTyped, temporaryHome, type TestDesk } from '../../helpers/desk.js';

const inOwnNamespace = ['unshare', '--user', '--map-root-user', '--mount'];
/** A shell whose home is a small disk of its own, which ends with it. */
const onSmallDisk = (script: string, size = '2m') => [
  ...inOwnNamespace,
  'bash',
  '--norc',
  '-c',
  `mount -t tmpfs -o size=${size} tmpfs "$PAYDESK_HOME" || exit 99; ${script}`,
  'bash',
];
const fill = 'head -c 10m /dev/zero > "$PAYDESK_HOME/fill" 2> /dev/null';
const canMount =
  spawnSync('env', [...inOwnNamespace, 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]).status === 0;

describe.skipIf(!canMount)('a ledger on a full disk (skipped where no disk can be mounted)', () => {
  it('a disk that is full before anything was sent: nothing is sent, and it says so', async () => {
    const desk = await openTestDesk();
    try {
      const { paymentId } = await desk.paid();
      desk.requests();
      // The ledger is there already, and cannot take another line.
      const under = onSmallDisk(`"$1" "$2" history > /dev/null 2>&1; ${fill}; "$@"`);
      const { code, stdout, stderr } = await paydesk(['payments', 'refund', String(paymentId)], {
        under,
        env: envOf(desk.sandbox),
      });
      expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
      expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(/Nothing was sent\..*the disk is full/);
      expect(stderr).not.toContain('a bug');
      expect(desk.requests().filter((line) => !line.startsWith('GET '))).toEqual([]);
    } finally {
      await desk.sandbox.close();
    }
  });

  it('a disk that is full is told by doctor to be freed, and the ledger is not to be replaced', async () => {
    const { stdout } = await paydesk(['doctor', '--json'], {
      under: onSmallDisk(`"$1" "$2" history > /dev/null 2>&1; ${fill}; "$@"`, '600k'),
      env: { PAYDESK_BASE_URL: 'http://127.0.0.1:9', PAYDESK_APP_ID: 'a', PAYDESK_API_KEY: 'key-1234' },
    });
    expect((JSON.parse(stdout) as Diagnosis).checks.find(({ name }) => name === 'ledger')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('the disk is full'),
      fix: 'Free some space on the disk.',
    });
  });

  it('a disk that is full before the locks of a live ledger were tried: nothing is sent, and it says so', async () => {
    const payment = { paymentId: 7, amount: 5, currency: 'EUR', paymentState: 'Captured', referenceId: 'r' };
    const server = await httpServer((_seen, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(payment));
    });
    const { code, stdout } = await paydesk(['payments', 'refund', 'id:7', '--confirm', 'a', '--json'], {
      under: onSmallDisk(`"$1" "$2" history > /dev/null 2>&1; ${fill}; "$@"`, '600k'),
      env: {
        PAYDESK_BASE_URL: server.url,
        PAYDESK_APP_ID: 'a',
        PAYDESK_API_KEY: 'key-1234',
        PAYDESK_KIND: 'live',
      },
    });
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'ledger-unavailable', message: expect.stringContaining('the disk is full') },
    });
    expect(code).toBe(5);
    expect(server.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it('a disk that fills while the refund is on its way: its outcome is told, and it is not sent again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'paydesk-disk-'));
    const [sent, filled] = [join(folder, 'sent'), join(folder, 'filled')];
    let state = 'Captured';
    const server = await httpServer(async ({ method }, response) => {
      const answer = () => ({
        paymentId: 7,
        amount: 5,
        currency: 'EUR',
        paymentState: state,
        referenceId: 'r',
      });
      if (method === 'POST') {
        writeFileSync(sent, '');
        await eventually(() => expect(existsSync(filled)).toBe(true));
        state = 'Refunded';
      }
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer()));
    });
    const app = `--base-url ${server.url} --app-id a --sandbox --quiet-period 1s`;
    const script = [
      `"$1" "$2" profiles add shop ${app} --api-key-stdin <<< key-1234 > /dev/null 2>&1`,
      `"$@" & refund=$!; until [ -e ${sent} ]; do sleep 0.05; done`,
      `${fill}; touch ${filled}; wait $refund; echo "ended with $?"`,
      `rm "$PAYDESK_HOME/fill"; "$@"; echo "ended with $?"`,
    ].join('\n');
    const { stdout, stderr } = await paydesk(['payments', 'refund', 'id:7', '-p', 'shop'], {
      under: onSmallDisk(script),
    });
    const [first, , second] = stdout.split(/ended with (\d+)\n/);
    expect(first).toMatch(/Captured\tRefunded\tdone\n$/);
    expect(second).toMatch(/Refunded\tdone\n$/);
    expect(stdout.match(/ended with \d+/g)).toEqual(['ended with 0', 'ended with 0']);
    const told = stderr.replaceAll(/\s+/g, ' ');
    expect(told).toContain('The outcome could not be written to the ledger, which has it as unknown');
    expect(told).toContain('the disk is full');
    expect(told).toContain('Check it again with: paydesk payments check 7 --profile shop');
    expect(told).not.toContain('a bug');
    expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });
});

describe('closed outputs', () => {
  let desk: TestDesk;
  const home = temporaryHome();
  beforeAll(async () => {
    desk = await openTestDesk();
  });
  afterAll(() => desk.sandbox.close());

  const closing = (which: string) => ['bash', '--norc', '-c', `"$@" ${which}`, 'bash'];

  // Node opens /dev/null in place of an output that is closed, before the program starts.
  it.each([
    ['>&-', { stdout: '', stderr: expect.stringContaining('The refund is on its way') as string }],
    ['2>&-', { stdout: expect.stringContaining('Captured\tRefunding\taccepted') as string, stderr: '' }],
    ['>&- 2>&-', { stdout: '', stderr: '' }],
  ])(
    'a refund with %s is told on the other one, by its exit code, and in the history',
    async (which, told) => {
      const { paymentId } = await desk.paid();
      const options = { home, env: envOf(desk.sandbox) };
      const words = ['payments', 'refund', String(paymentId)];
      expect(await paydesk(words, { ...options, under: closing(which) })).toEqual({ code: 0, ...told });
      const { json } = await runTyped(['history', '--json'], options);
      expect(json).toContainEqual(expect.objectContaining({ paymentId, outcome: 'accepted' }));
      const refused = await paydesk(['payments', 'cancel', String(paymentId)], {
        ...options,
        under: closing(which),
      });
      expect(refused.code).toBe(9);
    },
  );
});
