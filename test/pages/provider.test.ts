import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithBrowser, expectAccessible, expectToFit, sizes } from '../helpers/browser.js';
import { newReference, startTestSandbox, type ShownPayment, type TestSandbox } from '../helpers/sandbox.js';
import { isTold, payAs, seesHeading } from './looks.js';
import { startShop, type Shop } from './shop.js';

let sandbox: TestSandbox;
let shop: Shop;
beforeAll(async () => {
  [sandbox, shop] = [await startTestSandbox(), await startShop()];
});
afterAll(async () => {
  await Promise.all([sandbox.close(), shop.close()]);
});

async function create(provider: string, fields: object = {}): Promise<ShownPayment> {
  const { status, body } = await sandbox.call<ShownPayment>('POST', '/payments/provider-hosted-page', {
    referenceId: newReference(),
    amount: 24,
    currency: 'GBP',
    returnUrl: `${shop.url}/back`,
    autoCapture: true,
    customerOrder: { customer: { customerId: 'c1' }, orderId: 'B-7', description: 'A year of tea' },
    paymentProfileId: sandbox.app.profiles.find(({ name }) => name === provider)?.paymentProfileId,
    ...fields,
  });
  expect(status).toBe(201);
  return body;
}

const backAt = ({ referenceId }: ShownPayment) => `${shop.url}/back?referenceId=${referenceId}`;
const stateOf = async ({ paymentId }: ShownPayment) => (await sandbox.read(paymentId)).paymentState;

/** What each provider asks for on its own page. */
const providers: Record<string, (page: Page) => Promise<void>> = {
  async Northbank(page) {
    await page.getByLabel('Card number').fill('4242 4242 4242 4242');
    await page.getByLabel('Expires').fill('04 / 2031');
    await page.getByLabel('Security code').fill('123');
    await page.getByLabel('Name on card').fill('Ada Byron');
  },
  async Checkline(page) {
    await page.getByLabel('Account holder').fill('Ada Byron');
    await page.getByLabel('Routing number').fill('110000000');
    await page.getByLabel('Account number').fill('4242424242');
  },
  async Coinbridge() {},
  async Paypal() {},
};

describeWithBrowser("the provider's own page", (browser) => {
  it.each(Object.entries(providers))(
    '%s takes the payment and sends the browser back',
    async (name, fill) => {
      const payment = await create(name);
      const { page, complaints } = await browser.visit({ viewport: sizes.phone });
      await page.goto(payment.redirectUrl);
      expect(await page.locator('.brand').innerText()).toBe(name);
      expect(await page.locator('main').innerText()).toContain('A year of tea');
      // The page of Coinbridge is that of Paypal under another name.
      if (name !== 'Coinbridge') await expectAccessible(page);
      await page.setViewportSize(sizes.desktop);
      await expectToFit(page);
      await fill(page);
      await page.getByRole('button', { name: 'Pay £24.00' }).click();
      await page.waitForURL(backAt(payment));
      expect(complaints).toEqual([]);
      expect(await sandbox.books(payment.paymentId)).toEqual({ authorize: '1/1', capture: '1/1' });
    },
  );

  it.each([
    ['a desktop', sizes.desktop, true],
    ['a phone without JavaScript', sizes.phone, false],
  ])('says no, asks for a confirmation, and waits, on %s', async (_, viewport, javaScriptEnabled) => {
    const payment = await create('Northbank');
    const { page } = await browser.visit({ viewport, javaScriptEnabled });
    await page.goto(payment.redirectUrl);
    await page.getByRole('button', { name: 'Pay £24.00' }).click();
    expect(await page.locator('#cardNumber-error').innerText()).toBe('Enter the card number.');
    await payAs(page, 'declined');
    await isTold(page, 'alert', 'your bank did not accept it');
    await payAs(page, 'three-d-secure');
    await seesHeading(page, 'Confirm that it is you');
    expect(await stateOf(payment)).toBe('ActionRequired');
    await page.getByRole('button', { name: 'Refuse' }).click();
    await payAs(page, 'slow-approved');
    await seesHeading(page, 'Waiting for confirmation');
    expect(await page.locator('.brand').innerText()).toBe('Northbank');
    if (javaScriptEnabled) await expectAccessible(page);
    await sandbox.control('POST', `/payments/${payment.paymentId}/provider`, { answer: 'confirm' });
    await page.waitForURL(backAt(payment));
    expect(await stateOf(payment)).toBe('Captured');
  });

  it('without JavaScript an account number is typed and paid', async () => {
    const payment = await create('Checkline');
    const { page } = await browser.visit({ viewport: sizes.phone, javaScriptEnabled: false });
    await page.goto(payment.redirectUrl);
    await providers['Checkline']!(page);
    await page.getByRole('button', { name: 'Pay £24.00' }).click();
    await page.waitForURL(backAt(payment));
    expect(await sandbox.books(payment.paymentId)).toEqual({ authorize: '1/1', capture: '1/1' });
  });

  it('has pages for what is paid, cancelled, held and switched off', async () => {
    const { page } = await browser.visit();
    const headingAt = async ({ redirectUrl }: ShownPayment) => {
      await page.goto(redirectUrl);
      await expectToFit(page);
      return page.locator('h1').innerText();
    };
    const [paid, cancelled, held] = [await create('Paypal'), await create('Paypal'), await create('Paypal')];
    await sandbox.pay(paid.paymentId);
    await sandbox.call('POST', `/payments/${cancelled.paymentId}/cancel`);
    await sandbox.settle();
    await sandbox.pay(held.paymentId, 'held');
    expect(await headingAt(paid)).toBe('This payment is already paid');
    expect(await headingAt(cancelled)).toBe('This payment was cancelled');
    expect(await headingAt(held)).toBe('Your payment is being checked');
    await expectAccessible(page);
    const payment = await create('Coinbridge');
    const paymentProfileId = sandbox.app.profiles.find(({ name }) => name === 'Coinbridge')?.paymentProfileId;
    const switched = (isActive: boolean) =>
      sandbox.control('PATCH', `/apps/${sandbox.app.appId}`, { profile: { paymentProfileId, isActive } });
    await switched(false);
    await headingAt(payment);
    await expectAccessible(page);
    expect(await page.locator('.notice').innerText()).toContain('takes no payments at the moment');
    expect(await page.locator('form').count()).toBe(0);
    await switched(true);
  });
});
