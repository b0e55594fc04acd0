// A forward proxy in a process of its own. It prints its port, and for each line on stdin the requests since
// the last one.
// Every host is taken for this machine, so that tests can use names that nobody else has. The first part of a name says
// how the proxy treats a request to open a tunnel there: `hangs-up.payments.service.invalid`.

import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

const [credentials = ''] = process.argv.slice(2);
const expected = `Basic ${Buffer.from(credentials).toString('base64')}`;

const seen: object[] = [];
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
const allowed = ({ headers }: IncomingMessage) =>
  credentials === '' || headers['proxy-authorization'] === expected;

const server = createServer((incoming, response) => {
  const { method, url = '', headers } = incoming;
  seen.push({ kind: 'forward', method, url, headers });
  if (allowed(incoming)) forward(incoming, response);
  else response.writeHead(407).end('proxy credentials, please');
});

function forward(incoming: IncomingMessage, response: ServerResponse): void {
  const { hostname, port, pathname, search } = new URL(incoming.url ?? '');
  const { 'proxy-authorization': _ours, ...passed } = incoming.headers;
  const headers = { ...passed, host: hostname };
  const target = { host: '127.0.0.1', port, method: incoming.method, path: pathname + search, headers };
  const onward = request(target, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
    answer.once('error', () => response.destroy());
  });
  // By then the request may have been carried out; a proxy does not know.
  onward.once('error', () =>
    response.headersSent ? response.destroy() : response.writeHead(502).end('gone'),
  );
  response.once('close', () => onward.destroy());
  incoming.pipe(onward);
}

server.on('connect', (incoming: IncomingMessage, client: Socket, head: Buffer) => {
  const { url: target = '', headers } = incoming;
  seen.push({ kind: 'connect', target, headers });
  client.on('error', () => undefined);
  const answer = (status: string) => client.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`);
  const behaviour = behaviourOf(target);
  const [, status] = /^answers-(\d{3})$/.exec(behaviour) ?? [];
  if (!allowed(incoming)) answer('407 Proxy Authentication Required');
  else if (status !== undefined) answer(`${status} No`);
  else if (behaviour === 'hangs-up') client.resetAndDestroy();
  else if (behaviour === 'closes') client.end();
  else if (behaviour === 'garbage') client.end('What do you mean?\r\n\r\n');
  else if (behaviour !== 'silent') openTunnel(client, target, head, behaviour === 'cuts-tunnel');
});

const tunnels = new Map<string, number>();

/** `later-silent.payments.service.invalid` opens the first tunnel only. */
function behaviourOf(target: string): string {
  const [first = ''] = target.split('.');
  const [, later] = /^later-(.+)$/.exec(first) ?? [];
  if (later === undefined) return first;
  const before = tunnels.get(target) ?? 0;
  tunnels.set(target, before + 1);
  return before === 0 ? '' : later;
}

function openTunnel(client: Socket, target: string, head: Buffer, cut: boolean): void {
  const service = connect(Number(target.split(':').at(-1)), '127.0.0.1', () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    service.write(head);
    if (cut) client.end();
    else client.pipe(service).pipe(client);
  });
  service.on('error', () => client.destroy());
  service.on('close', () => client.destroy());
  client.on('close', () => service.destroy());
}

server.listen(0, '127.0.0.1', () => say({ port: (server.address() as AddressInfo).port }));
// When the test is gone, so is its pipe.
process.stdin.on('data', () => say(seen.splice(0))).once('end', () => process.exit());
