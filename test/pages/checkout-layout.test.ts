import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWithBrowser } from '../helpers/browser.js';
import { startTestSandbox, type TestSandbox } from '../helpers/sandbox.js';

// What a customer sees without scrolling, where the focus is, and that no number is broken in two.

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());

const phone = { width: 390, height: 844 };
const desktop = { width: 1280, height: 800 };

const item = (name: string, amount: number, quantity = 1) => ({
  name,
  amount,
  quantity,
  category: 'PhysicalGoods',
});

const fourItems = [
  item('Adjustable reading lamp with a heavy base and a name that needs several lines on a phone', 1299),
  item('مصباح', 10.5, 2),
  item('photo_\u202Egnp.exe', 4.5, 3),
  item('Boots', 5),
];

const create = (fields: object = {}) =>
  sandbox.create({
    amount: 1338.5,
    customerOrder: { customer: { customerId: 'c1' }, amount: { items: fourItems } },
    ...fields,
  });

async function boxOf(locator: Locator) {
  const box = await locator.boundingBox();
  if (!box) throw new Error(`not on the page: ${String(locator)}`);
  return { ...box, right: box.x + box.width, bottom: box.y + box.height };
}

const focused = (page: Page) => page.evaluate('document.activeElement.textContent') as Promise<string>;

/** Texts with a digit that stand on more than one line although they are one number. */
const brokenNumbers = (page: Page) =>
  page.evaluate(`(() => {
    const broken = [];
    const walk = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      for (const { index, 0: text } of node.data.matchAll(/[^\\s\\u00a0]*\\d[\\d.,]*/g)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + text.length);
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(text);
      }
    }
    return broken;
  })()`);

/** Pay is on the first screen, and every method before the test outcomes. */
async function expectPayFirst(page: Page, height: number): Promise<void> {
  const pay = await boxOf(page.getByRole('button', { name: 'Pay €1,338.50' }));
  expect(pay.bottom).toBeLessThanOrEqual(height);
  const paypal = await boxOf(page.locator('summary', { hasText: 'PayPal' }));
  const tests = await boxOf(page.locator('#tests'));
  expect(paypal.bottom).toBeLessThan(height + 250);
  expect(tests.y).toBeGreaterThanOrEqual(paypal.bottom);
  expect(tests.height).toBeLessThan(80);
  expect(await page.locator('button[name=outcome]').first().isVisible()).toBe(false);
}

/** The keyboard goes from method to method without the test outcomes. */
async function expectMethodsByKeyboard(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Pay €1,338.50' }).focus();
  const reached: string[] = [];
  for (let count = 0; count < 4; count += 1) {
    await page.keyboard.press('Tab');
    reached.push(((await focused(page)).match(/Electronic check|Crypto|PayPal|Test outcomes/) ?? [''])[0]);
  }
  expect(reached).toEqual(['Electronic check', 'Crypto', 'PayPal', 'Test outcomes']);
}

