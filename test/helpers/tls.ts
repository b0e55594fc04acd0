import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type TlsOptions } from 'node:tls';

/** A name that no resolver knows: only a proxy of the tests leads there. */
export const SERVICE_HOST = 'payments.service.invalid';

export interface Certificates {
  folder: string;
  /** Paths of PEM files. */
  caFile: string;
  serverCert: string;
  serverKey: string;
  clientCert: string;
  clientKey: string;
  /** Signed by nobody whom the service trusts. */
  strangerCert: string;
  strangerKey: string;
  remove(): void;
}

/** An authority of our own, a certificate for 127.0.0.1 and `SERVICE_HOST`, and one for a client. */
export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'paydesk-certificates-'));
  const path = (name: string) => join(folder, name);
  const openssl = (line: string, ...words: string[]) =>
    execFileSync('openssl', [...line.split(' '), ...words], { cwd: folder, stdio: 'ignore' });
  const newKey = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes';
  const selfSigned = (name: string, common: string) =>
    openssl(`req -x509 ${newKey} -days 30 -keyout ${name}.key -out ${name}.pem -subj`, `/CN=${common}`);
  const signed = (name: string, common: string, extensions: string) => {
    writeFileSync(path(`${name}.ext`), extensions);
    openssl(`req ${newKey} -keyout ${name}.key -out ${name}.csr -subj`, `/CN=${common}`);
    const by = '-CA ca.pem -CAkey ca.key -CAcreateserial';
    openssl(`x509 -req -in ${name}.csr ${by} -days 30 -extfile ${name}.ext -out ${name}.pem`);
  };
  selfSigned('ca', 'Authority of the tests');
  selfSigned('stranger', 'A stranger');
  signed(
    'server',
    'service',
    `subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:${SERVICE_HOST},DNS:*.${SERVICE_HOST}\n`,
  );
  signed('client', 'desk', 'extendedKeyUsage=clientAuth\n');
  return {
    folder,
    caFile: path('ca.pem'),
    serverCert: path('server.pem'),
    serverKey: path('server.key'),
    clientCert: path('client.pem'),
    clientKey: path('client.key'),
    strangerCert: path('stranger.pem'),
    strangerKey: path('stranger.key'),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

export interface TlsFront {
  port: number;
  /** Names of the client certificates that were shown, one per connection. */
  clients: (string | undefined)[];
  stop(): Promise<void>;
}

/** Speaks TLS on behalf of a plain service on this machine. */
export async function startTlsFront(
  { caFile, serverCert, serverKey }: Certificates,
  servicePort: number,
  options: TlsOptions = {},
): Promise<TlsFront> {
  const clients: TlsFront['clients'] = [];
  const sockets = new Set<Socket>();
  const server = createServer(
    {
      cert: readFileSync(serverCert),
      key: readFileSync(serverKey),
      ca: readFileSync(caFile),
      ALPNProtocols: ['http/1.1'],
      ...options,
    },
    (client) => {
      const subject = client.getPeerCertificate().subject as { CN?: string } | undefined;
      clients.push(subject?.CN);
      const service = connect(servicePort, '127.0.0.1');
      service.on('error', () => client.destroy()).on('close', () => client.destroy());
      client.on('error', () => service.destroy()).on('close', () => service.destroy());
      // The sandbox answers only to names of this machine.
      client.on('data', (chunk: Buffer) => {
        const text = chunk.toString('latin1').replace(/\r\nhost: [^\r]*/i, '\r\nhost: localhost');
        service.write(text, 'latin1');
      });
      client.on('end', () => service.end());
      service.pipe(client);
    },
  );
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    clients,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
