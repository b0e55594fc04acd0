import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createFlags, runTyped } from '../../helpers/desk.js';
import { programEnvironment } from '../../helpers/program-environment.js';
import { paydesk, paydeskTty } from '../../helpers/run.js';
import {
  eventually,
  newReference,
  type Receiver,
  startReceiver,
  startTestSandbox,
  type TestSandbox,
} from '../../helpers/sandbox.js';
import { freePort } from '../../helpers/free-port.js';
import { descendants, type Sshd } from '../../helpers/sshd-server.js';
import { describeWithSshd } from '../../helpers/sshd.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const waitMs = 120_000;

interface ListenLine {
  event: string;
  url: string;
  localUrl: string;
  previous: string;
  why: string;
  state: string;
  paymentId: number;
  payments: unknown[];
}

let sandbox: TestSandbox;
let home: string;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'paydesk-home-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const settings = (more: Record<string, string> = {}): Record<string, string> => ({
  PAYDESK_BASE_URL: sandbox.url,
  PAYDESK_APP_ID: sandbox.app.appId,
  PAYDESK_API_KEY: sandbox.app.apiKey,
  PAYDESK_KIND: 'sandbox',
  ...more,
});

describeWithSshd('webhook listen through a real SSH server', (sshd) => {
  let handler: Receiver;
  const started: ChildProcess[] = [];
  beforeEach(async () => {
    handler = await startReceiver();
  });
  afterEach(async () => {
    for (const child of started.splice(0)) {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
    }
    await handler.close();
  });

  const env = () => settings({ PAYDESK_SSH_CONFIG: sshd().config });

  /** Runs paydesk with `--json` and a target. */
  function start(...args: string[]) {
    const listening = ['--json', '--port', '0', '--forward-to', handler.url];
    const child = spawn(
      join(root, 'node_modules', 'node', 'bin', 'node'),
      [join(root, 'bin', 'run.js'), ...args, ...listening],
      {
        env: { ...programEnvironment(), PAYDESK_HOME: home, ...env() },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    started.push(child);
    return child;
  }

  async function listen(...args: string[]) {
    const child = start('webhook', 'listen', ...args);
    const lines: ListenLine[] = [];
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line) as ListenLine));
    const line = (event: string) =>
      eventually(() => {
        const found = lines.find((each) => each.event === event);
        if (found === undefined) throw new Error(`no ${event} in ${JSON.stringify(lines)}\n${errors}`);
        return found;
      }, waitMs);
    const ready = await line('ready');
    return { child, lines, line, ready };
  }

  const capturedPayment = async (webhookUrl: string) => {
    const { paymentId } = await sandbox.create({ webhookUrl });
    await sandbox.pay(paymentId);
    return paymentId;
  };

  it('is ready with a public address, and what is sent there reaches the handler', async () => {
    const { ready, line } = await listen('--tunnel', 'ssh');
    expect(ready.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/wh\/[\w-]{22,}$/);
    expect(new URL(ready.url).port).not.toBe(new URL(ready.localUrl).port);
    const paymentId = await capturedPayment(ready.url);
    await eventually(() => expect(handler.states(paymentId)).toContain('Captured'), waitMs);
    expect((await line('delivery')).paymentId).toBe(paymentId);
    // Probes pass the same way, and are no webhooks.
    expect(handler.requests.every(({ body }) => body.paymentId === paymentId)).toBe(true);
  });

  it('says when it is down and up again, keeps its address, and loses nothing', async () => {
    const { ready, line, lines } = await listen('--tunnel', 'ssh');
    await sshd().kill();
    expect((await line('down')).why).toContain('paydesk-tunnel');
    const paymentId = await capturedPayment(ready.url);
    await sshd().start();
    await line('up');
    expect(lines.some(({ event }) => event === 'url-changed')).toBe(false);
    // The service sends again what did not get through; the listener looks for what it does not.
    await eventually(async () => {
      await sandbox.advance(60_000);
      const told = lines.filter((each) => each.paymentId === paymentId);
      expect(told.some(({ state }) => state === 'Captured')).toBe(true);
    }, waitMs);
  });

  it('passes on every webhook that it answered, though the server is killed in between', async () => {
    const { ready, line } = await listen('--tunnel', 'ssh');
    const acknowledged: string[] = [];
    let sending = true;
    const sender = (async () => {
      for (let number = 0; sending; number += 1) {
        const body = JSON.stringify({ referenceId: 'nobody-knows', number });
        const isKept = await isAnswered(ready.url, body);
        if (isKept) acknowledged.push(body);
        // While the server is away, nothing can be lost.
        await new Promise((resolve) => setTimeout(resolve, isKept ? 5 : 50));
      }
    })();
    const someMore = async () => {
      const before = acknowledged.length;
      await eventually(() => expect(acknowledged.length).toBeGreaterThan(before + 5), waitMs);
    };
    await someMore();
    await sshd().kill();
    await line('down');
    await sshd().start();
    await line('up');
    await someMore();
    sending = false;
    await sender;
    await eventually(() => {
      const passedOn = new Set(handler.requests.map(({ text }) => text));
      expect(acknowledged.filter((body) => !passedOn.has(body))).toEqual([]);
    }, waitMs);
  });

  it('announces another address, and the open payments that point to the old one', async () => {
    const { ready, line } = await listen('--tunnel', 'ssh');
    await runTyped(
      [
        'payments',
        'create',
        '--amount',
        '5',
        '--currency',
        'EUR',
        '--customer',
        'c_1',
        '--reference',
        'inv-old',
      ].concat(['--return-url', 'https://shop.example/thanks', '--webhook-url', ready.url]),
      { home, env: env() },
    );
    await sshd().kill();
    await line('down');
    const squatters = ['127.0.0.1', '::1'].map((host) =>
      createServer((_, response) => void response.end('not you'))
        .on('error', () => {})
        .listen(Number(new URL(ready.url).port), host),
    );
    await sshd().start();
    const changed = await line('url-changed');
    expect(changed.previous).toBe(ready.url);
    expect(changed.url).not.toBe(ready.url);
    expect(changed.payments).toHaveLength(1);
    await line('up');
    for (const squatter of squatters) squatter.close();
    const paymentId = await capturedPayment(changed.url);
    await eventually(() => expect(handler.states(paymentId)).toContain('Captured'), waitMs);
  });

  it.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
    'takes its ssh with it when it ends by %s',
    async (signal) => {
      const { child } = await listen('--tunnel', 'ssh');
      const family = descendants(child.pid as number).slice(1);
      expect(family.map(commandOf)).toContain('ssh');
      const ended = once(child, 'exit');
      child.kill(signal);
      const [code] = (await ended) as [number | null];
      expect(code).toBe({ SIGKILL: null, SIGTERM: 0, SIGINT: 130 }[signal]);
      await eventually(
        () => expect(family.map(commandOf).filter((name) => name === 'ssh')).toEqual([]),
        waitMs,
      );
    },
  );

  it('ends with 5 when there is no such server', async () => {
    const port = await freePort();
    const { code, stdout } = await paydesk(
      ['webhook', 'listen', '--json', '--port', '0', '--tunnel', `ssh:127.0.0.1:${port}`],
      {
        home,
        env: env(),
      },
    );
    expect({ code, error: errorCode(stdout) }).toEqual({
      code: 5,
      error: 'tunnel-failed',
    });
  });

  it('ends with the error of a tunnel that cannot be used any more', async () => {
    const { child, line, lines } = await listen('--tunnel', 'ssh');
    const ended = once(child, 'close');
    await sshd().kill();
    await line('down');
    sshd().changeHostKey();
    await sshd().start();
    try {
      expect(await ended).toEqual([9, null]);
      expect(lines.at(-1)).toMatchObject({ error: { code: 'host-key-changed', exit: 9 } });
    } finally {
      sshd().trust();
    }
  });

  it('payments create --listen says when its tunnel is down, up again and given up, and follows the payment', async () => {
    const reference = newReference();
    const child = start('payments', 'create', ...createFlags(reference), '--listen', '--tunnel', 'ssh');
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const said = (pattern: RegExp) => eventually(() => expect(stderr).toMatch(pattern), waitMs);
    const ended = once(child, 'close');
    const { paymentId, webhookUrl } = await eventually(async () => {
      const path = `/payments/referenceId:${reference}`;
      const { status, body } = await sandbox.call<{ paymentId: number; webhookUrl: string }>('GET', path);
      expect([status, stderr]).toEqual([200, expect.anything()]);
      return body;
    }, waitMs);
    await sshd().kill();
    await said(/^Down {2}.*paydesk-tunnel/m);
    await sshd().start();
    await said(/^Up again {2}after /m);
    await sshd().kill();
    await said(/^Down[^]*^Down/m);
    sshd().changeHostKey();
    await sshd().start();
    try {
      await said(
        /^The key of \S+ has changed\..*No more webhooks arrive; paydesk still reads the payment\.$/m,
      );
      await sandbox.pay(paymentId);
      await sandbox.settle();
      // It is paid, and the handler has not heard of it.
      expect(await ended).toEqual([8, null]);
      expect(stderr).toContain('no webhook said so, and the handler was not called');
      expect(stderr).not.toContain(webhookUrl.split('/').at(-1));
    } finally {
      sshd().trust();
    }
  });

  it('ends with 9 at a host whose key is not known, without a terminal', async () => {
    const { code, stdout } = await withoutKnownHosts(sshd(), () =>
      paydesk(['webhook', 'listen', '--json', '--port', '0', '--tunnel', 'ssh'], { home, env: env() }),
    );
    expect({ code, error: errorCode(stdout) }).toEqual({
      code: 9,
      error: 'host-key-unknown',
    });
  });

  it('shows the fingerprint on a terminal, asks, and is ready after a yes', async () => {
    await withoutKnownHosts(sshd(), async () => {
      const tty = await paydeskTty(['webhook', 'listen', '--port', '0', '--tunnel', 'ssh'], {
        home,
        env: env(),
      });
      await tty.waitFor(/ED25519 key fingerprint is SHA256:\S+/);
      await tty.waitFor('continue connecting');
      tty.type('yes\r');
      await tty.waitFor('Ready');
      tty.press('ctrl-c');
      expect(await tty.ended()).toBe(130);
    });
  });

  it('ends with 4 when the server does not take the key', async () => {
    const tunnel = `ssh:nobody-of-this-name@127.0.0.1:${sshd().port}`;
    const { code, stdout } = await paydesk(
      ['webhook', 'listen', '--json', '--port', '0', '--tunnel', tunnel],
      {
        home,
        env: env(),
      },
    );
    expect({ code, error: errorCode(stdout) }).toEqual({
      code: 4,
      error: 'tunnel-denied',
    });
  });
});

