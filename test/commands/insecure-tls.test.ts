import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { paydesk } from '../helpers/run.js';

describe('NODE_TLS_REJECT_UNAUTHORIZED=0', () => {
  let env: Record<string, string>;
  let cert: string;
  let requests = 0;

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'paydesk-tls-'));
    const [key, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const make = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 90 -subj /CN=localhost';
    const files = ['-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', certFile];
    execFileSync('openssl', ['req', ...make.split(' '), ...files], { stdio: 'ignore' });
    cert = certFile;
    const server = createServer(
      { key: readFileSync(key), cert: readFileSync(cert) },
      (_request, response) => {
        requests += 1;
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end('{"paymentId":1,"paymentState":"Captured","items":[]}');
      },
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    env = {
      PAYDESK_BASE_URL: `https://localhost:${(server.address() as AddressInfo).port}`,
      PAYDESK_APP_ID: 'app-1',
      PAYDESK_API_KEY: 'key-of-the-shop',
      PAYDESK_KIND: 'sandbox',
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
    };
    return async () => {
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true });
    };
  });

  it.each([
    ['payments', 'get', '1'],
    ['payments', 'refund', 'id:1'],
    ['customers', 'list', '--json'],
    ['api', 'GET', '/payments/1'],
  ])('does not carry the key to a server that cannot prove its name: %s %s', async (...args) => {
    const run = await paydesk(args, { env });
    expect(run.code).not.toBe(0);
    expect(requests).toBe(0);
    expect(run.stderr.match(/NODE_TLS_REJECT_UNAUTHORIZED/g)).toHaveLength(1);
    expect(run.stderr).toContain('NODE_TLS_REJECT_UNAUTHORIZED=0 is set. paydesk ignores it');
  });

  it('is pointed out by doctor, and a certificate that can be trusted is', async () => {
    const check = async (extra: Record<string, string>) => {
      const { stdout, stderr } = await paydesk(['doctor', '--json'], { env: { ...env, ...extra } });
      expect(stderr).not.toContain('Warning');
      const { checks } = JSON.parse(stdout) as { checks: Array<{ name: string; status: string }> };
      return checks.find(({ name }) => name === 'tls');
    };
    expect(await check({})).toMatchObject({ status: 'fail' });
    expect(requests).toBe(0);
    expect(await check({ NODE_EXTRA_CA_CERTS: cert })).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('paydesk ignores it') as unknown,
      fix: 'unset NODE_TLS_REJECT_UNAUTHORIZED',
    });
    expect(requests).toBe(1);
  });
});