describeWithBrowser('the checkout', (browser) => {
  describe.each([
    ['a phone', phone, true],
    ['a desktop', desktop, true],
    ['a phone without JavaScript', phone, false],
    ['a desktop without JavaScript', desktop, false],
  ])('on %s', (name, viewport, javaScriptEnabled) => {
    const visit = () => browser.visit({ viewport, javaScriptEnabled });

    it('shows what matters without scrolling, breaks no number and turns no text around', async () => {
      const { redirectUrl } = await create({ referenceId: `عربي-${name}` });
      const { page } = await visit();
      await page.goto(redirectUrl);
      await expectPayFirst(page, viewport.height);
      await expectMethodsByKeyboard(page);
      const isFolded = viewport === phone;
      expect(await page.getByText('Boots').isVisible()).toBe(!isFolded);
      if (isFolded) {
        const summary = page.locator('#your-order > summary');
        expect((await summary.innerText()).replace(/\s+/g, ' ')).toBe('Your order · €1,338.50');
        await summary.click();
        expect(await page.getByText('Boots').isVisible()).toBe(true);
      }
      expect(await brokenNumbers(page)).toEqual([]);
      const lamp = page.locator('.items > li', { hasText: 'مصباح' });
      const [word, times] = [
        await boxOf(lamp.locator('bdi').first()),
        await boxOf(lamp.locator('.num').first()),
      ];
      expect(times.x).toBeGreaterThanOrEqual(word.right - 1);
      expect(await page.locator('.items').innerText()).toContain('photo_\\u202Egnp.exe');
      expect(await page.content()).not.toContain('\u202E');
    });

    it('shows the result of a declined payment first, with the focus and the title', async () => {
      const { redirectUrl, paymentId } = await create();
      await sandbox.pay(paymentId, 'insufficient-funds');
      const { page } = await visit();
      await page.goto(redirectUrl);
      const alert = page.getByRole('alert');
      await alert.waitFor();
      expect(await page.title()).toBe('Payment declined: Pay €1,338.50 to Sandbox shop');
      expect(await focused(page)).toMatch(/^Your payment was declined: insufficient funds\./);
      expect(await alert.innerText()).toContain('You have not been charged.');
      expect(await page.evaluate('scrollY')).toBe(0);
      const [result, heading] = [await boxOf(alert), await boxOf(page.locator('h1'))];
      expect(result.bottom).toBeLessThanOrEqual(heading.y);
      expect(result.bottom).toBeLessThan(viewport.height / 2);
    });
  });

  it.each([
    [1_234_567.89, 'AED'],
    [999_999_999.99, 'AED'],
  ])('breaks no number of %d %s, however long the name beside it', async (amount, currency) => {
    const { redirectUrl } = await create({ amount, currency });
    const { page } = await browser.visit({ viewport: phone });
    await page.goto(redirectUrl);
    await page.locator('#your-order > summary').click();
    expect(await brokenNumbers(page)).toEqual([]);
    await page.setViewportSize(desktop);
    expect(await brokenNumbers(page)).toEqual([]);
  });

  it('searches the test outcomes by name, number and meaning', async () => {
    const { redirectUrl } = await create();
    const { page } = await browser.visit({ viewport: phone });
    await page.goto(redirectUrl);
    await page.locator('#tests > summary').click();
    const shown = () => page.locator('.outcomes > li:visible strong').allInnerTexts();
    expect(await shown()).toHaveLength(14);
    await page.getByLabel('Find an outcome').fill('slow');
    expect(await shown()).toEqual(['slow-approved', 'slow-declined']);
    await page.getByLabel('Find an outcome').fill('4242424242424242');
    expect(await shown()).toEqual(['approved']);
    await page.getByLabel('Find an outcome').fill('nothing like it');
    expect(await page.locator('#no-outcome').innerText()).toBe('No test outcome matches.');
    // Enter in the search field pays nothing.
    await page.getByLabel('Find an outcome').press('Enter');
    expect(page.url()).toBe(redirectUrl);
  });

  it('says that it is busy after Pay, and sends once', async () => {
    const { redirectUrl, paymentId } = await create();
    const { page } = await browser.visit();
    // While a form is on its way only the page itself can be asked; what it sees outlives it here.
    await page.addInitScript(`new MutationObserver(() => {
      const button = document.querySelector('button.busy');
      const said = document.getElementById('busy').textContent;
      if (!button || said === '' || sessionStorage.busy) return;
      sessionStorage.busy = [button.textContent, button.getAttribute('aria-disabled'), said].join('|');
      button.click();
      console.info('busy');
    }).observe(document, { subtree: true, childList: true, attributes: true })`);
    let posts = 0;
    const busy = page.waitForEvent('console', (message) => message.text() === 'busy');
    await page.route(redirectUrl, async (route) => {
      if (route.request().method() === 'POST') {
        posts += 1;
        await busy;
      }
      await route.continue();
    });
    await page.goto(redirectUrl);
    await page.getByLabel('Card number').fill('4242424242424242');
    await page.getByLabel('Expires').fill('04/31');
    await page.getByLabel('Security code').fill('123');
    await page.getByLabel('Name on card').fill('Ada Byron');
    await page.getByRole('button', { name: 'Pay €1,338.50' }).click();
    await page.waitForURL(/done$/);
    expect(await page.evaluate('sessionStorage.busy')).toBe(
      'Paying …|true|Sending your payment. Please wait.',
    );
    expect(posts).toBe(1);
    expect(await sandbox.books(paymentId)).toEqual({ authorize: '1/1', capture: '1/1' });
  });

  it('shows when the link expires, the amount once, and placeholders that can be read', async () => {
    const { body } = await sandbox.control<{ now: string }>('GET', '/clock');
    const year = new Date(body.now).getUTCFullYear() + 1;
    const { redirectUrl } = await create({
      amount: 1_234_567.89,
      currency: 'AED',
      expirationTime: `${year}-03-05T07:49:00Z`,
    });
    const { page } = await browser.visit();
    await page.goto(redirectUrl);
    const text = (await page.locator('main').innerText()).replaceAll('\u00a0', ' ');
    expect(text).toContain(`This link expires on 5 Mar ${year}, 07:49 UTC.`);
    expect(text).toMatch(/To pay\s+AED 1,234,567\.89\n/);
    expect(text).not.toMatch(/AED 1,234,567\.89\s+AED/);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await page.evaluate(placeholderContrast)).toBeGreaterThanOrEqual(4.5);
    }
  });
});

/** As WCAG counts it, of the placeholder of the card number with its opacity. */
const placeholderContrast = `(() => {
  const field = document.getElementById('cardNumber');
  const numbers = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const look = getComputedStyle(field, '::placeholder');
  const ground = numbers(getComputedStyle(field).backgroundColor);
  const ink = numbers(look.color).map((part, index) => part * look.opacity + ground[index] * (1 - look.opacity));
  const light = (colour) => {
    const [r, g, b] = colour.map((part) => part / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const [a, b] = [light(ink), light(ground)];
  return Math.max(a, b) / Math.min(a, b);
})()`;
