import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWithBrowser, expectAccessible } from '../helpers/browser.js';
import { startTestSandbox, type TestSandbox } from '../helpers/sandbox.js';
import { consoleLink, visitConsole } from './console-visitor.js';
import { textOf } from './forms.js';

let sandbox: TestSandbox;
let paymentId: number;
let pages: string[];
beforeAll(async () => {
  sandbox = await startTestSandbox({ seed: 7 });
  ({ paymentId } = await sandbox.create({
    referenceId: 'canary-reference',
    webhookUrl: 'http://127.0.0.1:9/canary',
  }));
  // Nothing may change by itself from here on: its webhook would be sent again after a while.
  await sandbox.settle();
  await sandbox.control('POST', '/clock', { action: 'stop' });
  pages = [
    '/console',
    '/console?q=canary',
    `/console/payments/${paymentId}`,
    '/console/customers',
    `/console/customers/one?app=${sandbox.app.appId}&id=c1`,
    '/console/apps',
    '/console/webhooks',
    '/console/webhooks/1',
    '/console/clock',
    '/console/faults',
    '/console/live',
    '/console/nothing',
  ];
});
afterAll(() => sandbox.close());

/** Nothing of what the sandbox holds. */
function expectNothing(html: string): void {
  for (const secret of ['canary', 'Sandbox shop', sandbox.app.appId, 'formToken', sandbox.controlToken]) {
    expect(html).not.toContain(secret);
  }
}

const cookieName = () => `paydesk-console-${new URL(sandbox.url).port}`;

