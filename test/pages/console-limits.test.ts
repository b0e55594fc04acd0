import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWithBrowser } from '../helpers/browser.js';
import { startReceiver, startTestSandbox, type Receiver, type TestSandbox } from '../helpers/sandbox.js';
import { consoleLink, visitConsole } from './console-visitor.js';
import { textOf } from './forms.js';

// The worst that the API lets in: every text as long as it may be, of characters that take the most room on a page,
// and markup that would run if it were let through.

const LIMIT = 50_000;
const MARKUP = `"'><img src=x onerror="window.ran=1"><script>window.ran=1</script>`;

/** As many characters as allowed, beginning so that no two are the same. */
const longText = (start: string, length: number) => (start + MARKUP + '"'.repeat(length)).slice(0, length);

let sandbox: TestSandbox;
let receiver: Receiver;
let pages: string[];
beforeAll(async () => {
  receiver = await startReceiver();
  receiver.answer({ status: 500, body: `${MARKUP}${'"'.repeat(600)}` });
  sandbox = await startTestSandbox();
  await sandbox.control('POST', '/clock', { action: 'stop' });
  const name = longText('shop', 1000);
  for (let count = 0; count < 6; count += 1) await sandbox.control('POST', '/apps', { friendlyName: name });
  const ids: number[] = [];
  const customerOf = (index: number) => longText(`c${index}`, 200);
  for (let index = 0; index < 40; index += 1) {
    const webhookUrl = `${receiver.url}?x=${'&'.repeat(1900)}`;
    const { paymentId } = await sandbox.create(
      {
        referenceId: longText(`r${index}`, 200),
        webhookUrl,
        amount: 999_999_999.99,
        customerOrder: {
          description: longText('d', 1000),
          customer: {
            customerId: customerOf(index),
            firstName: longText('f', 1000),
            lastName: longText('l', 1000),
            email: `${'"'.repeat(900)}@example.org`,
          },
        },
      },
      { headers: { 'user-agent': '"'.repeat(200) } },
    );
    await sandbox.pay(paymentId, index % 2 === 0 ? 'unknown-charged' : 'approved');
    ids.push(paymentId);
  }
  await sandbox.settle();
  const story = ids[1]!;
  // A long story: captured, and refunds that fail again and again, with long descriptions.
  await sandbox.control('POST', '/faults', { kind: 'provider-fails', route: 'refund' });
  for (let count = 0; count < 12; count += 1) {
    const description = encodeURIComponent(longText('why', 900));
    await sandbox.call('POST', `/payments/${story}/refund?description=${description}`, undefined, {
      headers: { 'user-agent': '"'.repeat(200) },
    });
    await sandbox.settle();
  }
  const { body } = await sandbox.control<{ events: Array<{ id: number }> }>(
    'GET',
    `/payments/${story}/story`,
  );
  const webhook = body.events[0]!.id;
  for (let count = 0; count < 12; count += 1) await sandbox.control('POST', `/webhooks/${webhook}/resend`);
  for (const { id } of body.events.slice(0, 20)) await sandbox.control('POST', `/webhooks/${id}/resend`);
  for (let count = 0; count < 45; count += 1)
    await sandbox.control('POST', '/faults', {
      kind: 'latency',
      route: 'createProviderHostedPayment',
      delayMs: 86_399_999,
    });
  const q = encodeURIComponent(longText('r1', 60));
  const oddCustomer = encodeURIComponent(customerOf(1));
  pages = [
    '/console',
    '/console?state=Processing',
    `/console?q=${encodeURIComponent('r')}&by=reference`,
    `/console?q=${q}`,
    `/console?q=${oddCustomer}&by=customer`,
    `/console/payments/${story}`,
    `/console/payments/${ids[0]}`,
    '/console/customers',
    `/console/customers?q=c`,
    `/console/customers/one?app=${sandbox.app.appId}&id=${oddCustomer}`,
    '/console/apps',
    '/console/webhooks',
    '/console/webhooks?outcome=queued',
    `/console/webhooks/${webhook}`,
    '/console/clock',
    '/console/faults',
  ];
});
afterAll(async () => {
  await sandbox.close();
  await receiver.close();
});

describe('a page', () => {
  it(`is complete in one request under ${LIMIT / 1000} KB, whatever is in it`, async () => {
    const { get } = await visitConsole(sandbox);
    const sizes: Record<string, number> = {};
    for (const path of pages) {
      const { status, html } = await get(path);
      expect({ path, status }).toEqual({ path, status: 200 });
      expect(html).not.toMatch(/<(link|script|img|iframe)[^>]+(src|href)="(?!data:,")/);
      sizes[path.slice(0, 60)] = Buffer.byteLength(html);
      const next = /href="([^"]+)" rel="next"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
      if (next) sizes[`${path.slice(0, 60)} (next)`] = Buffer.byteLength((await get(next)).html);
    }
    expect(Object.entries(sizes).filter(([, size]) => size >= LIMIT)).toEqual([]);
    expect(Object.keys(sizes).length).toBeGreaterThan(pages.length);
  });

  it('after a button that was refused, too', async () => {
    const { send } = await visitConsole(sandbox);
    const { html } = await send('/console/faults', {
      kind: MARKUP,
      route: MARKUP,
      delay: MARKUP,
      back: MARKUP,
    });
    expect(textOf(html)).toContain('Nothing was changed.');
    expect(html).not.toContain('<img src=x');
    const hook = await send(`/console/apps/${sandbox.app.appId}`, {
      what: 'webhook',
      url: `http://127.0.0.1/${MARKUP}`,
    });
    expect(hook.html).not.toContain('<img src=x');
  });

  it('goes back to no page but its own', async () => {
    const { send } = await visitConsole(sandbox);
    for (const back of [
      '//evil.example',
      'https://evil.example/console',
      '/console/../x',
      '/console\\evil',
    ]) {
      const { path } = await send('/console/clock', { action: 'stop', back });
      expect(path).toMatch(/^\/console\/clock\?result=/);
    }
  });
});

describeWithBrowser('markup from the API', (browser) => {
  it('is shown and never runs, at first or live', async () => {
    const { page, requests, complaints } = await browser.visit();
    await page.goto(consoleLink(sandbox));
    for (const path of pages) {
      await page.goto(sandbox.url + path);
      expect(await page.evaluate('window.ran')).toBeUndefined();
      expect(await page.locator('main img, main script').count()).toBe(0);
    }
    await page.goto(`${sandbox.url}/console`);
    await page.waitForSelector('#live:text("Updating")');
    const { paymentId } = await sandbox.create({ referenceId: `live${MARKUP}` });
    await page.waitForSelector(`#p${paymentId}`);
    expect(await page.textContent(`tr:has(#p${paymentId})`)).toContain('live"\'><img');
    expect(await page.evaluate('window.ran')).toBeUndefined();
    expect(requests.filter((url) => !url.startsWith(sandbox.url) && !url.startsWith('data:'))).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
