import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { GuardError, ProfileError, TemporaryError } from '../../../src/errors.js';
import { createSshTunnel } from '../../../src/webhooks/tunnels/ssh.js';
import { parseSshDestination } from '../../../src/webhooks/tunnels/ssh-destination.js';
import { openTunnel, type OpenTunnelOptions } from '../../../src/webhooks/tunnels/supervise.js';
import type { TunnelRun } from '../../../src/webhooks/tunnels/tunnel.js';
import { freePort } from '../../helpers/free-port.js';
import { descendants } from '../../helpers/sshd-server.js';
import { describeWithSshd } from '../../helpers/sshd.js';
import { eventually } from '../../helpers/sandbox.js';
import { quick, type Receiver, startReceiver, storyOf } from './receiver.js';

describeWithSshd('a tunnel through a real OpenSSH server', (sshd) => {
  let receiver: Receiver;
  let run: TunnelRun | undefined;
  const notes: string[] = [];

  beforeEach(async () => {
    receiver = await startReceiver();
    notes.length = 0;
  });
  afterEach(async () => {
    await run?.stop();
    run = undefined;
    await receiver.close();
    // Nothing that a test started outlives it.
    await eventually(() => expect(children('ssh')).toEqual([]));
  });

  const env = () => ({ PATH: process.env['PATH'], PAYDESK_SSH_CONFIG: sshd().config });
  const open = async (settings = '', options: Partial<OpenTunnelOptions> = {}) => {
    run = await openTunnel({
      tunnel: createSshTunnel(parseSshDestination(sshd().destination + settings), env()),
      probe: receiver.probe,
      localPort: receiver.port,
      signal: new AbortController().signal,
      note: (...lines) => void notes.push(...lines.map(String)),
      interactive: false,
      pace: quick,
      ...options,
    });
    return run;
  };
  const failure = (opening: Promise<unknown>) =>
    opening.then(
      () => expect.unreachable('it opened'),
      (error: unknown) => error,
    );

  it('is ready once a probe came back, and gives the port that the server chose', async () => {
    const { url } = await open();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(url).not.toContain(String(receiver.port));
    expect(receiver.probes).toBe(1);
    expect(receiver.received).toEqual([]);
  });

  it('carries method, path, query, headers and body byte for byte', async () => {
    const { url } = await open();
    const bodies = [
      randomBytes(1024 * 1024),
      Buffer.from([0x00, 0xff, 0xfe, 0x0d, 0x0a, 0x1b, 0x7f]),
      Buffer.from('é\u2028ß', 'utf16le'),
      Buffer.alloc(0),
    ];
    for (const body of bodies) {
      const asked = request(`${url}/wh/secret/inv-1?b=%2F&a=1&a=2`, {
        method: 'POST',
        headers: { 'X-ODD-Case': 'Ümlaut'.normalize('NFC'), 'content-length': body.length },
      });
      asked.end(body);
      const [answer] = (await once(asked, 'response')) as [NodeJS.ReadableStream & { statusCode: number }];
      answer.resume();
      await once(answer, 'end');
      expect(answer.statusCode).toBe(200);
    }
    expect(receiver.received.map(({ method, url: target }) => `${method} ${target}`)).toEqual(
      bodies.map(() => 'POST /wh/secret/inv-1?b=%2F&a=1&a=2'),
    );
    expect(receiver.received.every(({ rawHeaders }) => rawHeaders.includes('X-ODD-Case'))).toBe(true);
    receiver.received.forEach(({ body }, index) => expect(body.equals(bodies[index] as Buffer)).toBe(true));
  });

  it('tells of a killed server at once, and is back on the same port when the server is', async () => {
    const { url } = await open();
    const story = storyOf(run as TunnelRun);
    await sshd().kill();
    const down = await story.next('down');
    expect(down.why).toContain('127.0.0.1');
    await sshd().start();
    const up = await story.next('up');
    expect(up.downMs).toBeGreaterThan(0);
    expect(run?.url).toBe(url);
    expect(story.events.map(({ type }) => type)).toEqual(['down', 'up']);
    expect(await answered(url)).toBe('kept');
  });

  it('is back on the same port however long the server was away', async () => {
    const tunnel = createSshTunnel(parseSshDestination(sshd().destination), env());
    let starts = 0;
    const start: typeof tunnel.start = (options) => {
      starts += 1;
      return tunnel.start(options);
    };
    const { url } = await open('', { tunnel: { ...tunnel, start } });
    const story = storyOf(run as TunnelRun);
    await sshd().kill();
    await eventually(() => expect(starts).toBeGreaterThan(8));
    await sshd().start();
    await story.next('up');
    expect(run?.url).toBe(url);
    expect(story.events.map(({ type }) => type)).toEqual(['down', 'up']);
  });

  it('notices a server that stands still though the connection is open', async () => {
    const { url } = await open('', { pace: { ...quick, attempts: 1_000 } });
    const story = storyOf(run as TunnelRun);
    sshd().stall();
    const down = await story.next('down');
    expect(down.why).toBe(`${url}: no answer within 1 s`);
    sshd().resume();
    await story.next('up');
    // The session that stood still may hold its port for a while; whichever it is now, it works.
    expect(await answered((run as TunnelRun).url)).toBe('kept');
  });

  it('loses nothing that was answered while the server is killed again and again', async () => {
    await open();
    const story = storyOf(run as TunnelRun);
    const acknowledged: string[] = [];
    let sending = true;
    const sender = (async () => {
      for (let number = 0; sending; number += 1) {
        const id = `d-${number}`;
        const isKept = (await answered((run as TunnelRun).url, id).catch(() => undefined)) === 'kept';
        if (isKept) acknowledged.push(id);
        // While the server is away, nothing can be lost.
        await new Promise((resolve) => setTimeout(resolve, isKept ? 2 : 50));
      }
    })();
    try {
      for (let round = 0; round < 3; round += 1) {
        const before = acknowledged.length;
        await eventually(() => expect(acknowledged.length).toBeGreaterThan(before + 5));
        await sshd().kill();
        await story.next('down');
        await sshd().start();
        await story.next('up');
      }
      const before = acknowledged.length;
      await eventually(() => expect(acknowledged.length).toBeGreaterThan(before));
    } finally {
      sending = false;
      await sender;
    }
    const kept = new Set(receiver.received.map(({ body }) => body.toString()));
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
    expect(acknowledged.length).toBeGreaterThan(15);
  });

  it('keeps a port that the user fixed', async () => {
    const port = await freePort();
    const { url } = await open(`?port=${port}`);
    expect(url).toBe(`http://127.0.0.1:${port}`);
    const story = storyOf(run as TunnelRun);
    await sshd().kill();
    await sshd().start();
    await story.next('up');
    expect(run?.url).toBe(url);
  });

  it('announces another address when the port of before is taken', async () => {
    const tunnel = createSshTunnel(parseSshDestination(sshd().destination), env());
    const { url } = await open('', { tunnel: { ...tunnel, readyMs: 1_000 } });
    const story = storyOf(run as TunnelRun);
    await sshd().kill();
    await story.next('down');
    const squatter = createServer((_, response) => void response.end('not you'));
    squatter.listen(Number(new URL(url).port), '127.0.0.1');
    await once(squatter, 'listening');
    await sshd().start();
    const changed = await story.next('url-changed');
    expect(changed.previous).toBe(url);
    expect(changed.url).not.toBe(url);
    await story.next('up');
    expect(run?.url).toBe(changed.url);
    expect(await answered(changed.url)).toBe('kept');
    squatter.close();
  });

  it('does not call ready what leads to another program', async () => {
    // What it is asked comes back in the answer, as an error page would have it.
    const squatter = createServer((asked, response) => void response.end(asked.url));
    squatter.listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    const { port } = squatter.address() as { port: number };
    const tunnel = createSshTunnel(parseSshDestination(`${sshd().destination}?port=${port}`), env());
    const error = await failure(open('', { tunnel: { ...tunnel, readyMs: 500 } }));
    expect(error).toBeInstanceOf(TemporaryError);
    expect(String((error as TemporaryError).details)).toContain('something else answers there');
    squatter.close();
  });

  it('says what is wrong with a port that the server does not give', async () => {
    const port = await freePort();
    // Both, since a server that gets one of the two calls it a success.
    const squatters = ['127.0.0.1', '::1'].map((host) =>
      createServer()
        .listen(port, host)
        .on('error', () => {}),
    );
    await once(squatters[0] as Server, 'listening');
    const error = await failure(open(`?port=${port}`));
    expect(error).toBeInstanceOf(TemporaryError);
    expect(String((error as TemporaryError).details)).toContain(`forwarding failed for listen port ${port}`);
    for (const squatter of squatters) squatter.close();
  });

  it('refuses a host whose key is not known, and asks nobody without a terminal', async () => {
    const known = readFileSync(sshd().knownHosts, 'utf8');
    writeFileSync(sshd().knownHosts, '');
    try {
      const error = await failure(open());
      expect(error).toBeInstanceOf(GuardError);
      expect((error as GuardError).code).toBe('host-key-unknown');
      expect(readFileSync(sshd().knownHosts, 'utf8')).toBe('');
    } finally {
      writeFileSync(sshd().knownHosts, known);
    }
  });

  it('ends when the key of the host is another one after a drop', async () => {
    await open();
    const story = storyOf(run as TunnelRun);
    const known = readFileSync(sshd().knownHosts, 'utf8');
    await sshd().kill();
    sshd().changeHostKey();
    await sshd().start();
    const { error } = await story.next('failed');
    expect(error).toBeInstanceOf(GuardError);
    expect(error.code).toBe('host-key-changed');
    expect(readFileSync(sshd().knownHosts, 'utf8')).toBe(known);
    // For the tests after this one.
    sshd().trust();
  });

  it('does not try again with a key that is refused', async () => {
    const tunnel = createSshTunnel(
      parseSshDestination(`ssh:nobody-of-this-name@127.0.0.1:${sshd().port}`),
      env(),
    );
    const error = await failure(open('', { tunnel, pace: { ...quick, firstAttempts: 1_000 } }));
    expect(error).toBeInstanceOf(ProfileError);
    expect((error as ProfileError).code).toBe('tunnel-denied');
  });

  it('gives up after so many attempts when nothing listens there', async () => {
    const tunnel = createSshTunnel(parseSshDestination(`ssh:127.0.0.1:${await freePort()}`), env());
    const error = await failure(open('', { tunnel, pace: { ...quick, firstAttempts: 3 } }));
    expect(error).toBeInstanceOf(TemporaryError);
    expect((error as TemporaryError).message).toContain('after 3 attempts');
    expect(String((error as TemporaryError).details)).toContain('Connection refused');
    expect(notes).toHaveLength(2);
  });

  it('gives up after so many attempts when the server does not return', async () => {
    await open('', { pace: { ...quick, attempts: 3 } });
    const story = storyOf(run as TunnelRun);
    await sshd().kill();
    const { error } = await story.next('failed');
    expect(error).toBeInstanceOf(TemporaryError);
    expect(error.message).toContain('after 3 attempts');
    await sshd().start();
  });

  it('leaves no ssh behind when it is aborted on the way', async () => {
    receiver.mute = true;
    const aborting = new AbortController();
    const opening = failure(open('', { signal: aborting.signal }));
    await eventually(() => expect(children('ssh')).not.toEqual([]));
    aborting.abort(new Error('enough'));
    expect(await opening).toEqual(new Error('enough'));
    expect(children('ssh')).toEqual([]);
  });

  it('leaves no ssh behind when it is stopped', async () => {
    await open();
    expect(children('ssh')).toHaveLength(1);
    await run?.stop();
    expect(children('ssh')).toEqual([]);
  });
});

/** The running processes of ours with this program name. */
function children(name: string): number[] {
  return descendants(process.pid).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === name;
    } catch {
      return false;
    }
  });
}

async function answered(url: string, body = 'hello'): Promise<string> {
  const answer = await fetch(`${url}/wh/secret`, {
    method: 'POST',
    body,
    signal: AbortSignal.timeout(3_000),
  });
  return answer.text();
}
