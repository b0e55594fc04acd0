import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stateNames } from '../../src/contract/states.js';
import { describeWithBrowser, expectAccessible, expectToFit, sizes, type Visit } from '../helpers/browser.js';
import { startReceiver, startTestSandbox, type Receiver, type TestSandbox } from '../helpers/sandbox.js';
import { consoleLink } from './console-visitor.js';
import { payAs } from './looks.js';

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
const openPayment = (page: Page, id: number) => page.goto(`${sandbox.url}/console/payments/${id}`);
/** Presses a button and waits for the page that says what became of it. */
async function press(page: Page, name: string): Promise<string> {
  await Promise.all([
    page.waitForURL(/[?&]result=/),
    page.getByRole('button', { name, exact: true }).click(),
  ]);
  return (await notice(page)) ?? '';
}

const everywhere = (app: string, paymentId: number, webhookId: number): string[] => [
  '/console',
  '/console?q=inv-&state=Held',
  '/console?q=nothing+like+it',
  `/console/payments/${paymentId}`,
  '/console/customers',
  `/console/customers/one?app=${app}&id=c_ben`,
  '/console/apps',
  '/console/webhooks',
  '/console/webhooks?outcome=failed',
  `/console/webhooks/${webhookId}`,
  '/console/clock',
  '/console/faults',
  '/console/nothing',
];

