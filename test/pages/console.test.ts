import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stateNames } from '../../src/contract/states.js';
import { describeWithBrowser, expectAccessible, expectToFit, sizes } from '../helpers/browser.js';
import { startReceiver, startTestSandbox, type Receiver, type TestSandbox } from '../helpers/sandbox.js';
import { consoleLink, enterConsole, sectionOf, visitConsole } from './console-visitor.js';
import { fillIn, textOf } from './forms.js';

let sandbox: TestSandbox;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());
beforeEach(async () => {
  sandbox = await startTestSandbox({ seed: 7 });
  receiver.answer({ status: 200, body: '{"received":true}' });
  return () => sandbox.close();
});

const notice = (page: Page) => page.textContent('.notice');
const badge = (page: Page) => page.textContent('#facts .badge');
/** Presses a button and waits for the page that says what became of it. */
async function press(page: Page, name: string): Promise<string> {
  await Promise.all([
    page.waitForURL(/[?&]result=/),
    page.getByRole('button', { name, exact: true }).click(),
  ]);
  return (await notice(page)) ?? '';
}

const badgeOf = (html: string) => /class="badge tone-\w+">(\w+)</.exec(sectionOf(html, 'facts'))?.[1];
const rowsOf = (html: string) => html.match(/<tr data-key/g)?.length ?? 0;
const create = async (fields: object = {}) =>
  (await sandbox.create({ webhookUrl: receiver.url, ...fields })).paymentId;