describe('the console', () => {
  it('takes the token out of the link, once, and keeps it in no address', async () => {
    const answer = await fetch(consoleLink(sandbox), { redirect: 'manual' });
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe('/console');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(
      new RegExp(`^${cookieName()}=[0-9a-f]{64}; Path=/console; HttpOnly; SameSite=Strict$`),
    );
    expect(cookie).not.toContain(sandbox.controlToken);
  });

  it.each([
    ['without a token', () => ({})],
    ['with a wrong cookie', () => ({ cookie: `${cookieName()}=${'0'.repeat(64)}` })],
    ['with the control token as the cookie', () => ({ cookie: `${cookieName()}=${sandbox.controlToken}` })],
  ])('shows nothing %s but how to get in', async (_, headers) => {
    for (const path of pages) {
      const answer = await fetch(sandbox.url + path, { headers: headers() });
      const html = await answer.text();
      expect({ path, status: answer.status }).toEqual({ path, status: 403 });
      expect(textOf(html)).toContain(`paydesk sandbox status --port ${new URL(sandbox.url).port}`);
      expectNothing(html);
    }
  });

  it.each(['x', '', 'T'.repeat(32)])('shows nothing for the token %j', async (token) => {
    const answer = await fetch(`${sandbox.url}/console?token=${token}`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([403, null]);
    expectNothing(await answer.text());
  });

  it('does not answer to a foreign name for this host', async () => {
    const { cookie } = await visitConsole(sandbox);
    for (const path of [...pages, `/console?token=${sandbox.controlToken}`]) {
      const { statusCode, body, headers } = await request(sandbox.url + path, {
        headers: { host: 'evil.example', cookie },
      });
      expect([path, statusCode, headers['set-cookie']]).toEqual([path, 403, undefined]);
      expectNothing(await body.text());
    }
  });

  it('is open to the cookie of another sandbox on this machine no more than without one', async () => {
    const other = await startTestSandbox();
    try {
      const { cookie } = await visitConsole(other);
      const answer = await fetch(`${sandbox.url}/console`, { headers: { cookie } });
      expect(answer.status).toBe(403);
      const renamed = cookie.replace(/^[^=]+/, cookieName());
      expect((await fetch(`${sandbox.url}/console`, { headers: { cookie: renamed } })).status).toBe(403);
    } finally {
      await other.close();
    }
  });

  const forms = (): string[] => [
    `/console/payments/${paymentId}/pay`,
    `/console/payments/${paymentId}/challenge`,
    `/console/payments/${paymentId}/provider`,
    '/console/webhooks/1/resend',
    `/console/apps/${sandbox.app.appId}`,
    '/console/clock',
    '/console/faults',
    '/console/faults/clear',
  ];
  const fields = {
    card: 'approved',
    result: 'passed',
    answer: 'hold',
    what: 'block',
    action: 'resume',
    kind: 'latency',
  };

  async function state() {
    const { body } = await sandbox.control<{ payment: unknown; events: unknown[] }>(
      'GET',
      `/payments/${paymentId}/story`,
    );
    const { stopped } = (await sandbox.control('GET', '/clock')).body;
    const { body: faults } = await sandbox.control('GET', '/faults');
    const { body: apps } = await sandbox.control('GET', '/apps');
    return JSON.stringify([body, stopped, faults, apps]);
  }

  it.each([
    ['without the cookie', { cookie: '' }],
    ['of another origin', { origin: 'http://evil.example' }],
    ['of another port of this machine', { origin: 'http://127.0.0.1:9', 'sec-fetch-site': 'same-site' }],
    ['of an opaque origin', { origin: 'null' }],
    ['that is no form', { 'content-type': 'text/plain' }],
  ])('refuses every form %s', async (_, headers: Record<string, string>) => {
    const visitor = await visitConsole(sandbox);
    const { html } = await visitor.get('/console/clock');
    const formToken = /name="formToken" value="([0-9a-f]+)"/.exec(html)![1]!;
    const before = await state();
    for (const path of forms()) {
      const answer = await fetch(sandbox.url + path, {
        method: 'POST',
        headers: {
          cookie: visitor.cookie,
          origin: sandbox.url,
          'content-type': 'application/x-www-form-urlencoded',
          ...headers,
        },
        body: new URLSearchParams({ formToken, ...fields }).toString(),
        redirect: 'manual',
      });
      expect({ path, status: answer.status }).toEqual({ path, status: 403 });
    }
    expect(await state()).toBe(before);
  });

  it('refuses every form without its token, and one with a token that only the seed gives', async () => {
    const visitor = await visitConsole(sandbox);
    const twin = await startTestSandbox({ seed: 7 });
    const theirs = await (await visitConsole(twin)).get('/console/clock');
    await twin.close();
    const before = await state();
    for (const formToken of ['', 'x', /name="formToken" value="([0-9a-f]+)"/.exec(theirs.html)![1]!]) {
      for (const path of forms()) {
        expect((await visitor.send(path, { ...fields, formToken })).status).toBe(403);
      }
    }
    expect(await state()).toBe(before);
  });

  it('lets no made-up link say that something was done', async () => {
    const { get } = await visitConsole(sandbox);
    const { status, html } = await get('/console?result=The%20refund%20was%20paid');
    expect(status).toBe(200);
    expect(textOf(html)).toContain('Payments');
    expect(html).not.toContain('class="notice');
    expect(textOf(html)).not.toContain('refund was paid');
  });
});

describeWithBrowser('the console in a browser', (browser) => {
  it('leaves the token out of the address, the history and what other pages are told', async () => {
    const { page, requests } = await browser.visit();
    const before = await page.evaluate<number>('history.length');
    await page.goto(consoleLink(sandbox));
    expect(page.url()).toBe(`${sandbox.url}/console`);
    expect(await page.evaluate('history.length')).toBeLessThanOrEqual(before + 1);
    await page.goBack();
    expect(page.url()).not.toContain('token');
    await page.goto(`${sandbox.url}/console`);
    await page.click('nav >> text=Clock');
    expect(requests.filter((url) => url.includes('token='))).toHaveLength(1);
    expect(await page.evaluate('document.referrer')).not.toContain('token');
    expect(await page.evaluate('document.cookie')).toBe('');
  });

  it('opens from a link on a page of another site too', async () => {
    const { page } = await browser.visit();
    await page.route('http://chat.example/', (route) =>
      route.fulfill({ contentType: 'text/html', body: `<a href="${consoleLink(sandbox)}">console</a>` }),
    );
    await page.goto('http://chat.example/');
    await page.click('a');
    await page.waitForSelector('h1:text("Payments")');
    expect(page.url()).toBe(`${sandbox.url}/console`);
  });

  it('stays closed to a link on a page of another site that brings no token', async () => {
    const { page } = await browser.visit();
    await page.route('http://chat.example/', (route) =>
      route.fulfill({ contentType: 'text/html', body: `<a href="${sandbox.url}/console">console</a>` }),
    );
    await page.goto('http://chat.example/');
    await page.click('a');
    await page.waitForSelector('h1:text("The console is closed")');
  });

  it('says how to get in, accessibly', async () => {
    const { page, complaints } = await browser.visit({ viewport: { width: 360, height: 740 } });
    await page.goto(`${sandbox.url}/console`);
    expect(await page.textContent('h1')).toBe('The console is closed');
    await expectAccessible(page);
    expect(complaints.filter((text) => !text.includes('403'))).toEqual([]);
  });
});
