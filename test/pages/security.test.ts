import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { request } from 'undici';
import { describeWithBrowser } from '../helpers/browser.js';
import { seesHeading } from './looks.js';
import { formToken, pageOf, sendForm } from './forms.js';
import { startTestSandbox, type TestSandbox } from '../helpers/sandbox.js';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());

const payNow = () => ({ profile: String(sandbox.app.profiles[0]?.paymentProfileId), outcome: 'approved' });

describe('the pages', () => {
  it('allow their own style and script and nothing else, and are kept by nobody', async () => {
    const { redirectUrl } = await sandbox.create();
    for (const url of [redirectUrl, `${sandbox.url}/checkout/nothing`, `${sandbox.url}/panel/nothing`]) {
      const { headers } = await fetch(url);
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-security-policy': expect.stringMatching(
          /^default-src 'none'; style-src 'sha256-[^']+'; (script-src 'sha256-[^']+'; )?img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
        ),
        'referrer-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      });
    }
  });

  it('do not answer to a foreign name for this host', async () => {
    const { redirectUrl } = await sandbox.create();
    const { statusCode, body } = await request(redirectUrl, { headers: { host: 'evil.example' } });
    expect(statusCode).toBe(403);
    expect(await body.text()).not.toContain('10.50');
  });

  it.each([
    ['of another origin', { origin: 'http://evil.example' }],
    ['of an opaque origin', { origin: 'null' }],
    ['that the browser says is of another site', { 'sec-fetch-site': 'cross-site' }],
    ['of another port of this machine', { 'sec-fetch-site': 'same-site' }],
    ['that is none of theirs', { 'content-type': 'text/plain' }],
  ])('refuse a form %s', async (_, headers) => {
    const { paymentId, redirectUrl } = await sandbox.create();
    const token = formToken((await pageOf(redirectUrl)).text);
    const refused = await sendForm(redirectUrl, { formToken: token, ...payNow() }, headers);
    expect(refused.status).toBe(403);
    expect((await sandbox.read(paymentId)).paymentState).toBe('Created');
    const taken = await sendForm(redirectUrl, { formToken: token, ...payNow() });
    expect(taken.status).toBe(303);
    expect((await sandbox.read(paymentId)).paymentState).toBe('Captured');
  });

  it('refuse a form without the token of its page, or with that of another', async () => {
    const [mine, other] = [await sandbox.create(), await sandbox.create()];
    const foreign = formToken((await pageOf(other.redirectUrl)).text);
    expect((await sendForm(mine.redirectUrl, { ...payNow() })).status).toBe(403);
    expect((await sendForm(mine.redirectUrl, { formToken: foreign, ...payNow() })).status).toBe(403);
    expect((await sendForm(mine.redirectUrl, { formToken: 'x'.repeat(20_000) })).status).toBe(403);
    expect((await sandbox.read(mine.paymentId)).paymentState).toBe('Created');
  });
});

describeWithBrowser('the pages in a browser', (browser) => {
  it('say that this is a sandbox, and ask for nothing else', async () => {
    const { redirectUrl } = await sandbox.create();
    const { page, requests, complaints } = await browser.visit();
    await page.goto(redirectUrl);
    expect(await page.textContent('header')).toContain('This is a sandbox. No money moves.');
    expect(requests).toEqual([redirectUrl]);
    expect(complaints).toEqual([]);
  });

  it('a form of another site does nothing', async () => {
    const { paymentId, redirectUrl } = await sandbox.create();
    const token = formToken((await pageOf(redirectUrl)).text);
    const { page } = await browser.visit();
    await page.route('http://evil.example/', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<form method="post" action="${redirectUrl}"><input name="formToken" value="${token}"><input name="profile" value="${payNow().profile}"><button name="outcome" value="approved">Win</button></form>`,
      }),
    );
    await page.goto('http://evil.example/');
    await page.click('button');
    await page.waitForURL(redirectUrl);
    await seesHeading(page, 'Nothing was changed');
    expect((await sandbox.read(paymentId)).paymentState).toBe('Created');
  });
});
