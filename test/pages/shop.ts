import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';

export interface Shop {
  /** Where browsers are sent back to. */
  readonly url: string;
  close(): Promise<void>;
}

/** A merchant's site, for browsers that come back; at a name of its own, so that it is another site. */
export async function startShop(): Promise<Shop> {
  const server = createServer((incoming, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><title>Shop</title><h1>Shop</h1><p id="at">${incoming.url ?? ''}</p>`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Browsers that go back to the shop stay where they are, so that a test can look at the page before. */
export async function closeShop(browser: Page | BrowserContext, { url }: Shop): Promise<void> {
  await browser.route(`${url}/**`, (route) => route.fulfill({ status: 204 }));
}
