import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWithBrowser, expectAccessible, expectToFit, sizes } from '../helpers/browser.js';
import { startTestSandbox, type ShownPayment, type TestSandbox } from '../helpers/sandbox.js';
import { pageOf, textOf } from './forms.js';
import { isTold, payAs, seesHeading } from './looks.js';
import { closeShop, startShop, type Shop } from './shop.js';

let sandbox: TestSandbox;
let shop: Shop;
beforeAll(async () => {
  [sandbox, shop] = [await startTestSandbox(), await startShop()];
});
afterAll(async () => {
  await Promise.all([sandbox.close(), shop.close()]);
});

const create = (fields: object = {}) => sandbox.create({ returnUrl: `${shop.url}/thanks?cart=7`, ...fields });

const backAt = ({ referenceId }: ShownPayment) => `${shop.url}/thanks?cart=7&referenceId=${referenceId}`;

const heading = (page: Page) => page.locator('h1').innerText();

async function typeCard(page: Page, number: string): Promise<void> {
  await page.getByLabel('Card number').fill(number);
  await page.getByLabel('Expires').fill('04/31');
  await page.getByLabel('Security code').fill('123');
  await page.getByLabel('Name on card').fill('Ada Byron');
}

/** Chooses a way of paying as a customer does. */
async function choose(page: Page, method: string): Promise<void> {
  await page.locator('summary', { hasText: method }).click();
}

describeWithBrowser('the hosted checkout', (browser) => {
  it('a card is typed, paid, and the browser comes back with the reference; going back does not pay again', async () => {
    const payment = await create();
    const { page, complaints } = await browser.visit();
    await page.goto(payment.redirectUrl);
    await typeCard(page, '4242 4242 4242 4242');
    await page.getByRole('button', { name: 'Pay €10.50' }).click();
    await page.waitForURL(backAt(payment));
    expect(complaints).toEqual([]);
    expect((await sandbox.read(payment.paymentId)).paymentState).toBe('Captured');
    await page.goBack();
    await seesHeading(page, 'This payment is already paid');
    expect(await sandbox.books(payment.paymentId)).toEqual({ authorize: '1/1', capture: '1/1' });
  });

  it('wrong values are named beside their fields, and what was right is kept', async () => {
    const payment = await create({ showPayRecurringInCheckout: true });
    const { page } = await browser.visit();
    await page.goto(payment.redirectUrl);
    await typeCard(page, '4111 1111 1111 1111');
    await page.getByLabel('Expires').fill('01/20');
    await page.getByRole('checkbox', { name: 'Save this method' }).check();
    await page.getByRole('button', { name: 'Pay €10.50' }).click();
    await seesMistakes(page);
    expect(await page.getByRole('checkbox', { name: 'Save this method' }).isChecked()).toBe(true);
    await typeCard(page, '5555 5555 5555 4444');
    await page.getByRole('button', { name: 'Pay €10.50' }).click();
    await page.waitForURL(backAt(payment));
    expect(await sandbox.read(payment.paymentId)).toMatchObject({ autoPayment: 'Registered' });
  });

  it('a declined card may be followed by another method', async () => {
    const payment = await create();
    const { page } = await browser.visit();
    await page.goto(payment.redirectUrl);
    await payAs(page, 'insufficient-funds');
    await isTold(page, 'alert', 'declined: insufficient funds');
    await choose(page, 'Electronic check');
    await page.getByLabel('Account holder').fill('Ada Byron');
    await page.getByLabel('Routing number').fill('110000000');
    await page.getByLabel('Account number').fill('4242424242');
    await page.locator('details[open] button.primary').click();
    await page.waitForURL(backAt(payment));
    expect(await sandbox.books(payment.paymentId)).toEqual({ authorize: '2/1', capture: '1/1' });
  });

  it('PayPal is confirmed on the page of the provider', async () => {
    const payment = await create();
    const { page } = await browser.visit();
    await page.goto(payment.redirectUrl);
    await confirmAt(page, 'PayPal', 'Paypal', 'Agree and pay');
    await page.waitForURL(backAt(payment));
    expect((await sandbox.read(payment.paymentId)).paymentState).toBe('Captured');
  });

  it('a bank that asks for a confirmation may be refused first, a slow provider may decline, and another confirms', async () => {
    const payment = await create();
    const { page } = await browser.visit();
    await page.goto(payment.redirectUrl);
    await refuseAndWait(page);
    await payAs(page, 'three-d-secure');
    await page.getByRole('button', { name: 'Confirm the payment' }).click();
    await page.waitForURL(backAt(payment));
    expect(await sandbox.books(payment.paymentId)).toEqual({ authorize: '2/1', capture: '1/1' });
  });

  it('on a phone without JavaScript all of it works too: mistakes, declines, a refusal, a wait, a provider', async () => {
    const payment = await create();
    const { page, complaints } = await browser.visit({ viewport: sizes.phone, javaScriptEnabled: false });
    await page.goto(payment.redirectUrl);
    await typeCard(page, '4111 1111 1111 1111');
    await page.getByLabel('Expires').fill('01/20');
    await page.getByRole('button', { name: 'Pay €10.50' }).click();
    await seesMistakes(page);
    await payAs(page, 'insufficient-funds');
    await isTold(page, 'alert', 'declined: insufficient funds');
    await refuseAndWait(page);
    await confirmAt(page, 'Crypto', 'Coinbridge', 'I have sent it');
    await page.waitForURL(backAt(payment));
    expect(complaints.filter((text) => !text.includes('422'))).toEqual([]);
    expect(await sandbox.books(payment.paymentId)).toEqual({ authorize: '3/1', capture: '1/1' });
  });

  it.each([
    ['a desktop', sizes.desktop, true],
    ['a phone without JavaScript', sizes.phone, false],
  ])('the keyboard is enough on %s', async (_, viewport, javaScriptEnabled) => {
    const payment = await create();
    const { page } = await browser.visit({ viewport, javaScriptEnabled });
    await page.goto(payment.redirectUrl);
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').innerText()).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    // To the first provider, past the order and the summary of the method.
    for (const key of ['Tab', 'Tab', 'Tab']) await page.keyboard.press(key);
    expect(await page.locator(':focus').getAttribute('type')).toBe('radio');
    for (const text of ['4242424242424242', '0431', '123', 'Ada Byron']) {
      await page.keyboard.press('Tab');
      await page.keyboard.type(text);
    }
    await page.keyboard.press('Enter');
    await page.waitForURL(backAt(payment));
  });

  it('two tabs pay once', async () => {
    const payment = await create();
    const { context } = await browser.visit();
    await closeShop(context, shop);
    const tabs = await Promise.all([context.newPage(), context.newPage()]);
    await Promise.all(tabs.map((tab) => tab.goto(payment.redirectUrl)));
    await Promise.all(tabs.map((tab) => payAs(tab, 'approved')));
    await Promise.all(tabs.map((tab) => tab.locator('.seal').waitFor()));
    expect(await sandbox.books(payment.paymentId)).toEqual({ authorize: '1/1', capture: '1/1' });
    const headings = await Promise.all(tabs.map(heading));
    expect(headings.toSorted()).toEqual(['Payment complete', 'This payment is already paid']);
  });
});

