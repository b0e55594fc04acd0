import type { TestBrowser, Visit } from '../helpers/browser.js';
import type { Client } from '../helpers/sandbox.js';
import { formToken, formWith } from './forms.js';

interface Shown {
  status: number;
  html: string;
  path: string;
}

/** Somebody with the link of the console and no browser: cookies and forms by hand. */
export interface Visitor {
  cookie: string;
  get(
    path: string,
    headers?: Record<string, string>,
  ): Promise<{ status: number; html: string; headers: Headers }>;
  /** Sends a form and returns the page that follows. */
  send(path: string, fields?: Record<string, string>): Promise<Shown>;
  /** Presses a button of a page, with these fields changed, and returns the page that follows. */
  press(html: string, button: string, changes?: Record<string, string>): Promise<Shown>;
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
  const post = async (path: string, fields: URLSearchParams): Promise<Shown> => {
    const answer = await fetch(sandbox.url + path, {
      method: 'POST',
      headers: { cookie, origin: sandbox.url, 'content-type': 'application/x-www-form-urlencoded' },
      body: fields.toString(),
      redirect: 'manual',
    });
    const next = answer.headers.get('location');
    if (answer.status !== 303 || next === null)
      return { status: answer.status, html: await answer.text(), path };
    const page = await get(next);
    return { status: page.status, html: page.html, path: next };
  };
  return {
    cookie,
    get,
    async send(path, fields = {}) {
      const token = formToken((await get('/console/clock')).html);
      return post(path, new URLSearchParams({ formToken: token, ...fields }));
    },
    async press(html, button, changes) {
      const { method, action, fields } = formWith(html, button, changes);
      if (method === 'post') return post(action, fields);
      const path = `${action}?${fields.toString()}`;
      const page = await get(path);
      return { status: page.status, html: page.html, path };
    },
  };
}

/** Opens a page of the console in a browser, with the cookie that its link gives. */
export async function enterConsole(
  browser: TestBrowser,
  sandbox: Pick<Client, 'url' | 'controlToken'>,
  path = '',
  options: Parameters<TestBrowser['visit']>[0] = {},
): Promise<Visit> {
  const visit = await browser.visit(options);
  const [name, value] = (await visitConsole(sandbox)).cookie.split('=') as [string, string];
  await visit.context.addCookies([{ name, value, url: `${sandbox.url}/console` }]);
  await visit.page.goto(`${sandbox.url}/console${path}`);
  return visit;
}

/** The markup of a section of a page. */
export const sectionOf = (html: string, id: string): string =>
  new RegExp(`<section[^>]* id="${id}"[\\s\\S]*?</section>`).exec(html)?.[0] ?? '';
