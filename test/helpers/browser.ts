import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

const CANDIDATES = [
  process.env['PAYDESK_TEST_CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

export function findChromium(): string | undefined {
  return CANDIDATES.find((path) => path !== undefined && path !== '' && existsSync(path));
}

export const phone = { width: 360, height: 740 };
export const desktop = { width: 1280, height: 800 };
export const sizes = { phone, desktop };

export interface Visit {
  context: BrowserContext;
  page: Page;
  /** Every request that the browser made, in order. */
  requests: string[];
  /** What the page complained of: errors, and what its policy forbade. */
  complaints: string[];
}

export interface TestBrowser {
  /** A browser window of its own, without cookies; closed after the test. */
  visit(options?: BrowserContextOptions): Promise<Visit>;
}

/** A group of tests with a real Chromium; skipped with a reason where there is none, but never in CI. */
export function describeWithBrowser(name: string, define: (browser: TestBrowser) => void): void {
  const executablePath = findChromium();
  if (executablePath === undefined) {
    const reason =
      'there is no Chromium: apt-get install chromium, or set PAYDESK_TEST_CHROMIUM to the path of one';
    if (process.env['CI']) {
      test(`${name}: ${reason}`, () => {
        throw new Error(`${reason}. In CI these tests must run.`);
      });
    } else {
      test.skip(`${name} (skipped: ${reason})`, () => {});
    }
    return;
  }
  describe(name, () => {
    let browser: Browser;
    const open: BrowserContext[] = [];
    beforeAll(async () => {
      browser = await chromium.launch({
        executablePath,
        // Chromium's own sandbox does not work for root.
        args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
      });
    });
    afterEach(async () => {
      await Promise.all(open.splice(0).map((context) => context.close()));
    });
    afterAll(() => browser.close());
    define({
      async visit(options = {}) {
        const context = await browser.newContext({ viewport: desktop, ...options });
        open.push(context);
        const requests: string[] = [];
        const complaints: string[] = [];
        context.on('request', (request) => requests.push(request.url()));
        context.on('weberror', (error) => complaints.push(String(error.error())));
        context.on('console', (message) => {
          if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
        });
        return { context, page: await context.newPage(), requests, complaints };
      },
    });
  });
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResults {
  violations: Array<{ id: string; nodes: Array<{ html: string; failureSummary?: string }> }>;
}

/** Accessible by axe-core's rules, in light and in dark, and no wider than the window. */
export async function expectAccessible(page: Page): Promise<void> {
  // Evaluated by the debugger: the page's own policy would not let the script in, which is as it should be.
  await page.evaluate(axeSource);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    // Nothing but the colours differs in the dark.
    const only = colorScheme === 'dark' ? ', runOnly: { type: "tag", values: ["cat.color"] }' : '';
    const { violations } = (await page.evaluate(
      `axe.run(document, { resultTypes: ["violations"]${only} })`,
    )) as AxeResults;
    const found = violations.map(({ id, nodes }) => ({
      id,
      nodes: nodes.map(({ html, failureSummary }) => `${html}\n${failureSummary}`),
    }));
    expect({ url: page.url(), colorScheme, found }).toEqual({ url: page.url(), colorScheme, found: [] });
  }
  await page.emulateMedia({ colorScheme: null });
  const [content, window] = (await page.evaluate(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  )) as [number, number];
  expect({ url: page.url(), wider: content - window }).toEqual({ url: page.url(), wider: 0 });
}