/** After a card that is no test card and has expired. */
async function seesMistakes(page: Page): Promise<void> {
  await isTold(page, 'alert', 'Please correct the marked fields');
  const number = page.getByLabel('Card number');
  const described = await number.getAttribute('aria-describedby');
  expect(await page.locator(`#${described}`).innerText()).toContain('Only the test cards below work here');
  expect(await page.locator('#expiry-error').innerText()).toBe('This card has expired.');
  expect(await page.getByLabel('Name on card').inputValue()).toBe('Ada Byron');
  expect(await page.getByLabel('Security code').inputValue()).toBe('');
  expect(await number.inputValue()).toBe('');
  expect(await page.locator(':focus').getAttribute('id')).toBe('cardNumber');
}

/** Refuses what the bank asks, then waits for a slow provider, which declines. */
async function refuseAndWait(page: Page): Promise<void> {
  await payAs(page, 'three-d-secure');
  await seesHeading(page, 'Confirm that it is you');
  await page.getByRole('button', { name: 'Refuse' }).click();
  await isTold(page, 'alert', 'you did not confirm it');
  await payAs(page, 'slow-declined');
  await seesHeading(page, 'Waiting for confirmation');
  await sandbox.advance(30_000);
  await isTold(page, 'alert', 'your bank did not accept it');
}