describe('webhook listen and its --tunnel', () => {
  it('needs none for a service on this machine', async () => {
    const { stdout, stderr, code } = await runTyped(
      ['webhook', 'listen', '--json', '--port', '0', '--count', '1', '--timeout', '2s'],
      { home, env: settings() },
    );
    const [ready] = stdout.split('\n');
    const { url, localUrl } = JSON.parse(ready as string) as ListenLine;
    expect(url).toBe(localUrl);
    expect(stderr).toContain('The service is on this machine, so no tunnel is needed.');
    expect(code).toBe(8);
  });

  it('is refused with 2 when it is none, with what may have been meant', async () => {
    const { code, stderr } = await runTyped(['webhook', 'listen', '--tunnel', 'cloudflare'], {
      home,
      env: settings(),
    });
    expect(code).toBe(2);
    expect(stderr).toContain('did you mean cloudflared?');
  });

  it('must be chosen for a service elsewhere, where none is there', async () => {
    const { code, stderr } = await runTyped(['webhook', 'listen'], {
      home,
      env: settings({
        PAYDESK_BASE_URL: 'https://pay.example.com',
        PAYDESK_SSH_CONFIG: '/dev/null',
        PATH: '/usr/bin:/bin',
      }),
    });
    expect(code).toBe(2);
    expect(stderr).toContain('ssh:localhost.run');
  });

  it('of a third party is refused on a live app that nobody confirmed, before anything is started', async () => {
    const live = settings({
      PAYDESK_APP_ID: sandbox.live.appId,
      PAYDESK_API_KEY: sandbox.live.apiKey,
      PAYDESK_KIND: 'live',
    });
    const args = ['webhook', 'listen', '--json', '--port', '0', '--tunnel', 'ssh:localhost.run'];
    const { code, stdout } = await runTyped(args, {
      home,
      env: { ...live, PATH: '/nowhere' },
    });
    expect({ code, error: errorCode(stdout) }).toEqual({
      code: 9,
      error: 'confirmation-missing',
    });
    // Confirmed, it gets as far as the program that is not installed here.
    const confirmed = await runTyped([...args, '--confirm', sandbox.live.appId], {
      home,
      env: { ...live, PATH: '/nowhere' },
    });
    expect({
      code: confirmed.code,
      error: errorCode(confirmed.stdout),
    }).toEqual({
      code: 2,
      error: 'tunnel-missing',
    });
  });
});