describe('without a browser', () => {
  it('shows a payment in every state, the stuck ones marked', async () => {
    await sandbox.control('POST', '/clock', { action: 'stop' });
    await sandbox.control('POST', '/seed');
    const { get } = await visitConsole(sandbox);
    const { html: list } = await get('/console');
    const shown = Array.from(list.matchAll(/class="badge tone-\w+">(\w+)</g), ([, state]) => state!);
    expect([...new Set(shown)].toSorted()).toEqual(stateNames.toSorted());
    expect(list.split('needs a recheck')).toHaveLength(1 + 7);
    for (const state of stateNames) {
      const { html: found } = await get(`/console?state=${state}`);
      const { html } = await get(/href="(\/console\/payments\/\d+)"/.exec(found)![1]!);
      expect(badgeOf(html)).toBe(state);
      expect(/<g class="now [^>]*>[\s\S]*?<text[^>]*>(\w+)</.exec(html)?.[1]).toBe(state);
    }
  });

  it('does what its buttons say', async () => {
    const visitor = await visitConsole(sandbox);
    let html = '';
    const open = async (path: string) => ({ html } = await visitor.get(`/console/${path}`));
    const pressed = async (button: string, changes?: Record<string, string>) => {
      const shown = await visitor.press(html, button, changes);
      html = shown.html;
      expect(shown.path).toContain('result=');
      return textOf(/<div class="notice[\s\S]*?<\/p>/.exec(html)?.[0] ?? '');
    };

    await open(`payments/${await create()}`);
    expect(await pressed('Pay', { card: 'three-d-secure' })).toContain('Created → ActionRequired.');
    expect(badgeOf(html)).toBe('ActionRequired');
    expect(await pressed('Customer confirms')).toContain('ActionRequired → Captured.');
    expect(badgeOf(html)).toBe('Captured');
    expect(html).not.toContain('>Pay</button>');
    expect(textOf(sectionOf(html, 'actions'))).toContain('It is Captured: the customer cannot pay it now.');

    await open(`payments/${await create()}`);
    expect(await pressed('Pay', { card: 'three-d-secure' })).toContain('Created → ActionRequired.');
    expect(await pressed('Customer cancels')).toContain('ActionRequired → Declined.');

    await open(`payments/${await create()}`);
    expect(await pressed('Pay', { card: 'slow-approved' })).toContain('Created → Processing.');
    expect(await pressed('Decline')).toContain('Processing → Declined.');

    const slow = await create();
    await open(`payments/${slow}`);
    await pressed('Pay', { card: 'slow-approved' });
    expect(await pressed('Confirm')).toContain('Processing → Captured.');
    expect(await sandbox.books(slow)).toEqual({ authorize: '1/1', capture: '1/1' });
    await sandbox.settle();
    receiver.requests.splice(0);
    const resend = /Resend webhook \d+/.exec(html)![0];
    expect(await pressed(resend)).toContain('was sent again. Answer: 200');
    expect(receiver.states()).toEqual(['Captured']);

    await open(`payments/${await create()}`);
    expect(await pressed('Hold')).toContain('Created → Held.');

    const waiting = await create();
    await sandbox.pay(waiting, 'slow-approved');
    await open(`payments/${waiting}`);
    expect(await pressed('Advance', { by: '1m' })).toContain('The clock shows');
    expect(badgeOf(html)).toBe('Captured');

    const fault = { kind: 'provider-fails', route: 'refund' };
    expect(await pressed('Add fault', fault)).toMatch(/Fault 1 was added: provider-fails for refund/);
    expect(html).toContain(`<h1 id="payment-title">Payment ${waiting}`);
    await sandbox.call('POST', `/payments/${waiting}/refund`);
    await sandbox.settle();
    expect((await sandbox.read(waiting)).paymentState).toBe('Captured');
    await open(`payments/${waiting}`);
    expect(textOf(sectionOf(html, 'story'))).toContain('refund failed: the provider failed');

    await open('faults');
    expect(textOf(sectionOf(html, 'faults'))).toContain('used up');
    expect(await pressed('Clear 1')).toContain('1 fault was cleared.');
    expect(await pressed('Add fault', { kind: 'webhook-delay', route: 'refund' })).toContain(
      'Nothing was changed. Where must be one of',
    );
    expect(await pressed('Add fault', { delay: '3 weeks' })).toContain('Delay cannot be used');

    await open('clock');
    expect(await pressed('Stop')).toContain('is stopped');
    const set = (to: string) => pressed('Set', { to });
    expect(await set('2031-02-03T04:05:06Z')).toContain('The clock shows 2031-02-03 04:05:06 UTC');
    expect(await set('2030-01-01T00:00:00Z')).toContain('Time would turn the clock back');
    expect(await pressed('Advance', { by: 'soon' })).toContain('Nothing was changed. Time cannot be used');
    expect(await pressed('Resume')).toContain('is running');

    await open('apps');
    const address = 'http://127.0.0.1:9/other';
    expect(await pressed('Save address', { url: address })).toContain(
      `Sandbox shop : webhooks go to ${address}.`,
    );
    const [app] = (await sandbox.control<Array<{ webhookUrl: string }>>('GET', '/apps')).body;
    expect(app?.webhookUrl).toBe(address);
  });

  it('finds payments by filter and search, page after page', async () => {
    for (let index = 0; index < 35; index += 1) {
      await sandbox.create({ referenceId: `inv-${String(index).padStart(2, '0')}` });
    }
    const { paymentId } = await sandbox.create({
      referenceId: 'other-1',
      customerOrder: { customer: { customerId: 'c_special' } },
    });
    await sandbox.pay(paymentId, 'held');
    const visitor = await visitConsole(sandbox);
    let { html } = await visitor.get('/console');
    const follow = async (words: string) => {
      const [, path] = new RegExp(`<a [^>]*href="([^"]+)"[^>]*>${words}</a>`).exec(html)!;
      ({ html } = await visitor.get(path!.replaceAll('&amp;', '&')));
    };
    expect(rowsOf(html)).toBe(30);
    await follow('More payments');
    expect(rowsOf(html)).toBe(6);
    await follow('First page');
    expect(rowsOf(html)).toBe(30);
    const search = async (fields: Record<string, string>) => {
      ({ html } = await visitor.press(html, 'Search', fields));
      return textOf(sectionOf(html, 'payments'));
    };
    expect(await search({ q: String(paymentId) })).toContain('The payment with the id');
    expect(rowsOf(html)).toBe(1);
    expect(await search({ q: 'c_special' })).toContain('Payments of the customer c_special');
    expect(rowsOf(html)).toBe(1);
    expect(await search({ q: 'inv-1' })).toContain('Payments whose reference begins with inv-1');
    expect(rowsOf(html)).toBe(10);
    expect(await search({ q: 'inv-1', state: 'Held' })).toContain('No matching payments.');
    await follow('Clear');
    expect(await search({ state: 'Held' })).toContain('other-1');
    expect(rowsOf(html)).toBe(1);
  });

  it('tells the whole story: who, when, what was sent and what came back', async () => {
    receiver.next({ status: 200, body: 'taken' }, { status: 500, body: 'no handler' });
    const answer = await sandbox.call<{ paymentId: number }>(
      'POST',
      '/payments/hosted-page',
      {
        referenceId: 'story-1',
        amount: 10,
        currency: 'EUR',
        returnUrl: 'http://127.0.0.1:9/',
        autoCapture: true,
        showPayRecurringInCheckout: false,
        customerOrder: { customer: { customerId: 'c1' } },
        webhookUrl: receiver.url,
      },
      { headers: { 'user-agent': 'shop/2.1' } },
    );
    const { paymentId } = answer.body;
    await sandbox.settle();
    const { get } = await visitConsole(sandbox);
    const before = await get(`/console/payments/${paymentId}`);
    const [, checkout] = /<a href="([^"]+)"[^>]*>Open the checkout page/.exec(before.html)!;
    const profile = String(sandbox.app.profiles[0]!.paymentProfileId);
    expect((await fillIn(checkout!, { profile, outcome: 'approved' })).location).toMatch(/\/done$/);
    await receiver.waitFor(2);
    await sandbox.settle();
    const { html } = await get(`/console/payments/${paymentId}`);
    const story = sectionOf(html, 'story');
    for (const told of [
      'through the API (shop/2.1)',
      'paid by the customer',
      'by the customer, in a browser',
      'Provider was told to capture : done',
      'delivered: 200 after',
      'queued, failed once: 500 after',
      'taken',
      'no handler',
      '"paymentState":"Created"',
      `POST ${receiver.url}`,
    ]) {
      expect(textOf(story)).toContain(told);
    }
    expect(textOf(html)).toContain('Created → Authorised → Capturing → Captured');
    expect(html.match(/<path class="went"/g)).toHaveLength(3);
    const webhooks = Array.from(story.matchAll(/<a href="([^"]+)">Webhook \d+/g), ([, path]) => path!);
    const webhook = (await get(webhooks.at(-1)!)).html;
    expect(textOf(webhook)).toContain('content-type: application/json');
    expect(textOf(sectionOf(webhook, 'deliveries'))).toContain('taken');
  });
});

