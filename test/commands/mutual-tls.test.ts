import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import Doctor from '../../src/commands/doctor.js';
import Get from '../../src/commands/payments/get.js';
import Refund from '../../src/commands/payments/refund.js';
import ProfilesAdd from '../../src/commands/profiles/add.js';
import ProfilesSet from '../../src/commands/profiles/set.js';
import ProfilesShow from '../../src/commands/profiles/show.js';
import Whoami from '../../src/commands/whoami.js';
import type { Diagnosis } from '../../src/doctor/check.js';
import { runInProcess } from '../helpers/in-process.js';
import { startProxy } from '../helpers/proxy.js';
import {
  makeCertificates,
  SERVICE_HOST,
  startTlsFront,
  type Certificates,
  type TlsFront,
} from '../helpers/tls.js';
import { temporaryFolder } from '../profiles/temporary-home.js';
import { openTestDesk, type TestDesk } from '../helpers/desk.js';

let files: Certificates;
let desk: TestDesk;
/** Asks everybody for a certificate of our authority. */
let strict: TlsFront;
beforeAll(async () => {
  files = makeCertificates();
  desk = await openTestDesk();
  const port = Number(new URL(desk.sandbox.url).port);
  strict = await startTlsFront(files, port, { requestCert: true, rejectUnauthorized: true });
});
afterAll(async () => {
  await strict.stop();
  await desk.sandbox.close();
  files.remove();
});
beforeEach(() => {
  strict.clients.length = 0;
  desk.requests();
});

type CommandClass = Parameters<typeof runInProcess>[0];

/** A home of its own, and commands in it. */
function openHome(more: Record<string, string> = {}) {
  const env = { PAYDESK_HOME: temporaryFolder(), ...more };
  const run = (Class: CommandClass, words: Array<string | number>, input = '') =>
    runInProcess(Class, words.map(String), { env, input, now: new Date() });
  const add = (words: string[], host = '127.0.0.1') => {
    const { appId, apiKey } = desk.sandbox.app;
    const app = ['shop', '--base-url', `https://${host}:${strict.port}`, '--app-id', appId, '--sandbox'];
    return run(ProfilesAdd, [...app, '--api-key-stdin', ...words], apiKey);
  };
  return { env, run, add };
}

const all = () => [
  '--ca-file',
  files.caFile,
  '--client-cert',
  files.clientCert,
  '--client-key',
  files.clientKey,
];

describe('a service that asks for a client certificate', () => {
  it('is used with the certificate of the profile, for reads and for money', async () => {
    const { add, run } = openHome();
    expect(await add(all())).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('The service accepted the key.') as string,
    });
    const { paymentId } = await desk.paid();
    expect(await run(Get, [paymentId, '--json'])).toMatchObject({ code: 0 });
    expect(await run(Refund, [`id:${paymentId}`, '--wait'])).toMatchObject({ code: 0 });
    expect(await desk.sandbox.books(paymentId)).toMatchObject({ refund: '1/1' });
    expect(new Set(strict.clients)).toEqual(new Set(['desk']));
  });

  it('is used through a proxy', async () => {
    const proxy = await startProxy();
    const { add, run } = openHome({ HTTPS_PROXY: proxy.url });
    await add(all(), SERVICE_HOST);
    const { paymentId } = await desk.paid();
    expect(await run(Get, [paymentId])).toMatchObject({ code: 0 });
    expect(await proxy.seen()).not.toEqual([]);
    await proxy.stop();
  });

  it.each([
    ['without a certificate', () => ['--ca-file', files.caFile]],
    [
      'with one of somebody else',
      () => [
        '--ca-file',
        files.caFile,
        '--client-cert',
        files.strangerCert,
        '--client-key',
        files.strangerKey,
      ],
    ],
  ])('refuses everybody %s: exit 5, and nothing arrives', async (_name, words) => {
    const { add, run } = openHome();
    expect(await add(words())).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('The key was not tried') as string,
    });
    const { code, stderr } = await run(Refund, ['id:1']);
    expect({ code, stderr }).toMatchObject({ code: 5 });
    expect(desk.requests()).toEqual([]);
    const { checks } = JSON.parse((await run(Doctor, ['--json'])).stdout) as Diagnosis;
    expect(checks.find(({ name }) => name === 'service')).toMatchObject({ status: 'fail' });
  });

  it('is shown by profiles show, whoami and doctor', async () => {
    const { add, run } = openHome();
    await add(all());
    const paths = { caFile: files.caFile, clientCert: files.clientCert, clientKey: files.clientKey };
    expect(JSON.parse((await run(ProfilesShow, ['shop', '--json'])).stdout)).toMatchObject(paths);
    expect(JSON.parse((await run(Whoami, ['--json'])).stdout)).toMatchObject({ ...paths, proxy: null });
    expect((await run(Whoami, [])).stdout).toContain(`client certificate\t${files.clientCert}\tprofile shop`);
    const { checks } = JSON.parse((await run(Doctor, ['--json'])).stdout) as Diagnosis;
    const failed = checks.filter(({ status }) => status === 'fail');
    expect(failed).toEqual([]);
  });
});