async function confirmAt(page: Page, method: string, provider: string, agree: string): Promise<void> {
  await choose(page, method);
  await page.getByRole('button', { name: `Continue to ${provider}` }).click();
  await page.waitForURL('**/provider/**');
  await seesHeading(page, `Pay €10.50 with ${provider}`);
  await page.getByRole('button', { name: agree }).click();
}

const everything = {
  amount: 149.9,
  showPayRecurringInCheckout: true,
  customerOrder: {
    customer: { customerId: 'c_881' },
    orderId: 'A-2041',
    description: 'Autumn order',
    amount: {
      total: 149.9,
      shipping: 4.9,
      totalTax: 23.93,
      discount: 5,
      handling: 1,
      insurance: 0,
      items: [
        { name: 'Boots', amount: 129, quantity: 1, category: 'PhysicalGoods', sku: 'WB-44' },
        { name: 'Socks', amount: 10.5, quantity: 2, category: 'PhysicalGoods', description: 'Two pairs' },
      ],
    },
  },
};

describe('what the checkout shows', () => {
  const htmlOf = async (fields: object) => (await pageOf((await create(fields)).redirectUrl)).text;

  it.each([
    ['JPY', 1200, '¥1,200'],
    ['JPY', 10.5, '¥10.5'],
    ['KWD', 4.5, 'KWD 4.500'],
    ['USD', 1_000_000.1, '$1,000,000.10'],
    // The library of the language has no decimals for it, ISO 4217 has two.
    ['ISK', 10, 'ISK 10'],
    ['HUF', 10, 'HUF 10.00'],
    ['UGX', 5000, 'UGX 5,000'],
  ])('an amount of %s in its own format', async (currency, amount, shown) => {
    const html = await htmlOf({ currency, amount });
    expect(/class="price num">([^<]+)</.exec(html)?.[1]?.replace('\u00a0', ' ')).toBe(shown);
  });

  it('only the methods and providers that the payment allows', async () => {
    const methods = async (fields: object) =>
      Array.from(
        (await htmlOf(fields)).matchAll(/<details class="method"[^>]*><summary>([\s\S]*?)<\/summary>/g),
        ([, summary]) => textOf(summary!).trim(),
      );
    const idOf = (name: string) =>
      sandbox.app.profiles.find((profile) => profile.name === name)?.paymentProfileId;
    expect(await methods({})).toEqual([
      'Card Northbank, Slowbank',
      'Electronic check Checkline',
      'Crypto Coinbridge',
      'PayPal',
    ]);
    expect(await methods({ checkoutMethods: ['Paypal', 'CreditCard'] })).toEqual([
      'Card Northbank, Slowbank',
      'PayPal',
    ]);
    expect(await methods({ paymentProfiles: [idOf('Slowbank'), idOf('Coinbridge')] })).toEqual([
      'Card Slowbank',
      'Crypto Coinbridge',
    ]);
    expect(await methods({ paymentProfiles: [idOf('Slowbank')], checkoutMethods: ['Paypal'] })).toEqual([]);
  });

  it('whether the method is saved: not at all, by choice, or because the shop asks for it', async () => {
    const box = async (fields: object) => {
      const html = await htmlOf({ checkoutMethods: ['CreditCard'], ...fields });
      const [field] = /<input[^>]*id="CreditCard-save"[^>]*>/.exec(html) ?? [];
      if (field === undefined) return 'none';
      expect(html).toContain('<label for="CreditCard-save">Save this method');
      return { ticked: / checked\b/.test(field), fixed: / disabled\b/.test(field) };
    };
    expect(await box({})).toBe('none');
    expect(await box({ showPayRecurringInCheckout: true })).toEqual({ ticked: false, fixed: false });
    expect(await box({ registerAutoPayment: true })).toEqual({ ticked: true, fixed: true });
  });
});

