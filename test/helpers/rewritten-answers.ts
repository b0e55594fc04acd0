import { httpServer } from './servers.js';
import type { Client } from './sandbox.js';

/** A service like the sandbox that writes its answers in another way; it ends with the test. Returns its address. */
export async function rewriteAnswers(
  { url }: Pick<Client, 'url'>,
  rewrite: (body: string) => string,
): Promise<string> {
  const server = await httpServer(async ({ method, url: path, headers, body }, response) => {
    const { authorization = '' } = headers;
    const answer = await fetch(url + path, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body === '' ? {} : { body }),
    });
    const text = rewrite(await answer.text());
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  return server.url;
}
