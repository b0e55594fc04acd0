import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { httpServer, json } from '../../helpers/servers.js';
import { runTyped } from '../../helpers/desk.js';

const create = ['create', '--currency', 'EUR', '--return-url', 'https://shop.example'];

it.each([
  ['create', create],
  ['charge', ['charge']],
])(
  'a %s whose answers were all lost is in the history, and becomes done when it is found',
  async (operation, words) => {
    const home = mkdtempSync(join(tmpdir(), 'paydesk-lost-'));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    let found = false;
    let posts = 0;
    const payment = {
      paymentId: 7,
      referenceId: 'inv-1',
      amount: 9.5,
      currency: 'EUR',
      paymentState: 'Captured',
    };
    const server = await httpServer(({ method, url }, response) => {
      if (method === 'POST') {
        posts += 1;
        return void response.destroy();
      }
      if (url.includes('customers')) return json(response, 404, { message: 'no customer' });
      return found ? json(response, 200, payment) : json(response, 404, { message: 'none' });
    });
    const env = {
      PAYDESK_BASE_URL: server.url,
      PAYDESK_APP_ID: 'app-1',
      PAYDESK_API_KEY: 'key-of-the-shop',
      PAYDESK_KIND: 'sandbox',
    };
    const run = (args: string[]) => runTyped([...args, '--json'], { home, env });
    const args = [
      'payments',
      ...words,
      '--reference',
      'inv-1',
      '--amount',
      '9.50',
      '--customer',
      'c',
      '--ticket',
      'T1',
    ];
    const history = async () => JSON.parse((await run(['history'])).stdout) as unknown[];

    for (let time = 0; time < 2; time += 1) {
      const lost = await run(args);
      expect([lost.code, lost.stdout]).toEqual([6, expect.stringContaining('inv-1')]);
      expect(await history()).toMatchObject([
        {
          operation,
          outcome: 'unknown',
          paymentId: null,
          referenceId: 'inv-1',
          amount: 9.5,
          ticket: 'T1',
        },
      ]);
    }
    const sent = posts;
    expect(sent).toBeGreaterThan(1);

    found = true;
    const again = await run(args);
    expect(JSON.parse(again.stdout)).toMatchObject({ created: false });
    expect(posts).toBe(sent);
    expect(await history()).toMatchObject([
      { operation, outcome: 'done', paymentId: 7, referenceId: 'inv-1', ticket: 'T1', after: 'Captured' },
    ]);
  },
);
