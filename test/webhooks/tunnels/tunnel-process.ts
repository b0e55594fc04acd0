// A receiver with a tunnel in a process of its own, to be killed; says where it can be reached.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { chooseTunnel as Choose } from '../../../src/webhooks/tunnels/choose.js';
import type { createProbe as Create } from '../../../src/webhooks/tunnels/probe.js';
import type { openTunnel as Open } from '../../../src/webhooks/tunnels/supervise.js';

const load = (name: string): Promise<unknown> =>
  import(new URL(`../../../dist/webhooks/tunnels/${name}.js`, import.meta.url).href);
const { chooseTunnel } = (await load('choose')) as { chooseTunnel: typeof Choose };
const { createProbe } = (await load('probe')) as { createProbe: typeof Create };
const { openTunnel } = (await load('supervise')) as { openTunnel: typeof Open };

const [text = ''] = process.argv.slice(2);
const { env } = process;
const probe = createProbe();
const server = createServer((asked, response) => void response.end(probe.answer(asked.method, asked.url)));
server.listen(0, '127.0.0.1', () => void run());

async function run(): Promise<void> {
  const { tunnel } = await chooseTunnel({ text, baseUrl: 'https://pay.example.com', env });
  try {
    const { url } = await openTunnel({
      tunnel,
      probe,
      localPort: (server.address() as AddressInfo).port,
      signal: new AbortController().signal,
      note: () => {},
      interactive: process.stdin.isTTY,
    });
    process.stdout.write(`Ready ${url}\n`);
  } catch (error) {
    process.stdout.write(`Failed ${(error as { code: string }).code}\n`);
    process.exitCode = 1;
    server.close();
  }
}
