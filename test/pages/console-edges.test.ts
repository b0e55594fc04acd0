import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWithBrowser, expectToFit } from '../helpers/browser.js';
import {
  eventually,
  startReceiver,
  startTestSandbox,
  type Receiver,
  type TestSandbox,
} from '../helpers/sandbox.js';
import { MAX_WATCHERS } from '../../src/sandbox/console/live.js';
import { SLOW_MS } from '../../src/sandbox/http/pages/console/console-script.js';
import { consoleLink, enterConsole, visitConsole } from './console-visitor.js';
import { textOf } from './forms.js';

let sandbox: TestSandbox;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  sandbox = await startTestSandbox();
});
afterAll(async () => {
  await sandbox.close();
  await receiver.close();
});

const phone = { width: 390, height: 844 };
const desktop = { width: 1280, height: 800 };

it('a payment shows the order number and the description of its order', async () => {
  const { get } = await visitConsole(sandbox);
  const order = { customer: { customerId: 'c1' }, orderId: 'ORD-7', description: 'Two <chairs>' };
  const { paymentId } = await sandbox.create({ customerOrder: order });
  const { html } = await get(`/console/payments/${paymentId}`);
  expect(textOf(html)).toMatch(/Order\s+ORD-7\s+Description\s+Two <chairs>/);
});

describe('a form that is refused', () => {
  it('keeps what was typed and says what is wrong beside it', async () => {
    const { send } = await visitConsole(sandbox);
    const faults = await send('/console/faults', {
      kind: 'truncate',
      route: 'refund',
      next: '',
      probability: '7',
      status: '503',
      delay: '3s',
    });
    const text = textOf(faults.html);
    expect(text).toContain('Nothing was changed. Share must be between 0 and 1.');
    expect(faults.html).toMatch(/id="probability" name="probability" value="7" aria-invalid="true"/);
    expect(faults.html).toMatch(/id="probability-error">Share must be between 0 and 1\./);
    expect(faults.html).toMatch(/name="status" value="503"/);
    expect(faults.html).toMatch(/name="delay" value="3s"/);
    expect(faults.html).toMatch(/<option value="truncate" selected/);
    expect(faults.html).toMatch(/<option value="refund" selected/);
    const clock = await send('/console/clock', { action: 'advance', by: 'soon' });
    expect(clock.html).toMatch(/name="by" value="soon" aria-invalid="true"/);
    const set = await send('/console/clock', { action: 'set', to: '1999-01-01T00:00:00Z' });
    expect(set.html).toMatch(/name="to" value="1999-01-01T00:00:00Z" aria-invalid="true"/);
    const app = await send(`/console/apps/${sandbox.app.appId}`, { what: 'webhook', url: 'http:thanks' });
    expect(textOf(app.html)).toContain('Address must be an absolute http or https address.');
    expect(app.html).toMatch(/name="url" value="http:thanks" aria-invalid="true"/);
    expect(app.html).toMatch(/<details open/);
  });

  it('goes back to the page that it was on', async () => {
    const { paymentId } = await sandbox.create();
    const { send } = await visitConsole(sandbox);
    const back = `/console/payments/${paymentId}`;
    const { path, html } = await send('/console/faults', { kind: 'latency', delay: '3 weeks', back });
    expect(path).toMatch(new RegExp(`^${back}\\?result=`));
    expect(html).toMatch(/name="delay" value="3 weeks" aria-invalid="true"/);
  });

  it('clears only the fault that is named', async () => {
    const { send } = await visitConsole(sandbox);
    for (const next of [1, 2])
      await sandbox.control('POST', '/faults', { kind: 'latency', next, delayMs: 1 });
    const count = async () => (await sandbox.control<unknown[]>('GET', '/faults')).body.length;
    for (const [id, says] of [
      ['', 'Choose the fault to clear.'],
      ['abc', 'There is no fault abc.'],
      ['1e0', 'There is no fault 1e0.'],
      ['999', 'There is no such fault any more.'],
    ] as const) {
      expect(textOf((await send('/console/faults/clear', { id })).html)).toContain(says);
      expect(await count()).toBe(2);
    }
    expect(textOf((await send('/console/faults/clear', {})).html)).toContain('Choose the fault to clear.');
    await send('/console/faults/clear', { all: 'yes' });
    expect(await count()).toBe(0);
  });
});