/** Every state that a customer can find a payment in, and what the page says then. */
const states: Record<string, { heading: string; make(): Promise<ShownPayment> }> = {
  Created: { heading: 'Pay Sandbox shop\n€149.90', make: () => create(everything) },
  Declined: {
    heading: 'Pay Sandbox shop\n€10.50',
    make: async () => paid('declined'),
  },
  ActionRequired: { heading: 'Confirm that it is you', make: () => paid('three-d-secure') },
  Processing: { heading: 'Waiting for confirmation', make: () => paid('unknown-charged') },
  Held: { heading: 'Your payment is being checked', make: () => paid('held') },
  Authorised: {
    heading: 'This payment is already paid',
    make: () => paid('approved', { autoCapture: false }),
  },
  Captured: { heading: 'This payment is already paid', make: () => paid('approved') },
  Refunded: {
    heading: 'This payment was refunded',
    make: async () => moved(await paid('approved'), 'refund'),
  },
  Cancelled: { heading: 'This payment was cancelled', make: async () => moved(await create(), 'cancel') },
  Failed: {
    heading: 'The payment failed',
    make: async () => moved(await paid('unknown-not-charged'), 'recheck'),
  },
  Expired: {
    heading: 'This link has expired',
    async make() {
      const { body } = await sandbox.control<{ now: string }>('GET', '/clock');
      const payment = await create({ expirationTime: new Date(Date.parse(body.now) + 60_000).toISOString() });
      await sandbox.advance(60_000);
      return payment;
    },
  },
  'Expired, of an authorisation': {
    heading: 'The reservation has run out',
    async make() {
      const payment = await paid('approved', { autoCapture: false });
      await sandbox.advance(7 * 86_400_000);
      return payment;
    },
  },
};

async function paid(card: string, fields: object = {}): Promise<ShownPayment> {
  const payment = await create(fields);
  await sandbox.pay(payment.paymentId, card);
  return payment;
}

async function moved(payment: ShownPayment, move: string): Promise<ShownPayment> {
  await sandbox.call('POST', `/payments/${payment.paymentId}/${move}`);
  await sandbox.settle();
  return payment;
}

/** One of each kind of page; the others differ in their words. Waiting and paid pages are looked at elsewhere. */
const kinds = ['Created', 'ActionRequired', 'Held', 'Refunded', 'Failed'];

describeWithBrowser('every state of a payment', (browser) => {
  it.each(Object.entries(states))('%s', async (state, { heading: expected, make }) => {
    const payment = await make();
    const shown = await sandbox.read(payment.paymentId);
    expect(shown.paymentState).toBe(state.split(',')[0]);
    const { page, requests, complaints } = await browser.visit({ viewport: sizes.phone });
    const answer = await page.goto(payment.redirectUrl);
    expect(await heading(page)).toBe(expected);
    await expectToFit(page);
    for (const summary of await page.locator('#your-order > summary, #tests > summary').all())
      await summary.click();
    if (kinds.includes(state)) await expectAccessible(page);
    if (state === 'Created') await expectWholeOrder(page, payment);
    await page.setViewportSize(sizes.desktop);
    await expectToFit(page);
    expect(complaints).toEqual([]);
    expect((await answer?.body())?.byteLength).toBeLessThan(50_000);
    // The page and what redirected to it; a page that waits asks for nothing but news.
    const others = requests.filter((url) => !/\/(checkout|provider)\/\d+-[0-9a-f]+(\/version)?$/.test(url));
    expect(others).toEqual([]);
    if (state !== 'Processing') expect(requests.length).toBe(state === 'ActionRequired' ? 2 : 1);
  });

  it('a form with mistakes, a link that is none, and the page right after paying', async () => {
    const { page } = await browser.visit({ viewport: sizes.phone });
    await page.goto((await create(everything)).redirectUrl);
    await page.locator('button.primary').first().click();
    await page.getByText('Please correct the marked fields').waitFor();
    await expectAccessible(page);
    await page.goto(`${sandbox.url}/checkout/100001-abc`);
    await seesHeading(page, 'This link does not work');
    await expectAccessible(page);
    await closeShop(page, shop);
    await page.goto(`${(await paid('approved')).redirectUrl}/done`);
    await seesHeading(page, 'Payment complete');
    await expectAccessible(page);
  });
});

/** With its number, description, items and breakdown. */
async function expectWholeOrder(page: Page, { referenceId }: ShownPayment): Promise<void> {
  const order = await page.getByRole('region', { name: 'Your order' }).innerText();
  for (const text of [
    'A-2041',
    referenceId,
    'Autumn order',
    'Boots',
    'WB-44',
    '€129.00',
    'Socks × 2',
    '€21.00',
    '€10.50 each',
    'Two pairs',
  ])
    expect(order).toContain(text);
  expect(order.split('\n').slice(-12)).toEqual([
    'Shipping',
    '€4.90',
    'Handling',
    '€1.00',
    'Insurance',
    '€0.00',
    'Tax',
    '€23.93',
    'Discount',
    '−€5.00',
    'To pay',
    '€149.90',
  ]);
}
