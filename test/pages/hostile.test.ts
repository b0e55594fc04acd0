import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithBrowser } from '../helpers/browser.js';
import { newReference, startTestSandbox, type ShownPayment, type TestSandbox } from '../helpers/sandbox.js';
import { fillIn, formToken, pageOf, sendForm } from './forms.js';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());

const evil =
  '"\'><script>window.owned=1</script><img src=x onerror="window.owned=1"><style>body{display:none}</style>' +
  '</title></style></script><svg onload=window.owned=1><a href="javascript:window.owned=1">x</a>&lt;b&gt;';

/** An order that has something in every field that a merchant can fill. */
const order = (text: string, customerId: string) => ({
  customer: { customerId, firstName: text, lastName: text, email: `${'x'.repeat(20)}@<b>` },
  orderId: text,
  description: text,
  amount: {
    items: Array.from({ length: 500 }, (_, index) => ({
      name: index < 40 ? text : 'x',
      amount: 1,
      quantity: 3,
      category: 'DigitalGoods',
      ...(index < 40 && { sku: text, description: text }),
    })),
  },
});

const returnUrl = `http://shop.example/'"><script>window.owned=1</script>?a="'<b>&x=1#"><script>`;

async function payments(text: string): Promise<Record<string, string>> {
  const customerId = `"><script>window.owned=1</script>${newReference()}`;
  const fields = () => ({
    referenceId: `"><script>window.owned=1</script>${newReference()}`,
    returnUrl,
    registerAutoPayment: true,
    customerOrder: order(text, customerId),
  });
  const links: Record<string, string> = {};
  for (const card of ['none', 'declined', 'three-d-secure', 'slow-approved', 'held', 'approved']) {
    const { paymentId, redirectUrl } = await sandbox.create(fields());
    if (card !== 'none') await sandbox.pay(paymentId, card);
    links[card] = redirectUrl;
  }
  links['done'] = `${links['approved']}/done`;
  const { referenceId, ...rest } = fields();
  const { body } = await sandbox.call<ShownPayment>('POST', '/payments/provider-hosted-page', {
    ...rest,
    referenceId,
    amount: 3,
    currency: 'EUR',
    autoCapture: true,
    paymentProfileId: sandbox.app.profiles[0]?.paymentProfileId,
  });
  links['provider'] = body.redirectUrl;
  const panel = await sandbox.call<{ url: string }>(
    'GET',
    `/customers/${encodeURIComponent(customerId)}/panel-link`,
  );
  links['panel'] = panel.body.url;
  return links;
}

it('no page is larger than 50 KB, whatever the order says', async () => {
  for (const text of ['"'.repeat(1000), '💶'.repeat(500), evil.repeat(4).slice(0, 1000)]) {
    for (const [name, url] of Object.entries(await payments(text))) {
      const page = await fetch(url);
      expect({ name, status: page.status }).toEqual({ name, status: 200 });
      expect(Buffer.byteLength(await page.text())).toBeLessThan(50_000);
    }
  }
});

it('what is typed into a form is shown again as text', async () => {
  const { redirectUrl } = await sandbox.create();
  const profile = String(sandbox.app.profiles[0]?.paymentProfileId);
  const { status, text } = await fillIn(redirectUrl, {
    profile,
    cardName: '"><script>x</script>',
    expiry: '"><b',
  });
  expect(status).toBe(422);
  expect(text).not.toMatch(/<script>x|"><b(?!di>)/);
  const token = formToken((await pageOf(redirectUrl)).text);
  const odd = await sendForm(redirectUrl, { formToken: token, profile: '__proto__', outcome: 'constructor' });
  expect(odd.status).toBe(422);
});

describeWithBrowser('text from the merchant', (browser) => {
  it('is only ever text', async () => {
    const { page, requests, complaints } = await browser.visit();
    for (const [name, url] of Object.entries(await payments(evil))) {
      requests.length = 0;
      await page.goto(url);
      const found = await page.evaluate(`({
        owned: window.owned,
        strange: document.querySelectorAll('main :is(script, img, style, svg, iframe)').length,
        links: [...document.querySelectorAll('a')].filter(({ protocol }) => !/^https?:$/.test(protocol)).length,
        visible: getComputedStyle(document.body).display,
      })`);
      expect({ name, found }).toEqual({ name, found: { strange: 0, links: 0, visible: 'flex' } });
      expect(requests.filter((request) => !request.startsWith(sandbox.url))).toEqual([]);
    }
    expect(complaints).toEqual([]);
  });

  it('a script that got into a page would not run', async () => {
    const { redirectUrl } = await sandbox.create();
    const { page, complaints } = await browser.visit();
    await page.route(redirectUrl, async (route) => {
      const answer = await route.fetch();
      const body = (await answer.text()).replace(
        '</main>',
        '<script>window.owned=1</script><img src="http://evil.example/x.png"><p onclick="window.owned=1" id="trap">x</p></main>',
      );
      await route.fulfill({ response: answer, body });
    });
    await page.goto(redirectUrl);
    await page.click('#trap');
    expect(await page.evaluate('window.owned')).toBeUndefined();
    expect(complaints.join('\n')).toMatch(/Content Security Policy/);
  });
});
