import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono, type Context } from 'hono';
import { Refusal } from '../domain/refusal.js';
import { BODY_LIMIT, type ServiceAnswer, type ServiceRequest } from './service.js';

interface Env {
  Bindings: Partial<HttpBindings>;
  Variables: { cut?: boolean; note?: string };
}

/** One line of the log: what was asked, what was answered, and how long it took. */
export interface RequestLine {
  method: string;
  path: string;
  status: number;
  ms: number;
  note?: string;
}

export interface HttpOptions {
  handle(request: ServiceRequest): Promise<ServiceAnswer>;
  openApi: string;
  control: Hono;
  pages: Hono;
  onRequest(line: RequestLine): void;
}

export function createHttpApp({ handle, openApi, control, pages, onRequest }: HttpOptions): Hono<Env> {
  const app = new Hono<Env>();

  app.use('*', async (c, next) => {
    const started = performance.now();
    await next();
    onRequest({
      method: c.req.method,
      path: c.req.path,
      status: c.get('cut') ? 0 : c.res.status,
      ms: performance.now() - started,
      note: c.get('note'),
    });
  });

  app.get('/openapi.json', (c) => c.body(openApi, 200, { 'content-type': 'application/json' }));

  app.all('/api/apps/:appId/*', async (c) => {
    const url = new URL(c.req.url);
    const [, , , appId = '', ...rest] = url.pathname.split('/');
    const answer = await handle({
      method: c.req.method,
      appId: safeDecode(appId),
      path: `/${rest.join('/')}`,
      query: url.searchParams,
      header: (name) => c.req.header(name),
      body: () => readText(c),
    });
    if (answer.note !== undefined) c.set('note', answer.note);
    return respond(c, answer);
  });

  app.route('/_sandbox', control);
  app.route('/', pages);

  app.notFound((c) =>
    c.body(
      JSON.stringify({
        type: 'urn:paydesk:problem:not-found',
        title: 'Not found',
        status: 404,
        detail: `There is nothing at ${c.req.path}. The service is below /api/apps/{appId}; /openapi.json describes it.`,
        code: 'not-found',
      }),
      404,
      { 'content-type': 'application/problem+json' },
    ),
  );
  return app;
}

function respond(c: Context<Env>, answer: ServiceAnswer): Response {
  if (answer.cut === undefined) {
    if (answer.status === 204) return c.body(null, 204, answer.headers);
    const length = String(Buffer.byteLength(answer.body));
    return c.body(answer.body, answer.status as 200, { ...answer.headers, 'content-length': length });
  }
  c.set('cut', true);
  const outgoing = c.env.outgoing;
  if (answer.cut === 'truncate' && outgoing) {
    const body = answer.body === '' ? ' '.repeat(64) : answer.body;
    outgoing.writeHead(answer.status, { ...answer.headers, 'content-length': Buffer.byteLength(body) });
    outgoing.write(body.slice(0, Math.floor(body.length / 2)), () => outgoing.socket?.destroy());
  } else {
    outgoing?.socket?.destroy();
  }
  return RESPONSE_ALREADY_SENT;
}

async function readText(c: Context<Env>): Promise<string> {
  const tooLarge = () =>
    new Refusal('body-too-large', 'The body is larger than 1 MiB.', { headers: { connection: 'close' } });
  if (Number(c.req.header('content-length') ?? 0) > BODY_LIMIT) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (c.req.raw.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > BODY_LIMIT) throw tooLarge();
    chunks.push(chunk);
  }
  return new TextDecoder('utf-8').decode(Buffer.concat(chunks));
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
