import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/errors.js';
import { chooseTunnel } from '../../../src/webhooks/tunnels/choose.js';

const far = 'https://pay.example.com';
let folder: string;
let config: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'paydesk-choose-'));
  config = join(folder, 'ssh_config');
  writeFileSync(config, 'Host elsewhere\n  HostName example.net\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const path = () => process.env['PATH'] ?? '';
const choose = (text: string, baseUrl = far, env: Record<string, string> = {}) =>
  chooseTunnel({ text, baseUrl, env: { PATH: path(), PAYDESK_SSH_CONFIG: config, ...env } });
const refusal = async (text: string) => {
  const error: unknown = await choose(text).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UsageError);
  return (error as UsageError).message;
};

/** A folder with programs of these names, in front of the others. */
function installed(...names: string[]): string {
  const bin = mkdtempSync(join(folder, 'bin-'));
  for (const name of names) {
    writeFileSync(join(bin, name), '#!/bin/sh\n');
    chmodSync(join(bin, name), 0o755);
  }
  return `${bin}:${path()}`;
}

describe('--tunnel', () => {
  it.each([
    ['none', 'none', false],
    ['https://hooks.example.org', 'https://hooks.example.org', false],
    ['https://hooks.example.org/', 'https://hooks.example.org', false],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080', false],
    ['ssh:ops@bastion.example.org', 'ssh:ops@bastion.example.org', false],
    ['ssh://ops@bastion.example.org:2222', 'ssh:ops@bastion.example.org:2222', false],
    ['ssh:[::1]:2222', 'ssh:[::1]:2222', false],
    ['ssh:elsewhere?port=8080&url=https://hooks.example.org', 'ssh:elsewhere', false],
    ['ssh:localhost.run', 'ssh:localhost.run', true],
    ['ssh:pinggy', 'ssh:pinggy', true],
    ['ssh:s3cretT0ken@pinggy', 'ssh:pinggy', true],
    ['ssh:s3cretT0ken@eu.a.pinggy.io:443?preset=pinggy', 'ssh:eu.a.pinggy.io:443', true],
    ['ssh:s3cretT0ken@eu.a.pinggy.io', 'ssh:eu.a.pinggy.io', true],
    ['ssh:me@pinggy.io.example.org', 'ssh:me@pinggy.io.example.org', false],
    ['ssh:tuns.sh', 'ssh:sish', true],
    ['ssh:tunnels.example.org?preset=sish&name=shop', 'ssh:tunnels.example.org', true],
    ['cloudflared', 'cloudflared', true],
    ['ngrok', 'ngrok', true],
    ['ngrok:shop.ngrok.app', 'ngrok:shop.ngrok.app', true],
  ])('%s is %s', async (text, name, thirdParty) => {
    const { tunnel, because } = await choose(text);
    expect({ name: tunnel.name, thirdParty: tunnel.thirdParty, because }).toEqual({ name, thirdParty });
  });

  it.each([
    ['cloudflare', 'did you mean cloudflared?'],
    ['ngork', 'did you mean ngrok?'],
    ['non', 'did you mean none?'],
    ['localhost.run', 'did you mean ssh:localhost.run?'],
    ['ops@bastion.example.org', 'did you mean ssh:ops@bastion.example.org?'],
    ['hooks.example.org', 'did you mean https://hooks.example.org?'],
    ['ftp://x', 'it is not a tunnel'],
    ['https://hooks.example.org/paydesk', 'without a path, https://hooks.example.org'],
    ['https://me:word@hooks.example.org', 'remove the password'],
    ['https://', 'is not an address'],
    ['ngrok:-x', '-x is not a domain'],
    ['ssh:?', 'Which ssh server?'],
    ['ssh', 'Which ssh server?'],
    ['ssh:host:0', '0 is not a port'],
    ['ssh:host:99999', '99999 is not a port'],
    ['ssh:host?port=x', 'x is not a port'],
    ['ssh:host?prot=1', 'prot is not a setting of an ssh tunnel. Did you mean port?'],
    ['ssh:host?port=', 'port has no value'],
    ['ssh:host?preset=shish', 'shish is not a preset. Did you mean sish?'],
    ['ssh:host?url=https://hooks.example.org', 'also set the port on the server'],
    ['ssh:host?name=shop', 'name can only be used with a preset'],
    ['ssh:pinggy?port=80', 'pinggy chooses'],
  ])('%s is refused: %s', async (text, message) => {
    expect(await refusal(text)).toContain(message);
  });

  it.each([
    'ssh:-oProxyCommand=touch /tmp/x',
    'ssh:-oProxyCommand=x@host',
    'ssh:user@-oProxyCommand=x',
    'ssh://-F/dev/null',
    'ssh:host -oProxyCommand=x',
    'ssh:a b@host',
    'ssh:user@host\n-oProxyCommand=x',
    'ssh:[-o]',
    'ssh:$(id)@host',
    'ssh:host;id',
    'ssh:tuns.sh?name=-oProxyCommand',
    'ssh:tuns.sh?name=a:80:b',
  ])('%s cannot become an option of ssh', async (text) => {
    expect(await refusal(text)).toMatch(/is not a valid (host |user )?name/);
  });

  it('alone takes the server that the ssh configuration names', async () => {
    const named = join(folder, 'named_config');
    writeFileSync(named, 'Host paydesk-tunnel\n  HostName 192.0.2.7\n');
    const { tunnel } = await choose('ssh', far, { PAYDESK_SSH_CONFIG: named });
    expect(tunnel.name).toBe('ssh:paydesk-tunnel');
    const { tunnel: automatic, because } = await choose('auto', far, { PAYDESK_SSH_CONFIG: named });
    expect(automatic.name).toBe('ssh:paydesk-tunnel');
    expect(because).toContain('paydesk-tunnel');
  });
});

describe('--tunnel auto', () => {
  it.each(['http://127.0.0.1:4010', 'http://localhost:4010/api', 'http://[::1]:4010'])(
    'needs none for a service at %s',
    async (baseUrl) => {
      const { tunnel, because } = await choose('auto', baseUrl);
      expect(tunnel.name).toBe('none');
      expect(because).toContain('on this machine');
    },
  );

  it('takes what is installed, says so, and says who can read along', async () => {
    const both = await choose('auto', far, { PATH: installed('cloudflared', 'ngrok') });
    expect(both.tunnel.name).toBe('cloudflared');
    expect(both.because).toContain('Cloudflare can read the webhooks');
    const one = await choose('auto', far, { PATH: installed('ngrok') });
    expect(one.tunnel.name).toBe('ngrok');
    expect(one.because).toContain('ngrok can read the webhooks');
  });

  it('sends nothing to a stranger by itself: it says what there is to choose', async () => {
    const error = (await choose('auto').catch((thrown: unknown) => thrown)) as UsageError;
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toContain('pay.example.com cannot reach this machine directly');
    expect(JSON.stringify(error.details)).toContain('ssh:localhost.run');
  });
});