it('writes out what would turn text around, and lets every text keep its direction', async () => {
  const customerId = 'عميل-7';
  const { paymentId } = await sandbox.create({
    customerOrder: { customer: { customerId, firstName: 'photo_\u202Egnp.exe', lastName: 'مصباح' } },
  });
  const { get } = await visitConsole(sandbox);
  const id = encodeURIComponent(customerId);
  for (const path of [
    '/console',
    '/console/customers',
    `/console/customers/one?app=${sandbox.app.appId}&id=${id}`,
    `/console/payments/${paymentId}`,
  ]) {
    const { html } = await get(path);
    expect(html).not.toContain('\u202E');
    expect(html).toContain(`<bdi>${customerId}</bdi>`);
    if (path.includes('customers')) expect(html).toContain('<bdi>photo_\\u202Egnp.exe مصباح</bdi>');
  }
});

it('shows names of apps and answers to webhooks in their own direction', async () => {
  const friendlyName = 'متجر (2)';
  const { body: app } = await sandbox.control<{ appId: string; apiKey: string }>('POST', '/apps', {
    friendlyName,
    isSandbox: true,
  });
  receiver.next({ status: 500, body: 'photo_\u202Egnp.exe' });
  const { paymentId } = await sandbox.create(
    { webhookUrl: receiver.url, customerOrder: { customer: { customerId: 'متجر-customer' } } },
    { appId: app.appId, key: app.apiKey },
  );
  const { get, send } = await visitConsole(sandbox);
  const webhook = await eventually(async () => {
    const { html } = await get(`/console/payments/${paymentId}`);
    const [, path] = /href="(\/console\/webhooks\/\d+)"/.exec(html) ?? [];
    if (path === undefined || !html.includes('failed once')) throw new Error('not delivered yet');
    return path;
  });
  for (const path of ['/console', '/console/customers', '/console/apps', `/console/payments/${paymentId}`])
    expect((await get(path)).html).toContain(`<bdi>${friendlyName}</bdi>`);
  expect((await get('/console/apps')).html).toContain(`Change <bdi>${friendlyName}</bdi>`);
  for (const path of [webhook, `/console/payments/${paymentId}`]) {
    const { html } = await get(path);
    expect(html).not.toContain('\u202E');
    expect(html).toContain('photo_\\u202Egnp.exe');
  }
  const { html } = await send(`/console/apps/${app.appId}`, { what: 'block' });
  expect(html).toContain(`<bdi>${friendlyName}</bdi>: its calls are blocked.`);
});

it('draws the path taken and what can come next, and leaves the rest out', async () => {
  const { paymentId } = await sandbox.create();
  await sandbox.pay(paymentId);
  const { html } = await (await visitConsole(sandbox)).get(`/console/payments/${paymentId}`);
  const [diagram] = /<figure class="diagram">[\s\S]*?<\/figure>/.exec(html)!;
  const states = Array.from(diagram.matchAll(/<text[^>]*>(\w+)</g), ([, state]) => state!);
  expect(states.toSorted()).toEqual(['Authorised', 'Captured', 'Capturing', 'Created', 'Refunding']);
  expect(diagram.match(/<path class="went"/g)).toHaveLength(3);
  expect(diagram.match(/<path class="ways"/g)).toHaveLength(1);
  expect(textOf(diagram)).toContain('Possible next: Refunding.');
});