/** One of each kind of page, with few rows where it is a list. */
const kinds = (app: string, payments: { paid: number; declined: number; webhook: number }): string[] => [
  '/console?q=c_tones&by=customer',
  '/console?q=nothing+like+it',
  `/console/payments/${payments.paid}`,
  `/console/payments/${payments.declined}`,
  '/console/customers?q=c_tones',
  `/console/customers/one?app=${app}&id=c_tones`,
  '/console/apps',
  '/console/webhooks?outcome=delivered',
  `/console/webhooks/${payments.webhook}`,
  '/console/clock',
  '/console/faults',
  '/console/nothing',
];

/** Payments of one customer, in every tone that a state can have. */
async function makeTones() {
  const ofCustomer = { registerAutoPayment: true, customerOrder: { customer: { customerId: 'c_tones' } } };
  const paid = await create({ ...ofCustomer, referenceId: 'inv-1' });
  await sandbox.pay(paid);
  const declined = (await sandbox.create(ofCustomer)).paymentId;
  await sandbox.pay(declined, 'declined');
  const cancelled = (await sandbox.create(ofCustomer)).paymentId;
  await sandbox.call('POST', `/payments/${cancelled}/cancel`);
  await sandbox.settle();
  for (const card of ['slow-approved', 'unknown-charged'])
    await sandbox.pay((await sandbox.create(ofCustomer)).paymentId, card);
  const { body } = await sandbox.control<{ events: Array<{ id: number }> }>('GET', `/payments/${paid}/story`);
  return { paid, declined, webhook: body.events[0]!.id };
}