describe('payments create --listen and a tunnel of a third party', () => {
  const listen = ['--listen', '--port', '0', '--tunnel', 'ssh:localhost.run'];
  const args = (reference: string) => ['payments', 'create', ...createFlags(reference), ...listen];
  // ssh is not there: a tunnel that is opened ends the command.
  const live = () =>
    settings({
      PAYDESK_APP_ID: sandbox.live.appId,
      PAYDESK_API_KEY: sandbox.live.apiKey,
      PAYDESK_KIND: 'live',
      PATH: '/nowhere',
    });

  it('asks for the App ID of a live app before the tunnel is opened', async () => {
    const tty = await paydeskTty(args(newReference()), { home, env: live() });
    await tty.waitFor('is run by a third party');
    await tty.waitFor('Type the App ID to confirm');
    tty.press('enter');
    await tty.waitFor('Nothing was sent.');
    expect(await tty.ended()).toBe(130);
    expect(tty.text()).not.toContain('not installed');
  });

  it('opens it once the App ID is typed, or given with --confirm', async () => {
    const tty = await paydeskTty(args(newReference()), { home, env: live() });
    await tty.waitFor('Type the App ID to confirm');
    tty.type(`${sandbox.live.appId}\r`);
    await tty.waitFor('not installed');
    expect(await tty.ended()).toBe(2);
    const confirmed = [...args(newReference()), '--json', '--confirm', sandbox.live.appId];
    const { code, stdout } = await runTyped(confirmed, { home, env: live() });
    expect([code, errorCode(stdout)]).toEqual([2, 'tunnel-missing']);
  });
});

async function isAnswered(url: string, body: string): Promise<boolean> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      body,
      signal: AbortSignal.timeout(5_000),
    });
    return answer.ok;
  } catch {
    return false;
  }
}

const errorCode = (stdout: string): string => (JSON.parse(stdout) as { error: { code: string } }).error.code;

function commandOf(pid: number): string {
  const file = `/proc/${pid}/comm`;
  const zombie =
    existsSync(`/proc/${pid}/status`) && /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return existsSync(file) && !zombie ? readFileSync(file, 'utf8').trim() : '';
}

async function withoutKnownHosts<T>(server: Sshd, work: () => Promise<T>): Promise<T> {
  const known = readFileSync(server.knownHosts, 'utf8');
  writeFileSync(server.knownHosts, '');
  try {
    return await work();
  } finally {
    writeFileSync(server.knownHosts, known);
  }
}