it('uses amber for what waits on somebody, and only for that', async () => {
  const own = await startTestSandbox();
  await own.control('POST', '/clock', { action: 'stop' });
  await own.control('POST', '/seed');
  const { get } = await visitConsole(own);
  const { html } = await get('/console');
  await own.close();
  const tones = new Map<string, Set<string>>();
  for (const [, tone, state, rest] of html.matchAll(
    /badge tone-(\w+)">(\w+)<\/span>(<span class="sub">needs a recheck)?/g,
  )) {
    const key = rest === undefined ? state! : `${state} (stuck)`;
    tones.set(key, (tones.get(key) ?? new Set()).add(tone!));
  }
  const amber = [...tones].filter(([, of]) => of.has('waiting')).map(([state]) => state);
  expect(amber.toSorted()).toEqual(
    [...tones.keys()]
      .filter((key) => key.endsWith('(stuck)') || /^(Created|ActionRequired|Held|Authorised)$/.test(key))
      .toSorted(),
  );
  expect(html).not.toMatch(/\.sandbox-note \{[^}]*waiting/);
});

describe('lists', () => {
  it('are counted, and webhooks that are retried have a filter of their own', async () => {
    const own = await startTestSandbox();
    try {
      receiver.next({ status: 500 });
      const { paymentId } = await own.create({ webhookUrl: receiver.url, amount: 77.7 });
      await receiver.waitFor(1);
      await own.control('POST', '/clock', { action: 'stop' });
      const { get } = await visitConsole(own);
      expect(textOf((await get('/console')).html)).toContain('1 payment ');
      expect(textOf((await get('/console?q=77.70')).html)).toContain('Payments of the amount 77.70');
      expect(textOf((await get('/console/customers?q=c1')).html)).toContain('1 customer ');
      const retrying = textOf((await get('/console/webhooks?outcome=retrying')).html);
      expect(retrying).toContain('1 webhook ');
      expect(retrying).toContain('queued, failed once');
      expect(retrying).toContain(String(paymentId));
    } finally {
      await own.close();
    }
  });
});