describeWithBrowser('the console', (browser) => {
  const enter = (path?: string, options?: BrowserContextOptions) =>
    enterConsole(browser, sandbox, path, options);

  it('is accessible on every page, and no wider than a phone or a desktop', async () => {
    await sandbox.control('POST', '/seed');
    const made = await makeTones();
    await sandbox.control('POST', '/faults', { kind: 'latency', probability: 0.2, delayMs: 1 });
    const { page, complaints } = await enter('', { viewport: sizes.phone });
    const expectBothToFit = async () => {
      await page.setViewportSize(sizes.desktop);
      await expectToFit(page);
      await page.setViewportSize(sizes.phone);
      await expectToFit(page);
    };
    // The long lists have the same rows as the short ones.
    for (const path of ['', '/customers', '/webhooks', '/webhooks?outcome=failed']) {
      await page.goto(`${sandbox.url}/console${path}`);
      await expectBothToFit();
    }
    for (const path of kinds(sandbox.app.appId, made)) {
      await page.goto(sandbox.url + path);
      for (const summary of await page.locator('summary').all()) await summary.click();
      await expectBothToFit();
      await expectAccessible(page);
    }
    expect(complaints.filter((text) => !text.includes('404'))).toEqual([]);
  });

  it('does what its buttons say on a phone: choices, fields, drawers', async () => {
    const { page, complaints } = await enter(`/payments/${await create()}`, { viewport: sizes.phone });
    await page.selectOption('#card', 'three-d-secure');
    expect(await press(page, 'Pay')).toContain('Created → ActionRequired.');
    expect(await badge(page)).toBe('ActionRequired');
    expect(await press(page, 'Customer confirms')).toContain('ActionRequired → Captured.');
    expect(await badge(page)).toBe('Captured');
    await page.fill('#by', '1m');
    expect(await press(page, 'Advance')).toContain('The clock shows');
    await page.click('summary:text("Add a fault")');
    await page.selectOption('#kind', 'provider-fails');
    await page.selectOption('#route', 'refund');
    expect(await press(page, 'Add fault')).toMatch(/Fault 1 was added: provider-fails for refund/);

    await page.goto(`${sandbox.url}/console/apps`);
    await page.locator('summary').first().click();
    await page.locator('input[name=url]').first().fill('http://127.0.0.1:9/other');
    await Promise.all([
      page.waitForURL(/[?&]result=/),
      page.getByRole('button', { name: 'Save address' }).first().click(),
    ]);
    expect(await notice(page)).toContain('Sandbox shop: webhooks go to http://127.0.0.1:9/other.');
    expect(complaints).toEqual([]);
  });

  describe('live', () => {
    it('brings new and changed payments into an open list, and keeps the focus', async () => {
      const first = await sandbox.create({ referenceId: 'live-1' });
      const { page, complaints } = await enter();
      await page.waitForSelector('#live:text("Updating")');
      const link = page.locator(`#p${first.paymentId}`);
      await link.focus();
      await page.evaluate('window.stayed = true');
      const second = await sandbox.create({ referenceId: 'live-2' });
      await page.waitForSelector(`#p${second.paymentId}`);
      await sandbox.pay(first.paymentId);
      await page.waitForSelector(`tr:has(#p${first.paymentId}) .badge:text("Captured")`);
      expect(await page.evaluate('document.activeElement.id')).toBe(`p${first.paymentId}`);
      expect(await page.locator(`tr.fresh:has(#p${first.paymentId})`).count()).toBe(1);
      expect(await page.evaluate('window.stayed')).toBe(true);
      expect(complaints).toEqual([]);
    });

    it('follows one payment: its state, its story, its buttons; what is chosen stays chosen', async () => {
      const { paymentId } = await sandbox.create({ webhookUrl: receiver.url });
      const { page } = await enter(`/payments/${paymentId}`);
      await page.waitForSelector('#live:text("Updating")');
      await page.selectOption('#card', 'held');
      await page.fill('#by', '2h');
      await sandbox.pay(paymentId, 'declined');
      await page.waitForSelector('#facts .badge:text("Declined")');
      await page.waitForSelector('#story .badge:text("Declined")');
      expect(await page.inputValue('#card')).toBe('held');
      expect(await page.textContent('[data-form=pay]')).toContain('--card held');
      expect(await page.inputValue('#by')).toBe('2h');
      expect(await page.title()).toContain('Declined');
      expect(await page.textContent('#said')).toContain('Declined');
      await sandbox.pay(paymentId, 'slow-approved');
      await page.waitForSelector('button:text("Confirm")');
      expect(await page.locator('#pay').count()).toBe(0);
    });

    it('gives its connection back while nobody looks, and has missed nothing afterwards', async () => {
      const { page } = await enter();
      await page.waitForSelector('#live:text("Updating")');
      await page.goto(`${sandbox.url}/console/clock`);
      const { paymentId } = await sandbox.create();
      await page.goBack();
      await page.waitForSelector(`#p${paymentId}`);
    });

    it('says so when the sandbox is gone', async () => {
      const own = await startTestSandbox();
      const { page } = await browser.visit();
      await page.goto(consoleLink(own));
      await page.waitForSelector('#live:text("Updating")');
      await own.close();
      await page.waitForSelector('#live:text("Reconnecting")');
    });
  });

  it('copies the command as it stands, and has it follow what is chosen', async () => {
    const { paymentId } = await sandbox.create();
    const { page, context } = await enter(`/payments/${paymentId}`);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.selectOption('#card', 'insufficient-funds');
    await page.locator('.command:has([data-form=pay]) button').click();
    await page.waitForSelector('#said:text("Copied.")', { state: 'attached' });
    const port = new URL(sandbox.url).port;
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      `paydesk sandbox pay ${paymentId} --card insufficient-funds --port ${port}`,
    );
  });

  it('works with the keyboard alone', async () => {
    const { paymentId } = await sandbox.create();
    const { page } = await enter(`/payments/${paymentId}`);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent.trim()')).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    const reached: string[] = [];
    for (let count = 0; count < 40; count += 1) {
      await page.keyboard.press('Tab');
      const name = (await page.evaluate(
        'document.activeElement.id || document.activeElement.textContent',
      )) as string;
      reached.push(name.trim());
      if (name.trim() === 'Pay') break;
    }
    expect(reached).toContain('card');
    expect(reached.at(-1)).toBe('Pay');
    await Promise.all([page.waitForURL(/result=/), page.keyboard.press('Enter')]);
    expect(await badge(page)).toBe('Captured');
  });
});
