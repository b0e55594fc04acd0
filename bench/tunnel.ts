// The same call with and without a tunnel through an SSH server on this machine, in turns.
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { createProbe as Create } from '../src/webhooks/tunnels/probe.js';
import type { parseSshDestination as Parse } from '../src/webhooks/tunnels/ssh-destination.js';
import type { createSshTunnel as Ssh } from '../src/webhooks/tunnels/ssh.js';
import type { openTunnel as Open } from '../src/webhooks/tunnels/supervise.js';
import { missingSshd, startSshd } from '../test/helpers/sshd-server.ts';
import { median, type Figure } from './measure.ts';

const ROUNDS = 500;
const WARM_UP = 50;
const body = JSON.stringify({ paymentId: 100231, paymentState: 'Captured', filler: 'x'.repeat(400) });

const load = (name: string): Promise<unknown> =>
  import(new URL(`../dist/webhooks/tunnels/${name}.js`, import.meta.url).href);

/** Over a connection of its own each time, as most senders of webhooks do. */
function post(url: string): Promise<number> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/wh/bench`, { method: 'POST', agent: false }, (answer) => {
      answer.resume().on('end', () => resolve(performance.now() - started));
    });
    // Head and body one after the other: with `ssh -N` the second waits some 40 ms for the first to be acknowledged.
    asked.on('error', reject).flushHeaders();
    setImmediate(() => asked.end(body));
  });
}

export async function tunnelFigures(report: (figure: Figure) => void): Promise<void> {
  const missing = missingSshd();
  if (missing !== undefined) {
    process.stdout.write(`skipped  tunnel: ${missing}\n`);
    return;
  }
  const { createProbe } = (await load('probe')) as { createProbe: typeof Create };
  const { parseSshDestination } = (await load('ssh-destination')) as { parseSshDestination: typeof Parse };
  const { createSshTunnel } = (await load('ssh')) as { createSshTunnel: typeof Ssh };
  const { openTunnel } = (await load('supervise')) as { openTunnel: typeof Open };

  const sshd = await startSshd();
  const probe = createProbe();
  const server = createServer((asked, answer) => {
    asked.resume().on('end', () => answer.end(probe.answer(asked.method, asked.url) ?? 'kept'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const localPort = (server.address() as AddressInfo).port;
  const env = { PATH: process.env['PATH'], PAYDESK_SSH_CONFIG: sshd.config };
  const run = await openTunnel({
    tunnel: createSshTunnel(parseSshDestination(sshd.destination), env),
    probe,
    localPort,
    signal: new AbortController().signal,
    note: () => {},
    interactive: false,
  });
  try {
    const times: Record<'through' | 'direct', number[]> = { through: [], direct: [] };
    for (let round = -WARM_UP; round < ROUNDS; round += 1) {
      const through = await post(run.url);
      const direct = await post(`http://127.0.0.1:${localPort}`);
      if (round < 0) continue;
      times.through.push(through);
      times.direct.push(direct);
    }
    const [through, direct] = [median(times.through), median(times.direct)];
    report({
      name: 'a call through a loopback ssh tunnel, above the same without',
      value: through - direct,
      unit: 'ms',
      limit: 3,
      better: 'less',
      detail: `${through.toFixed(2)} ms, ${direct.toFixed(2)} ms without (medians of ${ROUNDS}, in turns)`,
    });
  } finally {
    await run.stop();
    server.close();
    await sshd.stop();
  }
}