describeWithBrowser('the console', (browser) => {
  const enter = (path?: string, options?: BrowserContextOptions) =>
    enterConsole(browser, sandbox, path, options);

  it('hides what is hidden: no Copy without JavaScript, and none on the closed console', async () => {
    const { paymentId } = await sandbox.create();
    const { page } = await enter(`/payments/${paymentId}`, { javaScriptEnabled: false });
    expect(await page.locator('[data-copy]').count()).toBeGreaterThan(0);
    expect(await page.locator('[data-copy]:visible').count()).toBe(0);
    const closed = await browser.visit();
    await closed.page.goto(`${sandbox.url}/console`);
    expect(await closed.page.locator('[data-copy]').count()).toBeGreaterThan(0);
    expect(await closed.page.locator('[data-copy]:visible').count()).toBe(0);
  });

  it('keeps the focus and what was typed when the page is updated', async () => {
    const { paymentId } = await sandbox.create({ webhookUrl: receiver.url });
    const { page } = await enter(`/payments/${paymentId}`);
    await page.waitForSelector('#live:text("Updating")');
    // A button that has no id and stays.
    await page.getByRole('button', { name: /^Resend webhook/ }).focus();
    await sandbox.pay(paymentId, 'three-d-secure');
    await page.waitForSelector('#facts .badge:text("ActionRequired")');
    expect(await page.evaluate('document.activeElement.textContent')).toMatch(/^Resend webhook/);
    // One that goes leaves the focus in its place, and none that stands there now is taken for it.
    await page.getByRole('button', { name: 'Customer confirms' }).focus();
    await sandbox.control('POST', `/payments/${paymentId}/pay`, { challenge: 'failed' });
    await page.waitForSelector('#facts .badge:text("Declined")');
    expect(await page.evaluate('document.activeElement.id')).toBe('actions');
    await page.selectOption('#card', 'held');
    await page.locator('#card').focus();
    await sandbox.pay(paymentId, 'declined');
    await page.waitForSelector('#story .exchange');
    expect(await page.inputValue('#card')).toBe('held');
    expect(await page.evaluate('document.activeElement.id')).toBe('card');
  });

  it('breaks a command between its words, never inside one', async () => {
    const { paymentId } = await sandbox.create({
      customerOrder: { customer: { customerId: 'عميل-7' } },
    });
    const { page } = await enter('/faults');
    const expectWhole = async () => {
      for (const viewport of [phone, desktop]) {
        await page.setViewportSize(viewport);
        expect(await page.locator('code:visible').count()).toBeGreaterThan(0);
        expect(await brokenWords(page)).toEqual([]);
      }
    };
    await expectWhole();
    // Also after the script wrote it again.
    await page.fill('#delay', '3s');
    expect(await page.locator('[data-form=fault]').innerText()).toContain('--delay 3s --port');
    await expectWhole();
    const customer = `customers/one?app=${sandbox.app.appId}&id=عميل-7`;
    for (const path of [`payments/${paymentId}`, 'clock', 'apps', customer]) {
      await page.goto(`${sandbox.url}/console/${path}`);
      await expectWhole();
      await page.setViewportSize(phone);
      await expectToFit(page);
    }
  });

  it('does not move its header from section to section', async () => {
    const { page } = await enter('/faults');
    const widths = [phone, desktop, { width: 1700, height: 900 }];
    const places = widths.map(() => new Set<string>());
    for (const name of ['Payments', 'Customers', 'Apps', 'Webhooks', 'Clock', 'Faults']) {
      await page.locator('header nav a', { hasText: name }).click();
      await page.waitForSelector(`header nav a[aria-current]:text("${name}")`);
      for (const [index, viewport] of widths.entries()) {
        await page.setViewportSize(viewport);
        places[index]!.add(await linkPlaces(page));
      }
    }
    expect(places.map(({ size }) => size)).toEqual([1, 1, 1]);
  });

  it('shows the timeline and the active filter in forced colours', async () => {
    const { paymentId } = await sandbox.create({ webhookUrl: receiver.url });
    const { page } = await enter('/webhooks?outcome=failed', { forcedColors: 'active' });
    const ground = (name: string) =>
      page.evaluate(
        `getComputedStyle([...document.querySelectorAll('main nav a')].find((a) => a.textContent === '${name}')).backgroundColor`,
      );
    expect(await ground('failed')).not.toBe(await ground('queued'));
    await page.goto(`${sandbox.url}/console/payments/${paymentId}`);
    const [dot, behind] = (await page.evaluate(`(() => {
      const item = document.querySelector('.timeline > li');
      return [getComputedStyle(item, '::before').backgroundColor, getComputedStyle(document.body).backgroundColor];
    })()`)) as [string, string];
    expect(dot).not.toBe(behind);
  });

  it('refreshes slowly, and says so, when more consoles are open than have a stream', async () => {
    const own = await startTestSandbox();
    const { cookie } = await visitConsole(own);
    const leave = new AbortController();
    // Kept until the end: an answer that is no longer referred to is closed when memory is tidied up.
    const streams: Response[] = [];
    try {
      for (let count = 0; count < MAX_WATCHERS; count += 1) {
        const stream = await fetch(`${own.url}/console/live`, {
          headers: { cookie },
          signal: leave.signal,
        });
        streams.push(stream);
      }
      expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
      const { page } = await browser.visit();
      await page.clock.install();
      await page.goto(consoleLink(own));
      await page.waitForSelector('#live:text("Updates every 15 s: many consoles are open")');
      const { paymentId } = await own.create();
      await page.clock.runFor(SLOW_MS + 100);
      await page.waitForSelector(`#p${paymentId}`);
      leave.abort();
      await page.clock.runFor(SLOW_MS + 100);
      await page.waitForSelector('#live:text("Updating")');
      expect(streams).toHaveLength(MAX_WATCHERS);
    } finally {
      leave.abort();
      await own.close();
    }
  });
});

const linkPlaces = async (page: Page): Promise<string> =>
  JSON.stringify(
    await page.evaluate(
      `[...document.querySelectorAll('header nav a, header .brand')].map((a) => Object.values(a.getBoundingClientRect().toJSON()).map(Math.round))`,
    ),
  );

/** Words of a command that stand on more than one line. */
const brokenWords = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll('code')].flatMap((code) => {
    const walk = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    const broken = [];
    for (let node = walk.nextNode(); node; node = walk.nextNode())
      for (const { index, 0: word } of node.data.matchAll(/\\S+/g)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word);
      }
    return broken;
  })`);
