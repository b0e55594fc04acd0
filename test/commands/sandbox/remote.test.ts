import { request } from 'node:http';
import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import SandboxStart from '../../../src/commands/sandbox/start.js';
import { startSandbox } from '../../../src/library/index.js';
import { runInProcess } from '../../helpers/in-process.js';
import { hostedBody } from '../../helpers/sandbox.js';

const REMOTE = ['--host', '0.0.0.0', '--allow-remote'];
const start = (words: string[], options = {}) =>
  runInProcess(SandboxStart, ['--memory', '--port', '0', '--no-profiles', ...words], options);

interface Refused {
  error: { message: string; next: string[] };
}

describe('a sandbox that other machines can reach', () => {
  test.each([
    [['--host', '0.0.0.0'], /^--host 0\.0\.0\.0 lets other machines use the sandbox, without encryption\./],
    [['--host', '::'], /^--host :: lets other machines/],
    [['--allow-remote'], /^With --host 127\.0\.0\.1 only this machine can reach the sandbox\./],
    [[...REMOTE, '--seed', '7'], /^--seed makes API keys predictable/],
  ])('is not started by %j, and paydesk says what to type', async (words, message) => {
    const { code, stdout } = await start([...words, '--json']);
    const { error } = JSON.parse(stdout) as Refused;
    expect(code).toBe(2);
    expect(error.message).toMatch(message);
    expect(error.message).toMatch(/The sandbox was not started\.$/);
    expect(error.next).toEqual([
      expect.stringMatching(/^paydesk sandbox start --host (0\.0\.0\.0|::) --allow-remote$/),
    ]);
  });

  test('is told what it means, and its own machine reaches it as before', async () => {
    let stop = () => {};
    let first = '';
    const { stderr, code } = await start([...REMOTE, '--json'], {
      onStart: (interrupt: () => void) => (stop = interrupt),
      onWrite: (text: string) => {
        first += text;
        stop();
      },
    });
    expect(code).toBe(130);
    expect((JSON.parse(first) as { url: string }).url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
      'Warning: every machine that can reach this one can use the sandbox, without encryption.',
    );
  });

  test('answers to addresses and private names, and to no name that a stranger could point at it', async () => {
    await expect(startSandbox({ host: '0.0.0.0' })).rejects.toThrow('allowRemote is needed');
    await expect(startSandbox({ host: '0.0.0.0', allowRemote: true, seed: 7 })).rejects.toThrow(
      'this machine alone',
    );
    const sandbox = await startSandbox({ host: '0.0.0.0', allowRemote: true });
    const { port } = new URL(sandbox.url);
    const create = (host: string) =>
      new Promise<{ status: number; body: string }>((resolve, reject) => {
        const headers = {
          host,
          authorization: `Bearer ${sandbox.apiKey}`,
          'content-type': 'application/json',
        };
        const path = `/api/apps/${sandbox.appId}/payments/hosted-page`;
        const sent = request({ port, path, method: 'POST', headers }, (answer) => {
          let body = '';
          answer.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
          answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }));
        });
        sent.on('error', reject).end(JSON.stringify(hostedBody()));
      });
    try {
      const names = [
        `127.0.0.1:${port}`,
        '192.168.1.20:4010',
        '[fd00::1]:4010',
        'sandbox',
        'pay.shop.internal',
        hostname(),
      ];
      for (const host of names) {
        const { status, body } = await create(host);
        expect({ host, status }).toEqual({ host, status: 201 });
        // The link leads to where the other machine called.
        expect((JSON.parse(body) as { redirectUrl: string }).redirectUrl).toContain(
          `http://${host}/checkout/`,
        );
      }
      for (const host of [
        'evil.example',
        'evil.example:4010',
        '127.0.0.1.evil.example',
        'local.evil.example',
      ]) {
        expect({ host, status: (await create(host)).status }).toEqual({ host, status: 403 });
      }
    } finally {
      await sandbox.stop();
    }
  });
});
