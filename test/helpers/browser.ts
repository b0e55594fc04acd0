import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
  type ViewportSize,
} from 'playwright-core';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';

const CANDIDATES = [
  process.env['PAYDESK_TEST_CHROMIUM'],
  // Chromium without a window of its own takes less than half of the time.
  '/usr/bin/chromium-headless-shell',
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
  /** A browser window of its own, without cookies, until the end of the test. */
  visit(options?: BrowserContextOptions): Promise<Visit>;
}

/** A group of tests with a real Chromium; skipped with a reason where there is none, but never in CI. */
export function describeWithBrowser(name: string, define: (browser: TestBrowser) => void): void {
  const executablePath = findChromium();
  if (executablePath === undefined) {
    const reason =
      'there is no Chromium: apt-get install chromium-headless-shell, or set PAYDESK_TEST_CHROMIUM to the path of one';
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
    const open: Window[] = [];
    beforeAll(async () => {
      browser = await startBrowser(executablePath);
    });
    afterEach(async () => {
      for (const window of open.splice(0)) if (await window.leave()) idle.push(window);
    });
    define({
      async visit({ viewport = desktop, ...options } = {}) {
        const kind = JSON.stringify(options);
        const at = idle.findIndex((window) => window.kind === kind);
        const window = at < 0 ? await openWindow(browser, options, kind) : (idle.splice(at, 1)[0] as Window);
        open.push(window);
        return window.enter(viewport ?? desktop);
      },
    });
  });
}

let running: Browser | undefined;
const idle: Window[] = [];

/** Starting one takes longer than most tests, so all files of a worker share it. It ends with the worker. */
async function startBrowser(executablePath: string): Promise<Browser> {
  if (running?.isConnected()) return running;
  idle.length = 0;
  running = await chromium.launch({
    executablePath,
    args: [
      // Chromium's own sandbox does not work for root.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      // One process draws the pages of a window, however many sites it visits: starting others takes a sixth of the time.
      '--renderer-process-limit=1',
      '--disable-site-isolation-trials',
    ],
  });
  return running;
}

/** Opening a window takes the browser longer than most tests, so the next test that needs one like it gets it. */
interface Window {
  /** What it was opened with, apart from its size. */
  kind: string;
  enter(size: ViewportSize): Promise<Visit>;
  /** Forgets what was done in it; false when it cannot, and is closed. */
  leave(): Promise<boolean>;
}

async function openWindow(browser: Browser, options: BrowserContextOptions, kind: string): Promise<Window> {
  // A spinner that turns has the browser draw the page again and again.
  const context = await browser.newContext({ viewport: desktop, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  let seen: Pick<Visit, 'requests' | 'complaints'> = { requests: [], complaints: [] };
  context.on('request', (request) => seen.requests.push(request.url()));
  context.on('weberror', (error) => seen.complaints.push(String(error.error())));
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') seen.complaints.push(message.text());
  });
  const isChanged = watchForChanges(context, page);
  return {
    kind,
    async enter(size) {
      seen = { requests: [], complaints: [] };
      await page.setViewportSize(size);
      return { context, page, ...seen };
    },
    async leave() {
      try {
        if (isChanged() || context.pages().length !== 1) throw new Error('It is not as it was.');
        await page.evaluate('localStorage.clear(), sessionStorage.clear()').catch(() => {});
        await context.clearCookies();
        await page.emulateMedia({ colorScheme: null, media: null, reducedMotion: 'reduce' });
        await page.goto('about:blank');
        return true;
      } catch {
        await context.close();
        return false;
      }
    },
  };
}

/** Whether anything was called that stays in force for as long as the window is open. */
function watchForChanges(context: BrowserContext, page: Page): () => boolean {
  let isChanged = false;
  const watch = <Target extends object>(target: Target, names: ReadonlyArray<keyof Target & string>) => {
    for (const name of names) {
      const original = target[name];
      Object.defineProperty(target, name, {
        get() {
          isChanged = true;
          return original;
        },
      });
    }
  };
  const alike = ['route', 'addInitScript', 'exposeFunction', 'exposeBinding', 'on', 'once', 'clock'] as const;
  watch(page, [...alike, 'close', 'setExtraHTTPHeaders']);
  watch(context, [...alike, 'close', 'grantPermissions', 'newPage', 'setOffline', 'setExtraHTTPHeaders']);
  return () => isChanged;
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
  await expectToFit(page);
}

/** No wider than the window. */
export async function expectToFit(page: Page): Promise<void> {
  const [content, window] = (await page.evaluate(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  )) as [number, number];
  expect({ url: page.url(), wider: content - window }).toEqual({ url: page.url(), wider: 0 });
}
