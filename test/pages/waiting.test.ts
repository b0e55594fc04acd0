import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithBrowser, expectAccessible } from '../helpers/browser.js';
import { startTestSandbox, type TestSandbox } from '../helpers/sandbox.js';
import { seesHeading } from './looks.js';
import { pageOf } from './forms.js';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
  await sandbox.control('POST', '/clock', { action: 'stop' });
});
afterAll(() => sandbox.close());

async function waiting() {
  const payment = await sandbox.create();
  await sandbox.pay(payment.paymentId, 'slow-approved');
  return payment;
}

describeWithBrowser('the page that waits', (browser) => {
  it('asks less and less often, and after a minute says that it may be closed', async () => {
    const { redirectUrl } = await waiting();
    const { page, requests } = await browser.visit({ viewport: { width: 390, height: 844 } });
    await page.clock.install();
    await page.goto(redirectUrl);
    await seesHeading(page, 'Waiting for confirmation');
    const asked = () => requests.filter((url) => url.endsWith('/version')).length;
    // The first question comes after a second by the page's clock, so that none is missed here.
    const next = () => page.waitForResponse(/version$/, { timeout: 0 }).catch(() => undefined);
    let [answered, answer] = [asked(), next()];
    const pass = async (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        await page.clock.runFor(1000);
        for (; answered < asked(); answered += 1) {
          await answer;
          answer = next();
        }
      }
    };
    expect(await page.getByText('You may close this page').isVisible()).toBe(false);
    await pass(20);
    const early = asked();
    expect(early).toBeGreaterThanOrEqual(4);
    await pass(60);
    expect(asked() - early).toBeLessThanOrEqual(8);
    await page.getByText('You may close this page').waitFor();
    await expectAccessible(page);
  });

  it('says when there is no connection, and goes on when it is back', async () => {
    const { redirectUrl, paymentId } = await waiting();
    const { page, context } = await browser.visit();
    await page.goto(redirectUrl);
    await context.setOffline(true);
    await page.getByText('There is no connection').waitFor();
    await sandbox.control('POST', `/payments/${paymentId}/provider`, { answer: 'confirm' });
    await page.route('http://127.0.0.1:9/**', (route) => route.fulfill({ status: 204 }));
    await context.setOffline(false);
    await seesHeading(page, 'Payment complete');
  });
});

it('without JavaScript loads itself again less and less often, and says after a minute that it may be closed', async () => {
  const { redirectUrl } = await waiting();
  const pauses: number[] = [];
  const closable: boolean[] = [];
  let url = redirectUrl;
  let waited = 0;
  for (let look = 0; look < 8; look += 1) {
    const { text } = await pageOf(url);
    const [, seconds, next] = /http-equiv="refresh" content="(\d+);url=([^"]+)"/.exec(text) ?? [];
    closable.push(!/id="leave" hidden/.test(text));
    expect(closable.at(-1)).toBe(waited >= 60);
    waited += Number(seconds);
    pauses.push(Number(seconds));
    const { status, location } = await pageOf(`${sandbox.url}${next}`);
    expect(status).toBe(303);
    url = `${sandbox.url}${location}`;
  }
  expect(pauses).toEqual([3, 5, 7, 10, 15, 23, 30, 30]);
  expect(closable).toContain(true);
});
