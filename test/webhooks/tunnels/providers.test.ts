import { otherProgram } from '../../../src/next-command.js';
import { afterEach, describe, expect, it } from 'vitest';
import { ProfileError, TemporaryError, UsageError } from '../../../src/errors.js';
import { createCloudflaredTunnel } from '../../../src/webhooks/tunnels/cloudflared.js';
import { createNgrokTunnel } from '../../../src/webhooks/tunnels/ngrok.js';
import { createSshTunnel } from '../../../src/webhooks/tunnels/ssh.js';
import { parseSshDestination } from '../../../src/webhooks/tunnels/ssh-destination.js';
import type { Tunnel, TunnelConnection } from '../../../src/webhooks/tunnels/tunnel.js';
import { eventually } from '../../helpers/sandbox.js';
import { isAlive } from './receiver.js';
import { type StandIn, standIn } from './stand-ins.js';

const made: StandIn[] = [];
const connections: TunnelConnection[] = [];
afterEach(async () => {
  for (const connection of connections.splice(0)) await connection.stop();
  for (const each of made.splice(0)) each.remove();
});

function program(name: string, lines: string[], options: { exit?: number } = {}): StandIn {
  const each = standIn(name, lines, options);
  made.push(each);
  return each;
}

async function start(tunnel: Tunnel): Promise<TunnelConnection> {
  const connection = await tunnel.start({
    localPort: 4020,
    signal: new AbortController().signal,
    note: () => {},
    interactive: false,
    attempt: 1,
  });
  connections.push(connection);
  return connection;
}

const failure = async (tunnel: Tunnel): Promise<unknown> =>
  start(tunnel).then(
    () => expect.unreachable('it started'),
    (error: unknown) => error,
  );

describe('cloudflared, by what it is documented to write', () => {
  const banner = [
    'stderr: 2026-11-14T09:12:40Z INF Thank you for trying Cloudflare Tunnel. https://developers.cloudflare.com/x\n',
    'stderr: 2026-11-14T09:12:41Z INF Requesting new quick Tunnel on trycloudflare.com...\n',
    'stderr: 2026-11-14T09:12:44Z INF |  Your quick Tunnel has been created! Visit it at:  |\n',
    'stderr: 2026-11-14T09:12:44Z INF |  https://ten-towns-join.tryclou',
    'stderr: dflare.com                    |\n',
  ];

  it('is started for the local port, and its address is read', async () => {
    const cloudflared = program('cloudflared', banner);
    const { url } = await start(createCloudflaredTunnel(cloudflared.env));
    expect(url).toBe('https://ten-towns-join.trycloudflare.com');
    expect(await cloudflared.args()).toEqual(['tunnel', '--no-autoupdate', '--url', 'http://127.0.0.1:4020']);
  });

  it('is gone when it was stopped', async () => {
    const cloudflared = program('cloudflared', banner);
    const connection = await start(createCloudflaredTunnel(cloudflared.env));
    const pid = cloudflared.pid();
    expect(isAlive(pid)).toBe(true);
    await connection.stop();
    await eventually(() => expect(isAlive(pid)).toBe(false));
  });

  it('is told when it ends', async () => {
    const cloudflared = program('cloudflared', banner);
    const connection = await start(createCloudflaredTunnel(cloudflared.env));
    process.kill(cloudflared.pid(), 'SIGKILL');
    expect(await connection.ended).toBeInstanceOf(TemporaryError);
  });

  it('is not taken at the address of its own service, and its complaint is passed on', async () => {
    const refused =
      'stderr: 2026-11-14T09:12:41Z ERR failed to request quick Tunnel: Post "https://api.trycloudflare.com/tunnel": no such host\n';
    const cloudflared = program('cloudflared', [refused], { exit: 1 });
    const error = (await failure(createCloudflaredTunnel(cloudflared.env))) as TemporaryError;
    expect(error).toBeInstanceOf(TemporaryError);
    expect(error.message).toBe('cloudflared ended with 1.');
    expect(error.details).toMatch(/^failed to request quick Tunnel/);
  });

  it('is asked for where it is missing', async () => {
    const error = (await failure(createCloudflaredTunnel({ PATH: '/nowhere' }))) as UsageError;
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toBe('cloudflared is not installed, and paydesk downloads nothing.');
  });
});

