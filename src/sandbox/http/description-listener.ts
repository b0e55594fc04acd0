import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Answers `/healthz` and `/openapi.json` without Hono: a health check right after the start does not wait until the
 * console and the control API are loaded.
 */
export function createDescriptionListener() {
  const answers: Readonly<Record<string, () => Promise<string>>> = {
    '/healthz': async () => JSON.stringify({ status: 'ok' }),
    '/openapi.json': async () => (await import('../../contract/openapi-text.js')).openApiText,
  };

  return {
    answers: ({ method = '', url = '' }: IncomingMessage): boolean =>
      (method === 'GET' || method === 'HEAD') && Object.hasOwn(answers, pathOf(url)),
    async listener({ url = '' }: IncomingMessage, outgoing: ServerResponse): Promise<undefined> {
      const body = Buffer.from(await (answers[pathOf(url)] as () => Promise<string>)());
      outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': body.byteLength });
      outgoing.end(body);
    },
  };
}

const pathOf = (url: string): string => url.split('?', 1)[0] as string;