describeWithBrowser('the console', (browser) => {
  async function enter(options: Parameters<typeof browser.visit>[0] = {}): Promise<Visit> {
    const visit = await browser.visit(options);
    await visit.page.goto(consoleLink(sandbox));
    return visit;
  }

  describe('on every page', () => {
    it('is accessible, and no wider than a phone or a desktop', async () => {
      await sandbox.control('POST', '/seed');
      const { paymentId } = await sandbox.create({ webhookUrl: receiver.url, referenceId: 'inv-1' });
      await sandbox.pay(paymentId);
      await sandbox.settle();
      await sandbox.control('POST', '/faults', { kind: 'latency', probability: 0.2, delayMs: 1 });
      const { body } = await sandbox.control<{ events: Array<{ id: number }> }>(
        'GET',
        `/payments/${paymentId}/story`,
      );
      const { page, complaints } = await enter({ viewport: sizes.phone });
      for (const path of everywhere(sandbox.app.appId, paymentId, body.events[0]!.id)) {
        await page.goto(sandbox.url + path);
        for (const summary of await page.locator('summary').all()) await summary.click();
        await expectAccessible(page);
        await page.setViewportSize(sizes.desktop);
        await expectToFit(page);
        await page.setViewportSize(sizes.phone);
      }
      // One of each tone.
      for (const state of ['Created', 'Declined', 'Cancelled']) {
        await page.goto(`${sandbox.url}/console?state=${state}`);
        await page.click('tbody a');
        await expectAccessible(page);
      }
      expect(complaints.filter((text) => !text.includes('404'))).toEqual([]);
    });

    it('shows a payment in every state, the stuck ones marked', async () => {
      await sandbox.control('POST', '/clock', { action: 'stop' });
      await sandbox.control('POST', '/seed');
      const { page } = await enter();
      const shown = await page.locator('tbody .badge').allTextContents();
      expect([...new Set(shown)].toSorted()).toEqual(stateNames.toSorted());
      expect(await page.getByText('needs a recheck').count()).toBe(7);
      for (const state of stateNames) {
        await page.goto(`${sandbox.url}/console?state=${state}`);
        await page.goto(new URL((await page.getAttribute('tbody a', 'href'))!, sandbox.url).href);
        expect(await badge(page)).toBe(state);
        expect(await page.textContent('.diagram .now text')).toBe(state);
      }
    });

    it.each([
      ['on a phone', { viewport: sizes.phone }],
      ['on a desktop without JavaScript', { viewport: sizes.desktop, javaScriptEnabled: false }],
    ])('does what its buttons say, %s', async (_name, options) => {
      const { page, complaints } = await enter(options);
      const create = async (fields: object = {}) =>
        (await sandbox.create({ webhookUrl: receiver.url, ...fields })).paymentId;

      await openPayment(page, await create());
      await page.selectOption('#card', 'three-d-secure');
      expect(await press(page, 'Pay')).toContain('Created → ActionRequired.');
      expect(await badge(page)).toBe('ActionRequired');
      expect(await press(page, 'Customer confirms')).toContain('ActionRequired → Captured.');
      expect(await badge(page)).toBe('Captured');
      expect(await page.getByRole('button', { name: 'Pay', exact: true }).count()).toBe(0);
      expect(await page.textContent('#actions')).toContain('It is Captured: the customer cannot pay it now.');

      await sandbox.settle();
      receiver.requests.splice(0);
      const resend = await page.getByRole('button', { name: /^Resend webhook/ }).textContent();
      expect(await press(page, resend!)).toContain('was sent again. Answer: 200');
      expect(receiver.states()).toEqual(['Captured']);

      await openPayment(page, await create());
      await page.selectOption('#card', 'slow-approved');
      expect(await press(page, 'Pay')).toContain('Created → Processing.');
      expect(await press(page, 'Decline')).toContain('Processing → Failed.');

      const slow = await create();
      await openPayment(page, slow);
      await page.selectOption('#card', 'slow-approved');
      await press(page, 'Pay');
      expect(await press(page, 'Confirm')).toContain('Processing → Captured.');
      expect(await sandbox.books(slow)).toEqual({ authorize: '1/1', capture: '1/1' });

      await openPayment(page, await create());
      expect(await press(page, 'Hold')).toContain('Created → Held.');

      const waiting = await create();
      await sandbox.pay(waiting, 'slow-approved');
      await openPayment(page, waiting);
      await page.fill('#by', '1m');
      expect(await press(page, 'Advance')).toContain('The clock shows');
      expect(await badge(page)).toBe('Captured');

      await page.click('summary:text("Add a fault")');
      await page.selectOption('#kind', 'provider-fails');
      await page.selectOption('#route', 'refund');
      expect(await press(page, 'Add fault')).toMatch(/Fault 1 was added: provider-fails for refund/);
      expect(page.url()).toContain(`/payments/${waiting}`);
      await sandbox.call('POST', `/payments/${waiting}/refund`);
      await sandbox.settle();
      expect((await sandbox.read(waiting)).paymentState).toBe('Captured');
      await openPayment(page, waiting);
      expect(await page.textContent('#story')).toContain('refund failed: the provider failed');

      await page.goto(`${sandbox.url}/console/faults`);
      expect(await page.textContent('#faults')).toContain('used up');
      expect(await press(page, 'Clear 1')).toContain('1 fault was cleared.');
      await page.selectOption('#kind', 'webhook-delay');
      await page.selectOption('#route', 'refund');
      expect(await press(page, 'Add fault')).toContain('Nothing was changed. Where must be one of');
      await page.fill('#delay', '3 weeks');
      expect(await press(page, 'Add fault')).toContain('Delay cannot be used');

      await page.goto(`${sandbox.url}/console/clock`);
      expect(await press(page, 'Stop')).toContain('is stopped');
      await page.fill('#to', '2031-02-03T04:05:06Z');
      expect(await press(page, 'Set')).toContain('The clock shows 2031-02-03 04:05:06 UTC');
      await page.fill('#to', '2030-01-01T00:00:00Z');
      expect(await press(page, 'Set')).toContain('Time would turn the clock back');
      await page.fill('#by', 'soon');
      expect(await press(page, 'Advance')).toContain('Nothing was changed. Time cannot be used');
      expect(await press(page, 'Resume')).toContain('is running');

      await page.goto(`${sandbox.url}/console/apps`);
      await page.locator('summary').first().click();
      await page.locator('input[name=url]').first().fill('http://127.0.0.1:9/other');
      await Promise.all([
        page.waitForURL(/[?&]result=/),
        page.getByRole('button', { name: 'Save address' }).first().click(),
      ]);
      expect(await notice(page)).toContain('Sandbox shop: webhooks go to http://127.0.0.1:9/other.');
      const [app] = (await sandbox.control<Array<{ webhookUrl: string }>>('GET', '/apps')).body;
      expect(app?.webhookUrl).toBe('http://127.0.0.1:9/other');
      expect(complaints).toEqual([]);
    });
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
    const { page } = await enter({ javaScriptEnabled: false });
    const rows = () => page.locator('tbody tr').count();
    expect(await rows()).toBe(30);
    await page.click('a:text("More payments")');
    expect(await rows()).toBe(6);
    await page.click('a:text("First page")');
    expect(await rows()).toBe(30);
    const search = async (text: string) => {
      await page.fill('#q', text);
      await page.press('#q', 'Enter');
      await page.waitForLoadState();
      return page.textContent('#payments');
    };
    expect(await search(String(paymentId))).toContain('The payment with the id');
    expect(await rows()).toBe(1);
    expect(await search('c_special')).toContain('Payments of the customer c_special');
    expect(await rows()).toBe(1);
    expect(await search('inv-1')).toContain('Payments whose reference begins with inv-1');
    expect(await rows()).toBe(10);
    await page.selectOption('#state', 'Held');
    expect(await search('inv-1')).toContain('No matching payments.');
    await page.click('a:text("Clear")');
    await page.selectOption('#state', 'Held');
    await page.click('button:text("Search")');
    expect(await page.textContent('tbody')).toContain('other-1');
    expect(await rows()).toBe(1);
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
    const { page } = await enter({ javaScriptEnabled: false });
    await openPayment(page, paymentId);
    await page.goto((await page.getAttribute('a:text("Open the checkout page")', 'href'))!);
    await Promise.all([page.waitForURL(/\/done$/), payAs(page, 'approved')]);
    await receiver.waitFor(2);
    await sandbox.settle();
    await openPayment(page, paymentId);
    const story = await page.textContent('#story');
    for (const told of [
      'through the API (shop/2.1)',
      'paid by the customer',
      'by the customer, in a browser',
      'Provider was told to capture: done',
      'delivered: 200 after',
      'queued, failed once: 500 after',
      'taken',
      'no handler',
      '"paymentState":"Created"',
      `POST ${receiver.url}`,
    ]) {
      expect(story).toContain(told);
    }
    expect(await page.textContent('#diagram-path')).toContain('Created → Authorised → Capturing → Captured');
    expect(await page.locator('.diagram .went').count()).toBe(3);
    await page.locator('#story a:text("Webhook")').last().click();
    expect(await page.textContent('main')).toContain('content-type: application/json');
    expect(await page.textContent('#deliveries')).toContain('taken');
  });

  describe('live', () => {
    it('brings new and changed payments into an open list, and keeps the focus', async () => {
      const first = await sandbox.create({ referenceId: 'live-1' });
      const { page, complaints } = await enter();
      await page.waitForSelector('#live:text("Live")');
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
      await expectAccessible(page);
      expect(complaints).toEqual([]);
    });

    it('follows one payment: its state, its story, its buttons; what is chosen stays chosen', async () => {
      const { paymentId } = await sandbox.create({ webhookUrl: receiver.url });
      const { page } = await enter();
      await openPayment(page, paymentId);
      await page.waitForSelector('#live:text("Live")');
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
      await page.waitForSelector('#live:text("Live")');
      await page.goto(`${sandbox.url}/console/clock`);
      const { paymentId } = await sandbox.create();
      await page.goBack();
      await page.waitForSelector(`#p${paymentId}`);
    });

    it('says so when the sandbox is gone', async () => {
      const own = await startTestSandbox();
      const { page } = await browser.visit();
      await page.goto(consoleLink(own));
      await page.waitForSelector('#live:text("Live")');
      await own.close();
      await page.waitForSelector('#live:text("Reconnecting")');
    });
  });

  it('copies the command as it stands, and has it follow what is chosen', async () => {
    const { paymentId } = await sandbox.create();
    const { page, context } = await enter();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await openPayment(page, paymentId);
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
    const { page } = await enter();
    await openPayment(page, paymentId);
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