describe('ngrok, by what it is documented to write', () => {
  const log = [
    'stdout: {"lvl":"info","msg":"open config file","t":"2026-11-14T09:12:40Z"}\n',
    'stdout: {"addr":"127.0.0.1:4040","lvl":"info","msg":"starting web service","obj":"web"}\n',
    'stdout: {"addr":"http://127.0.0.1:4020","lvl":"info","msg":"started tunnel","obj":"tunnels","url":"https://ab12.ngrok-free.app"}\n',
  ];

  it('is started for the local port, and its address is read from its log', async () => {
    const ngrok = program('ngrok', log);
    const { url } = await start(createNgrokTunnel({ env: ngrok.env }));
    expect(url).toBe('https://ab12.ngrok-free.app');
    expect(await ngrok.args()).toEqual(['http', '127.0.0.1:4020', '--log', 'stdout', '--log-format', 'json']);
  });

  it('is asked for the domain that was named', async () => {
    const ngrok = program('ngrok', log);
    await start(createNgrokTunnel({ domain: 'shop.ngrok.app', env: ngrok.env }));
    expect((await ngrok.args()).slice(2, 4)).toEqual(['--url', 'https://shop.ngrok.app']);
  });

  it('says what to type where it has no account', async () => {
    const lines = [
      'stdout: {"err":"authentication failed: Usage of ngrok requires a verified account and authtoken.\\n\\nERR_NGROK_4018\\r\\n","lvl":"eror","msg":"failed to reconnect session"}\n',
      'stderr: ERROR:  authentication failed\nERROR:  \nERROR:  ERR_NGROK_4018\nERROR:  \n',
    ];
    const ngrok = program('ngrok', lines, { exit: 1 });
    const error = (await failure(createNgrokTunnel({ env: ngrok.env }))) as ProfileError;
    expect(error).toBeInstanceOf(ProfileError);
    expect(error.next).toEqual([otherProgram('ngrok', 'config', 'add-authtoken', 'TOKEN')]);
    expect(error.details).toContain('verified account');
  });

  it('passes on any other complaint', async () => {
    const lines = ['stderr: ERROR:  The endpoint is already online.\nERROR:  ERR_NGROK_334\nERROR:  \n'];
    const ngrok = program('ngrok', lines, { exit: 1 });
    const error = (await failure(createNgrokTunnel({ env: ngrok.env }))) as TemporaryError;
    expect(error).toBeInstanceOf(TemporaryError);
    expect(error.message).toBe('ngrok ended with 1.');
    expect(error.details).toContain('ERR_NGROK_334');
  });

  it('is asked for where it is missing', async () => {
    expect(await failure(createNgrokTunnel({ env: { PATH: '/nowhere' } }))).toBeInstanceOf(UsageError);
  });
});

describe('the presets of ssh, by what their servers are documented to write', () => {
  const ssh = (text: string, each: StandIn) => createSshTunnel(parseSshDestination(text), each.env);

  it('reads the address of localhost.run, and not its other links', async () => {
    const each = program('ssh', [
      'stdout: Welcome to localhost.run! https://localhost.run/docs/ https://admin.localhost.run/\r\n',
      'stdout: 3b1d872d3c1d63.lhr.life tunneled with tls termination, https://3b1d872d3c1d63.lhr.life\r\n',
    ]);
    const { url } = await start(ssh('ssh:localhost.run', each));
    expect(url).toBe('https://3b1d872d3c1d63.lhr.life');
    const args = await each.args();
    expect(args.slice(-4)).toEqual(['-R', '80:127.0.0.1:4020', '--', 'localhost.run']);
    expect(args.join(' ')).toContain('-l nokey');
  });

  it('reads the address of pinggy, and never shows the token', async () => {
    const each = program('ssh', [
      'stdout: You are authenticated as s3cretT0ken\r\nYour tunnel will expire in 60 minutes. Upgrade at https://dashboard.pinggy.io\r\n\r\n',
      'stdout: http://rnxyz.a.free.pinggy.link\r\nhttps://rnxyz.a.free.pinggy.link\r\n',
    ]);
    const tunnel = ssh('ssh:s3cretT0ken@pinggy', each);
    const { url } = await start(tunnel);
    expect(url).toBe('https://rnxyz.a.free.pinggy.link');
    expect((await each.args()).join(' ')).toMatch(
      /-l s3cretT0ken -p 443 -R 0:127\.0\.0\.1:4020 -- a\.pinggy\.io$/,
    );
    const refused = program('ssh', ['stderr: s3cretT0ken@a.pinggy.io: Permission denied (publickey).\r\n'], {
      exit: 255,
    });
    const error = (await failure(ssh('ssh:s3cretT0ken@pinggy', refused))) as ProfileError;
    expect(error).toBeInstanceOf(ProfileError);
    expect(JSON.stringify([tunnel.name, error.message, error.details, error.next])).not.toContain('s3cret');
  });

  it('reads the address of sish in colour, the encrypted one before the plain one', async () => {
    const each = program('ssh', [
      'stdout: Press Ctrl-C to close the session.\r\n\r\nStarting SSH Forwarding service for \u001B[32mhttp:80\u001B[0m.\r\n',
      'stdout: \u001B[34mHTTP\u001B[0m: http://shop.tunnels.example.org\r\n\u001B[32mHTTPS\u001B[0m: https://shop.tunnels.example.org\r\n',
    ]);
    const connection = await start(ssh('ssh:tunnels.example.org:2222?preset=sish&name=shop', each));
    await eventually(() => expect(connection.url).toBe('https://shop.tunnels.example.org'));
    expect((await each.args()).join(' ')).toMatch(
      /-p 2222 -R shop:80:127\.0\.0\.1:4020 -- tunnels\.example\.org$/,
    );
  });

  it('checks the key of the host, asks nothing and lends nothing, whatever the destination', async () => {
    for (const text of ['ssh:localhost.run', 'ssh:me@192.0.2.1?port=8080&url=https://hooks.example.org']) {
      const each = program('ssh', ['stdout: x tunneled with tls termination, https://x.lhr.life\n']);
      await start(ssh(text, each));
      const args = (await each.args()).join(' ');
      expect(args).toContain('-o StrictHostKeyChecking=yes');
      expect(args).toContain('-o BatchMode=yes');
      expect(args).toContain('-o ExitOnForwardFailure=yes');
      expect(args).toContain('-o ServerAliveInterval=5');
      expect(args).toMatch(/^-T -a -x /);
      expect(args).not.toMatch(/(^| )-N( |$)/);
    }
  });
});
