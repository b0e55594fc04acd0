import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWithBrowser, expectAccessible, expectToFit, sizes } from '../helpers/browser.js';
import { newReference, startTestSandbox, type ShownPayment, type TestSandbox } from '../helpers/sandbox.js';
import { isTold } from './looks.js';
import { fillIn, formToken, pageOf, sendForm, textOf } from './forms.js';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());

interface Method {
  paymentMethodId: number;
  customerAutomaticProfileId: number;
  isActive: boolean;
}

const methodsOf = async (customerId: string) =>
  (await sandbox.call<Method[]>('GET', `/customers/${customerId}/payment-methods`)).body;

const panelOf = async (customerId: string) =>
  (await sandbox.call<{ url: string }>('GET', `/customers/${customerId}/panel-link`)).body.url;

async function store(
  customerId: string,
  card = 'approved',
  more: Record<string, string> = {},
): Promise<ShownPayment> {
  const payment = await sandbox.create({
    registerAutoPayment: true,
    amount: 19.9,
    customerOrder: {
      customer: { customerId, firstName: 'Ada', lastName: 'Byron' },
      orderId: 'A-1',
      description: 'Tea subscription',
    },
  });
  await sandbox.pay(payment.paymentId, card, more);
  return payment;
}

const charge = (customerId: string, description: string) =>
  sandbox.call<ShownPayment>('POST', '/payments/auto-payment', {
    referenceId: newReference(),
    amount: 7.25,
    autoCapture: true,
    customerOrder: { customer: { customerId }, description },
  });

