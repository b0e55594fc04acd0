import type { IncomingMessage, ServerResponse } from 'node:http';
import { APPS_PATH } from '../../contract/endpoints.js';
import { decodeUrlPart } from '../../decode-url-part.js';
import { Refusal } from '../domain/refusal.js';
import type { ServiceRequest } from './service-request.js';
import type { ServiceAnswer } from './service.js';

const APP_ID_START = APPS_PATH.length;
const MAX_BODY_BYTES = 1024 * 1024;

/** The service on a socket: straight on node:http, since only here can an answer be cut short on purpose. */
export function createApiListener(handle: (request: ServiceRequest) => Promise<ServiceAnswer>) {
  let turn: Promise<void> | undefined;

  /** Answers that are ready by the end of a turn of the event loop leave together: a client is then woken once. */
  const endOfTurn = () =>
    (turn ??= new Promise((resolve) => {
      setImmediate(() => {
        turn = undefined;
        resolve();
      });
    }));

  return async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<string | undefined> => {
    const turnEnded = endOfTurn();
    const answer = await handle(toServiceRequest(incoming));
    await turnEnded;
    if (answer.cut === undefined) send(outgoing, answer);
    else cut(outgoing, answer);
    return answer.note;
  };
}

const NO_QUERY = new URLSearchParams();

function toServiceRequest(incoming: IncomingMessage): ServiceRequest {
  const [path, search = ''] = split(incoming.url ?? '', '?');
  const [appId, rest = ''] = split(path.slice(APP_ID_START), '/');
  return {
    method: incoming.method ?? 'GET',
    appId: decodeUrlPart(appId),
    path: `/${rest}`,
    query: search === '' ? NO_QUERY : new URLSearchParams(search),
    header: (name) => incoming.headers[name] as string | undefined,
    body: () => readText(incoming),
  };
}

function send(outgoing: ServerResponse, { status, headers, body }: ServiceAnswer): void {
  const hasBody = status !== 204;
  if (hasBody) headers['content-length'] = String(Buffer.byteLength(body));
  outgoing.writeHead(status, headers);
  outgoing.end(hasBody ? body : undefined);
}

function cut(outgoing: ServerResponse, answer: ServiceAnswer): void {
  if (answer.cut === 'drop') {
    outgoing.socket?.destroy();
    return;
  }
  const body = answer.body === '' ? ' '.repeat(64) : answer.body;
  outgoing.writeHead(answer.status, { ...answer.headers, 'content-length': Buffer.byteLength(body) });
  outgoing.write(body.slice(0, Math.floor(body.length / 2)), () => outgoing.socket?.destroy());
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const tooLarge = () =>
    new Refusal('body-too-large', 'The body is larger than 1 MiB.', { headers: { connection: 'close' } });
  if (Number(incoming.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  // An iterator would do the same, at the cost of a tenth of what a create takes beside the database.
  await new Promise<void>((resolve, reject) => {
    const onCut = () => {
      if (incoming.readableEnded) return;
      reject(new Refusal('invalid-json', 'The connection ended before the body did.'));
    };
    if (incoming.readableEnded) resolve();
    else if (incoming.destroyed) onCut();
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size > MAX_BODY_BYTES) reject(tooLarge());
      else chunks.push(chunk);
    });
    incoming.once('end', resolve);
    incoming.once('error', onCut).once('close', onCut);
  });
  return decode(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Refusal('invalid-json', 'The body is not valid UTF-8.');
  }
}

function split(text: string, at: string): [string, string?] {
  const index = text.indexOf(at);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}