describe('trust', () => {
  it.each(['', '0'])(
    'is for the authority of the profile alone (NODE_TLS_REJECT_UNAUTHORIZED=%j)',
    async (value) => {
      const { add, run } = openHome({ NODE_TLS_REJECT_UNAUTHORIZED: value });
      await add(['--ca-file', files.strangerCert]);
      const { code, stderr } = await run(Get, ['id:1']);
      expect({ code, stderr }).toMatchObject({
        code: 5,
        stderr: expect.stringContaining('the TLS handshake failed') as string,
      });
      expect(strict.clients).toEqual([]);
    },
  );
});

describe('files that cannot be used', () => {
  const bad: Array<[string, () => string[], string]> = [
    ['is not there', () => ['--ca-file', '/no/such/file'], 'there is no such file'],
    ['has no certificate', () => ['--ca-file', files.clientKey], 'no certificate in PEM format'],
    [
      'has no key',
      () => ['--client-cert', files.clientCert, '--client-key', files.clientCert],
      'no key in PEM format',
    ],
    [
      'is of another certificate',
      () => ['--client-cert', files.clientCert, '--client-key', files.strangerKey],
      'does not belong to',
    ],
    [
      'has a passphrase',
      () => {
        const locked = join(files.folder, 'locked.key');
        execFileSync(
          'openssl',
          ['ec', '-in', files.clientKey, '-aes256', '-passout', 'pass:1234', '-out', locked],
          {
            stdio: 'ignore',
          },
        );
        return ['--client-cert', files.clientCert, '--client-key', locked];
      },
      'passphrase',
    ],
  ];

  it.each(bad)('are refused when one %s: exit 4, and nothing is stored', async (_name, words, message) => {
    const { add, run } = openHome();
    const added = await add(words());
    expect({ code: added.code, stderr: added.stderr.replaceAll(/\s+/g, ' ') }).toEqual({
      code: 4,
      stderr: expect.stringContaining(message) as string,
    });
    expect((await run(ProfilesShow, ['shop'])).code).toBe(4);
    await add(all());
    expect(await run(ProfilesSet, ['shop', ...words()])).toMatchObject({ code: 4 });
    expect(strict.clients.filter((client) => client === undefined)).toEqual([]);
  });

  it('are named by the command that would need them', async () => {
    const { add, run } = openHome();
    const gone = join(temporaryFolder(), 'ca.pem');
    writeFileSync(gone, '');
    await add(all());
    const set = await run(ProfilesSet, ['shop', '--ca-file', gone]);
    expect(set).toMatchObject({ code: 4, stderr: expect.stringContaining(gone) as string });
  });

  it('a certificate without its key is refused', async () => {
    const { add } = openHome();
    expect(await add(['--client-cert', files.clientCert])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('belong together') as string,
    });
  });
});

describe('profiles set', () => {
  it('adds files by a relative path, and takes them away again', async () => {
    const { add, run } = openHome();
    await add(['--ca-file', files.caFile]);
    const words = [
      '--client-cert',
      relative('.', files.clientCert),
      '--client-key',
      relative('.', files.clientKey),
    ];
    const set = await run(ProfilesSet, ['shop', ...words]);
    expect(set).toMatchObject({ code: 0, stdout: expect.stringContaining(files.clientCert) as string });
    const { paymentId } = await desk.paid();
    expect(await run(Get, [paymentId])).toMatchObject({ code: 0 });
    await run(ProfilesSet, ['shop', '--client-cert', '', '--client-key', '']);
    expect(JSON.parse((await run(ProfilesShow, ['shop', '--json'])).stdout)).not.toHaveProperty('clientCert');
    expect(await run(Get, [paymentId])).toMatchObject({ code: 5 });
  });

  it('makes a profile read-only, and lets it write again', async () => {
    const { add, run } = openHome();
    await add([...all(), '--read-only']);
    expect(JSON.parse((await run(Whoami, ['--json'])).stdout)).toMatchObject({ readOnly: true });
    const { checks } = JSON.parse((await run(Doctor, ['--json'])).stdout) as Diagnosis;
    expect(checks.find(({ name }) => name === 'profile')?.message).toContain('It is read-only.');
    desk.requests();
    const refused = await run(Refund, ['id:1']);
    expect(refused).toMatchObject({
      code: 9,
      stderr: expect.stringContaining('paydesk profiles set shop --no-read-only') as string,
    });
    expect(desk.requests()).toEqual([]);
    await run(ProfilesSet, ['shop', '--no-read-only']);
    const { paymentId } = await desk.paid();
    expect(await run(Refund, [`id:${paymentId}`])).toMatchObject({ code: 0 });
  });
});