describeWithBrowser('the customer panel', (browser) => {
  it('shows every stored method and what it was last used for', async () => {
    const customerId = newReference();
    await store(customerId, 'expires-later');
    await store(customerId, 'approved', { method: 'Paypal' });
    await charge(customerId, 'Invoice of November');
    const { page, requests, complaints } = await browser.visit({ viewport: sizes.phone });
    const url = await panelOf(customerId);
    const answer = await page.goto(url);
    const methods = await page.getByRole('listitem').allInnerTexts();
    expect(methods).toHaveLength(2);
    expect(methods[0]).toMatch(/^PayPal[\s\S]*€7\.25[\s\S]*Invoice of November \(paid\)/);
    expect(methods[1]).toMatch(
      /^Mastercard debit card[\s\S]*Northbank[\s\S]*€19\.90[\s\S]*Tea subscription \(paid\)/,
    );
    expect(await page.locator('main').innerText()).toContain(`Ada Byron, customer ${customerId}`);
    await expectAccessible(page);
    await page.setViewportSize(sizes.desktop);
    await expectToFit(page);
    expect(requests).toEqual([url]);
    expect(complaints).toEqual([]);
    expect((await answer?.body())?.byteLength).toBeLessThan(50_000);
  });

  it.each([
    ['a desktop', sizes.desktop, true],
    ['a phone without JavaScript', sizes.phone, false],
  ])('stops automatic payments, then removes the method, on %s', async (_, viewport, javaScriptEnabled) => {
    const customerId = newReference();
    await store(customerId);
    const { page } = await browser.visit({ viewport, javaScriptEnabled });
    await page.goto(await panelOf(customerId));
    await page.getByText('Stop automatic payments').click();
    await page.getByRole('button', { name: 'Yes, stop them' }).click();
    await isTold(page, 'status', 'Automatic payments with Visa credit card, registration 7');
    expect(await methodsOf(customerId)).toMatchObject([{ isActive: false }]);
    expect(await page.getByText('Stop automatic payments').count()).toBe(0);
    await expectToFit(page);
    await page.getByText('Remove', { exact: false }).first().click();
    await page.getByRole('button', { name: 'Yes, remove it' }).click();
    await isTold(page, 'status', 'was removed. It will not be charged again.');
    expect(await page.locator('main').innerText()).toContain('no saved payment method for you');
    if (javaScriptEnabled) await expectAccessible(page);
    expect(await methodsOf(customerId)).toEqual([]);
    expect((await charge(customerId, 'again')).status).toBe(422);
  });

  it('tells methods of the same kind apart, by what they came from and which registration they are', async () => {
    const customerId = newReference();
    const [first, second] = [
      await sandbox.create({
        registerAutoPayment: true,
        customerOrder: { customer: { customerId }, orderId: 'A-1' },
      }),
      await sandbox.create({
        registerAutoPayment: true,
        customerOrder: { customer: { customerId }, orderId: 'B-2' },
      }),
    ];
    await sandbox.pay(first.paymentId);
    await sandbox.pay(second.paymentId);
    const [older, newer] = await methodsOf(customerId);
    const { page } = await browser.visit({ viewport: { width: 390, height: 844 } });
    await page.goto(await panelOf(customerId));
    // Only the facts that everybody sees: the names for screen readers have the registration too.
    const shown = await page
      .getByRole('listitem')
      .evaluateAll((items) =>
        items.map((item) =>
          [item.querySelector('h2'), ...item.querySelectorAll('dd')]
            .map((each) => each?.textContent)
            .join(' '),
        ),
      );
    expect(shown[0]).toMatch(/Visa credit card[\s\S]*with order B-2/);
    expect(shown[0]).toContain(String(newer?.customerAutomaticProfileId));
    expect(shown[1]).toMatch(/Visa credit card[\s\S]*with order A-1/);
    expect(shown[1]).toContain(String(older?.customerAutomaticProfileId));
    const names = await page.locator('summary', { hasText: 'Remove' }).allTextContents();
    expect(new Set(names).size).toBe(2);
  });

  it.each([true, false])(
    'asks for one confirmation at a time, and lets the method stay (JavaScript: %s)',
    async (javaScriptEnabled) => {
      const customerId = newReference();
      for (let count = 0; count < 2; count += 1) await store(customerId);
      const { page } = await browser.visit({ javaScriptEnabled });
      const url = await panelOf(customerId);
      await page.goto(url);
      const summaries = page.locator('.sure > summary');
      for (let index = 0; index < (await summaries.count()); index += 1) {
        await summaries.nth(index).click();
        expect(await page.locator('.sure[open]').count()).toBe(1);
      }
      await page.getByRole('link', { name: 'No, keep it' }).click();
      await page.waitForURL(url);
      expect(await page.locator('.sure[open]').count()).toBe(0);
      expect(await methodsOf(customerId)).toMatchObject([{ isActive: true }, { isActive: true }]);
    },
  );
});

describe('a link of the panel', () => {
  it('leads back to the shop', async () => {
    const customerId = newReference();
    await sandbox.create({
      returnUrl: 'http://shop.example:8080/thanks?cart=7',
      customerOrder: { customer: { customerId } },
    });
    const { text } = await pageOf(await panelOf(customerId));
    const [, address, words] = /<a [^>]*href="(http:\/\/shop[^"]*)"[^>]*>([\s\S]*?)<\/a>/.exec(text) ?? [];
    expect([address, textOf(words ?? '').trim()]).toEqual([
      'http://shop.example:8080/',
      'Back to Sandbox shop',
    ]);
  });

  it('shows the newest first, and leads to older ones', async () => {
    const customerId = newReference();
    for (let count = 0; count < 12; count += 1) await store(customerId);
    const url = await panelOf(customerId);
    const first = (await pageOf(url)).text;
    const methods = (html: string) => html.match(/<li\b/g)?.length;
    expect(methods(first)).toBe(10);
    const [, older] = /<a [^>]*href="([^"]*)"[^>]*>Older methods/.exec(first) ?? [];
    expect(methods((await pageOf(new URL(older!.replaceAll('&amp;', '&'), url).href)).text)).toBe(2);
  });

  it('shows nothing of anyone when it is altered, expired or of nobody', async () => {
    const own = await startTestSandbox();
    try {
      const payment = await own.create({
        registerAutoPayment: true,
        customerOrder: { customer: { customerId: 'buyer-7', firstName: 'Ada' } },
      });
      await own.pay(payment.paymentId);
      const { url } = (await own.call<{ url: string }>('GET', '/customers/buyer-7/panel-link')).body;
      expect((await pageOf(url)).text).toContain('buyer-7');
      const nobody = await pageOf(`${own.url}/panel/anything-else`);
      expect(nobody.text).toContain('<h1>This link does not work</h1>');
      expect(nobody.text).not.toMatch(/buyer-7|Ada|Visa|Sandbox shop/);
      expect({ altered: await pageOf(`${url}x`) }).toEqual({ altered: { ...nobody, status: 404 } });
      await own.advance(3_600_000);
      expect({ expired: await pageOf(url) }).toEqual({ expired: { ...nobody, status: 404 } });
    } finally {
      await own.close();
    }
  });
});

