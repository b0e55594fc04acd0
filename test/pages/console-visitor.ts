import type { Client } from '../helpers/sandbox.js';

/** Somebody with the link of the console and no browser: cookies and forms by hand. */
export interface Visitor {
  cookie: string;
  get(
    path: string,
    headers?: Record<string, string>,
  ): Promise<{ status: number; html: string; headers: Headers }>;
  /** Sends a form and returns the page that follows. */
  send(
    path: string,
    fields?: Record<string, string>,
  ): Promise<{ status: number; html: string; path: string }>;
}

export const consoleLink = ({ url, controlToken }: Pick<Client, 'url' | 'controlToken'>): string =>
  `${url}/console?token=${controlToken}`;

export async function visitConsole(sandbox: Pick<Client, 'url' | 'controlToken'>): Promise<Visitor> {
  const entered = await fetch(consoleLink(sandbox), { redirect: 'manual' });
  const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
  const get: Visitor['get'] = async (path, headers = {}) => {
    const answer = await fetch(sandbox.url + path, { headers: { cookie, ...headers }, redirect: 'manual' });
    return { status: answer.status, html: await answer.text(), headers: answer.headers };
  };
  return {
    cookie,
    get,
    async send(path, fields = {}) {
      const { html } = await get('/console/clock');
      const formToken = /name="formToken" value="([0-9a-f]+)"/.exec(html)?.[1] ?? '';
      const answer = await fetch(sandbox.url + path, {
        method: 'POST',
        headers: { cookie, origin: sandbox.url, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ formToken, ...fields }).toString(),
        redirect: 'manual',
      });
      const next = answer.headers.get('location');
      if (answer.status !== 303 || next === null)
        return { status: answer.status, html: await answer.text(), path };
      const page = await get(next);
      return { status: page.status, html: page.html, path: next };
    },
  };
}

/** What a page says, without its markup. */
export const textOf = (html: string): string =>
  html
    .replace(/<(script|style)[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ');
