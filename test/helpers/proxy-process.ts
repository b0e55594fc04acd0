// A forward proxy in a process of its own. It prints its port, and for each line on stdin the requests since
// the last one.
// Every host is taken for this machine, so that tests can use names that nobody else has. The first part of a name says
// how the proxy treats a request to open a tunnel there: `hangs-up.payments.service.invalid`.

import { createServer, request, type IncomingMessage } from 'node:http';
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
  if (!allowed(incoming)) return void response.writeHead(407).end('proxy credentials, please');
  const { hostname, port, pathname, search } = new URL(url);
  const { 'proxy-authorization': _ours, ...passed } = headers;
  const onward = request(
    { host: '127.0.0.1', port, method, path: pathname + search, headers: { ...passed, host: hostname } },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      answer.once('error', () => response.destroy());
    },
  );
  // By then the request may have been carried out; a proxy does not know.
  onward.once('error', () =>
    response.headersSent ? response.destroy() : response.writeHead(502).end('gone'),
  );
  response.once('close', () => onward.destroy());
  incoming.pipe(onward);
});

server.on('connect', (incoming: IncomingMessage, client: Socket, head: Buffer) => {
  const { url: target = '', headers } = incoming;
  seen.push({ kind: 'connect', target, headers });
  client.on('error', () => undefined);
  const answer = (status: string) => client.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`);
  if (!allowed(incoming)) return answer('407 Proxy Authentication Required');
  const [behaviour = ''] = target.split('.');
  const [, status] = /^answers-(\d{3})$/.exec(behaviour) ?? [];
  if (status !== undefined) return answer(`${status} No`);
  if (behaviour === 'hangs-up') return client.resetAndDestroy();
  if (behaviour === 'closes') return client.end();
  if (behaviour === 'silent') return undefined;
  if (behaviour === 'garbage') return client.end('What do you mean?\r\n\r\n');
  const service = connect(Number(target.split(':').at(-1)), '127.0.0.1', () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (behaviour === 'cuts-tunnel') return client.end();
    service.write(head);
    client.pipe(service).pipe(client);
  });
  service.on('error', () => client.destroy());
  service.on('close', () => client.destroy());
  client.on('close', () => service.destroy());
});

server.listen(0, '127.0.0.1', () => say({ port: (server.address() as AddressInfo).port }));
// When the test is gone, so is its pipe.
process.stdin.on('data', () => say(seen.splice(0))).once('end', () => process.exit());