describe('a form of the panel', () => {
  it('acts only on the methods of its own customer', async () => {
    const [mine, other] = [newReference(), newReference()];
    await store(mine);
    await store(other);
    const [theirs] = await methodsOf(other);
    const url = await panelOf(mine);
    const attempts: Array<Record<string, string>> = [
      { remove: String(theirs?.paymentMethodId) },
      { stop: String(theirs?.customerAutomaticProfileId) },
    ];
    for (const fields of attempts) expect((await fillIn(url, fields)).location).toMatch(/done=nothing$/);
    for (const id of ['', 'x', '-1', '1e9', '99999999999999999999']) await fillIn(url, { remove: id });
    expect(await methodsOf(other)).toMatchObject([{ isActive: true }]);
    expect(await methodsOf(mine)).toMatchObject([{ isActive: true }]);
  });

  it('says so when it was done before in another tab', async () => {
    const customerId = newReference();
    await store(customerId);
    const [method] = await methodsOf(customerId);
    const url = await panelOf(customerId);
    const fields = {
      formToken: formToken((await pageOf(url)).text),
      remove: String(method?.paymentMethodId),
    };
    expect((await sendForm(url, fields)).location).toMatch(/done=removed$/);
    const again = await sendForm(url, fields);
    expect(again.location).toMatch(/done=nothing$/);
    expect((await pageOf(sandbox.url + again.location)).text).toMatch(
      /Nothing was changed: Visa credit card, registration \d+ was already removed or stopped/,
    );
  });

  it.each(['removed', 'stopped', 'nothing'])('lets no made-up address say %s', async (done) => {
    const customerId = newReference();
    await store(customerId);
    const [method] = await methodsOf(customerId);
    const url = await panelOf(customerId);
    const stopped = await fillIn(url, { stop: String(method?.customerAutomaticProfileId) });
    const proof = new URL(stopped.location ?? '', url).searchParams.get('proof');
    for (const query of [
      `done=${done}`,
      `done=${done}&method=${method?.paymentMethodId}`,
      `done=${done}&method=${method?.paymentMethodId}1&proof=${proof}`,
    ])
      expect((await pageOf(`${url}?${query}`)).text).not.toContain('role="status"');
    expect((await pageOf(sandbox.url + stopped.location)).text).toContain('were stopped');
  });

  it('does nothing once the link has expired', async () => {
    const own = await startTestSandbox();
    try {
      const payment = await own.create({ registerAutoPayment: true });
      await own.pay(payment.paymentId);
      const { body } = await own.call<{ url: string }>('GET', '/customers/c1/panel-link');
      const token = formToken((await pageOf(body.url)).text);
      await own.advance(3_600_000);
      const methods = () => own.call<Method[]>('GET', '/customers/c1/payment-methods');
      const [method] = (await methods()).body;
      const sent = await sendForm(body.url, { formToken: token, remove: String(method?.paymentMethodId) });
      expect(sent.status).toBe(404);
      expect((await methods()).body).toHaveLength(1);
    } finally {
      await own.close();
    }
  });
});
