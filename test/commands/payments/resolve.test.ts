import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { paydesk, paydeskTty, type Tty } from '../../helpers/run.js';
import { openSeededDesk, type SeededDesk } from '../../support/seeded.js';
import { envOf } from './desk.js';

let desk: SeededDesk;
let home: string;
const homes: string[] = [];
beforeAll(async () => {
  desk = await openSeededDesk();
});
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'paydesk-resolve-'));
  homes.push(home);
});
afterAll(() => homes.forEach((path) => rmSync(path, { recursive: true, force: true })));

const open = (args: string[] = [], kind: 'sandbox' | 'live' = 'sandbox') =>
  paydeskTty(['payments', 'resolve', ...args], {
    home,
    env: envOf(desk.sandbox, kind),
    rows: 60,
    timeoutMs: 40_000,
  });

/** Waits for the menu of a payment. */
async function menu(terminal: Tty, ...expected: Array<string | RegExp>): Promise<void> {
  for (const text of expected) await terminal.waitFor(text);
  await terminal.waitFor('What to do?');
  // The last line of the list: from now on keys are heard.
  await terminal.waitFor('navigate');
}

it('goes from the paste to the summary, and what is recommended is done with Enter', async () => {
  const terminal = await open();
  await terminal.waitFor('Which payments?');
  await terminal.waitFor('navigate');
  terminal.press('down', 'enter');
  await terminal.waitFor('an empty line ends it');
  terminal.type('stuck-charged\rseed-capturing, id:xyz\r\r');
  await terminal.waitFor('id:xyz: id: is followed by digits');
  await menu(terminal, '1 of 2   stuck-charged', 'Processing for up to 2 hours', 'Do not ask the customer');
  terminal.press('enter');
  await menu(terminal, 'Processing → Captured   changed', 'Captured. The customer has paid EUR 120.00.');
  terminal.press('enter');
  await menu(terminal, '2 of 2   seed-capturing', 'Capturing for up to 2 hours');
  terminal.press('enter');
  await menu(terminal, 'Capturing → Captured   changed', 'USD 64.20');
  terminal.press('enter');
  await terminal.waitFor('What was done');
  await terminal.waitFor(/stuck-charged +Processing → Captured +recheck +done/);
  await terminal.waitFor(/seed-capturing +Capturing → Captured +recheck +done/);
  await terminal.waitFor('In the history');
  await terminal.waitFor(/recheck +\d+ +seed-capturing/);
  await terminal.waitFor(/recheck +\d+ +stuck-charged/);
  expect(await terminal.ended()).toBe(0);
  for (const name of ['stuck-charged', 'seed-capturing']) {
    const { payment } = await desk.explain(name);
    expect(await desk.sandbox.books(payment.paymentId)).toMatchObject({ authorize: '1/1', capture: '1/1' });
  }
});

it('can be left with Quit or Ctrl-C, and is taken up where it was', async () => {
  const file = join(home, 'references.txt');
  writeFileSync(file, 'stuck-not-charged\nseed-refunding\nseed-cancelling\n');
  const first = await open(['--file', file, '--ticket', 'T-9']);
  await menu(first, '1 of 3   stuck-not-charged');
  first.press('enter');
  await menu(first, 'Processing → Failed');
  first.press('enter');
  await menu(first, '2 of 3   seed-refunding');
  first.press('ctrl-c');
  await first.waitFor('2 of 3 are left. To go on:');
  await first.waitFor('paydesk payments resolve');
  expect(await first.ended()).toBe(130);

  const second = await open();
  await second.waitFor(/A session was left .* ago with 2 of 3 to go/);
  await second.waitFor('navigate');
  second.press('enter');
  await menu(second, '2 of 3   seed-refunding', 'Refunding for up to 3 days');
  // Back to the one before, and on again.
  second.press('up', 'up', 'enter');
  await menu(second, '1 of 3   stuck-not-charged', 'Failed at the provider');
  second.press('enter');
  await menu(second, '2 of 3   seed-refunding');
  second.press('enter');
  await menu(second, 'Refunding → Refunded');
  second.press('enter');
  await menu(second, '3 of 3   seed-cancelling');
  second.press('up', 'enter');
  await second.waitFor('What was done');
  await second.waitFor('1 of 3 is left. To go on:');
  expect(await second.ended()).toBe(0);

  const third = await open();
  await third.waitFor('with 1 of 3 to go');
  await third.waitFor('navigate');
  third.press('enter');
  await menu(third, '3 of 3   seed-cancelling');
  // Past the actions to Skip.
  third.press('down', 'down', 'enter');
  await third.waitFor(/seed-cancelling +Cancelling +skipped/);
  expect(await third.ended()).toBe(0);
  const fourth = await open();
  await fourth.waitFor('Which payments?');
  fourth.press('ctrl-c');
  expect(await fourth.ended()).toBe(130);
});

it('asks on a live app as the commands do, and goes on when that is declined', async () => {
  const { live: app } = desk.sandbox;
  const { paymentId } = await desk.sandbox.create({ amount: 49.9 }, { key: app.apiKey, appId: app.appId });
  await desk.sandbox.pay(paymentId);
  await desk.sandbox.settle();
  const terminal = await open([String(paymentId)], 'live');
  await terminal.waitFor(`LIVE  environment (app ${app.appId})`);
  await menu(terminal, 'Captured. The customer has paid EUR 49.90.');
  terminal.press('down', 'enter');
  await terminal.waitFor('Type the amount to confirm');
  terminal.press('enter');
  await menu(terminal, 'Nothing was sent.', '1 of 1');
  expect(await desk.sandbox.books(paymentId)).not.toHaveProperty('refund');
  terminal.press('down', 'enter');
  await terminal.waitFor('Type the amount to confirm');
  terminal.type('49.90');
  terminal.press('enter');
  await menu(terminal, 'Captured → Refunded', 'Refunded. EUR 49.90 was given back to the customer.');
  terminal.press('enter');
  await terminal.waitFor('What was done');
  expect(await terminal.ended()).toBe(0);
  expect(await desk.sandbox.books(paymentId)).toMatchObject({ refund: '1/1' });
});

it('takes the stuck ones that this desk knows, and tells a payment that is not there', async () => {
  const env = envOf(desk.sandbox);
  const { paymentId } = await desk.paid();
  await desk.fault({ kind: 'drop-before-commit', route: 'refund', next: 1 });
  expect((await paydesk(['payments', 'refund', String(paymentId)], { home, env })).code).toBe(6);
  const terminal = await open(['nowhere', '--stuck']);
  await menu(terminal, '1 of 2   nowhere', 'There is no payment');
  terminal.press('enter');
  await menu(terminal, `2 of 2   ${paymentId}`, /the answer\s+was lost/);
  terminal.press('enter');
  await menu(terminal, 'outcome unknown', 'is still open', '2 of 2');
  terminal.press('up', 'enter');
  expect(await terminal.ended()).toBe(0);
});

it('refuses without a terminal, and names the commands to use instead', async () => {
  const env = envOf(desk.sandbox);
  const { code, stdout, stderr } = await paydesk(['payments', 'resolve', 'inv-1', 'inv-2'], { home, env });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('resolve is a conversation, and there is nobody at a terminal here.');
  expect(stderr).toContain('paydesk payments explain inv-1 inv-2');
  const json = await paydesk(['payments', 'resolve', '--json'], { home, env });
  expect(json.code).toBe(2);
  expect(JSON.parse(json.stdout)).toMatchObject({
    error: {
      code: 'no-terminal',
      next: ['paydesk payments explain -', expect.any(String), expect.any(String)],
    },
  });
});
