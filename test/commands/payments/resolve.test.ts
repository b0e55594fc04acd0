import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { paydeskTty, type Tty } from '../../helpers/run.js';
import { shareTerminal } from '../../helpers/shared-terminal.js';
import { openSeededDesk, type SeededDesk } from '../../support/seeded.js';
import { envOf, runTyped, temporaryHome, waitForFaults } from '../../helpers/desk.js';

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

const type = shareTerminal();
const open = (args: string[] = [], env = envOf(desk.sandbox)) =>
  type(['payments', 'resolve', ...args], { home, env, rows: 60 });
/** In a process of its own, which knows only what is on disk. */
const openAnew = (args: string[] = []) =>
  paydeskTty(['payments', 'resolve', ...args], { home, env: envOf(desk.sandbox), rows: 60 });

/** Waits for the menu of a payment. */
async function menu(terminal: Tty, ...expected: Array<string | RegExp>): Promise<void> {
  for (const text of expected) await terminal.waitFor(text);
  await offers(terminal);
}

/** Waits for the menu, with these choices. */
async function offers(terminal: Tty, ...choices: string[]): Promise<void> {
  await terminal.waitFor('Choose:');
  for (const choice of choices) await terminal.waitFor(choice);
  // The last line of the list: from now on keys are read.
  await terminal.waitFor('navigate');
}

it('goes from the paste to the summary, and Enter does what moves no money', async () => {
  const terminal = await open();
  await terminal.waitFor('Which payments?');
  await terminal.waitFor('navigate');
  terminal.press('down', 'enter');
  await terminal.waitFor('An empty line at the end');
  terminal.type('- stuck-charged\r2. "seed-capturing", id:xyz\r\r');
  await terminal.waitFor('id:xyz: ');
  await menu(terminal, '1 of 2   stuck-charged', 'Processing since', 'Do not ask the customer');
  terminal.press('enter');
  await menu(terminal, 'Processing → Captured   changed', 'Captured. The customer has paid EUR 120.00.');
  terminal.press('enter');
  await menu(terminal, '2 of 2   "seed-capturing"', 'Capturing since');
  terminal.press('enter');
  await menu(terminal, 'Capturing → Captured   changed', 'USD 64.20');
  terminal.press('enter');
  await terminal.waitFor('What was done');
  await terminal.waitFor(/stuck-charged +Processing → Captured +recheck +done/);
  await terminal.waitFor(/seed-capturing" +Capturing → Captured +recheck +done/);
  await terminal.waitFor('Recorded in the history');
  await terminal.waitFor(/recheck +\d+ .* done .*\n +seed-capturing/);
  await terminal.waitFor(/recheck +\d+ .* done .*\n +stuck-charged/);
  expect(await terminal.ended()).toBe(0);
  for (const name of ['stuck-charged', 'seed-capturing']) {
    const { payment } = await desk.explain(name);
    expect(await desk.sandbox.books(payment.paymentId)).toMatchObject({ authorize: '1/1', capture: '1/1' });
  }
});

it('reads a paste with gaps to its end, also where its last line has no end', async () => {
  const terminal = await open();
  await terminal.waitFor('Which payments?');
  await terminal.waitFor('navigate');
  terminal.press('down', 'enter');
  await terminal.waitFor('An empty line at the end');
  terminal.type('seed-held\t59,90 €\r\r\u{feff}seed-captured\r\rseed-authorised');
  await terminal.waitFor('seed-authorised');
  // Longer than a paste takes: what stands in the last line is not lost.
  await setTimeout(500);
  terminal.press('enter', 'enter');
  await menu(terminal, '1 of 3   seed-held');
  terminal.press('ctrl-c');
  expect(await terminal.ended()).toBe(130);
});

it('says why a recheck failed, without a row that names no payment, and does not count it as done', async () => {
  const { paymentId } = await desk.paid('unknown-not-charged');
  const terminal = await open([String(paymentId)]);
  await menu(terminal, 'Processing');
  await desk.fault({ kind: 'drop-before-commit', route: 'get' });
  onTestFinished(async () => void (await desk.sandbox.control('DELETE', '/faults')));
  terminal.type('Check');
  await terminal.waitFor('❯ Check with the provider');
  terminal.press('enter');
  await terminal.waitFor('The service did not answer: ');
  await offers(terminal, 'Try again');
  terminal.press('down', 'enter');
  await terminal.waitFor('Nothing was done.');
  await terminal.ended();
  expect(terminal.text()).not.toContain('not known');
});

it('never moves money with Enter alone, and asks before it does, also on a sandbox', async () => {
  const [first, second] = [await desk.authorised(), await desk.held()];
  const names = [first, second].map(({ paymentId }) => String(paymentId));
  const terminal = await open(names);
  await terminal.waitFor('1 of 2');
  await offers(terminal, 'Capture EUR 10.50');
  terminal.press('enter');
  await terminal.waitFor('2 of 2');
  await offers(terminal, 'Approve and charge EUR 10.50');
  terminal.press('enter');
  await terminal.waitFor(/Authorised +skipped/);
  expect(await terminal.ended()).toBe(0);
  for (const { paymentId } of [first, second]) {
    expect(await desk.sandbox.books(paymentId)).not.toHaveProperty('capture');
  }

  const again = await open(names.slice(0, 1));
  await offers(again, 'Capture EUR 10.50');
  // The cursor starts on Skip: past it to the ticket and the reason, then up to the capture.
  again.press('down', 'enter');
  await again.waitFor('Ticket:');
  again.type('T-42');
  again.press('enter');
  await again.waitFor('Reason:');
  again.type('goods sent');
  again.press('enter');
  await menu(again);
  again.press('up', 'up', 'up', 'enter');
  await again.waitFor(/Reason: goods sent\nTicket: T-42/);
  await again.waitFor('Capture EUR 10.50? (y/N)');
  again.press('enter');
  await menu(again, 'Nothing was sent.', '1 of 1');
  expect(await desk.sandbox.books(first.paymentId)).not.toHaveProperty('capture');
  again.press('up', 'up', 'up', 'enter');
  await again.waitFor('Capture EUR 10.50? (y/N)');
  again.type('y');
  again.press('enter');
  await menu(again, /Authorised → Captur/);
  again.press('ctrl-c');
  expect(await again.ended()).toBe(130);
  expect(await desk.sandbox.books(first.paymentId)).toMatchObject({ capture: '1/1' });
  const history = await runTyped(['history', '--json'], { home, env: envOf(desk.sandbox) });
  expect(history.json).toContainEqual(
    expect.objectContaining({ operation: 'capture', ticket: 'T-42', reason: 'goods sent' }),
  );
});

it('keeps ticket and reason for when the session is resumed, and shows them before it asks', async () => {
  const { paymentId } = await desk.paid();
  const next = await desk.paid();
  const first = await openAnew([String(paymentId), String(next.paymentId), '--ticket', 'T-1']);
  await menu(first, 'Ticket: T-1', 'The customer has paid');
  first.press('down', 'enter');
  await first.waitFor('Ticket:');
  first.type('T-77\r');
  await first.waitFor('Reason:');
  first.type('paid twice\r');
  await menu(first);
  first.press('up', 'enter');
  await first.waitFor('Refund EUR 10.50? (y/N)');
  first.press('ctrl-c');
  expect(await first.ended()).toBe(130);

  const second = await openAnew();
  await second.waitFor('has 2 of 2 payments left');
  await second.waitFor('navigate');
  second.press('enter');
  await menu(second, '1 of 2', /Reason: paid twice\nTicket: T-77/);
  second.press('up', 'enter');
  await second.waitFor(/Reason: paid twice\nTicket: T-77/);
  await second.waitFor('Refund EUR 10.50? (y/N)');
  second.type('y\r');
  await menu(second, 'Captured → Refunded');
  second.press('enter');
  // What was given for all of them is kept as well.
  await menu(second, '2 of 2', 'Ticket: T-1');
  second.press('ctrl-c');
  expect(await second.ended()).toBe(130);
  const history = await runTyped(['history', '--json'], { home, env: envOf(desk.sandbox) });
  expect(history.json).toContainEqual(
    expect.objectContaining({ operation: 'refund', ticket: 'T-77', reason: 'paid twice' }),
  );
});

it('takes a new ticket for the rest of a session that is resumed', async () => {
  const { paymentId } = await desk.paid();
  const first = await open([String(paymentId), '--ticket', 'T-1', '--reason', 'outage']);
  await menu(first, /Reason: outage\nTicket: T-1/);
  first.press('ctrl-c');
  expect(await first.ended()).toBe(130);
  for (const args of [['--ticket', 'T-2'], []]) {
    const again = await open(args);
    await again.waitFor('has 1 of 1 payment left');
    await again.waitFor('navigate');
    again.press('enter');
    await menu(again, /Reason: outage\nTicket: T-2/);
    again.press('ctrl-c');
    expect(await again.ended()).toBe(130);
  }
});

it('says in the summary what still needs attention, what was left and what is not there', async () => {
  const { paymentId } = await desk.paid();
  const terminal = await open(['stuck-refund-failed', String(paymentId), 'inv-404']);
  await menu(terminal, '1 of 3', 'Refunding since');
  // It is certain once a check that was made after the quiet period says so.
  for (let told = ''; !told.includes('Refund failed'); await offers(terminal)) {
    terminal.press('enter');
    told = await terminal.waitFor(
      /Refund failed: the customer has not received|shows the\s+same after|It has probably failed/,
    );
  }
  terminal.press('enter');
  await menu(terminal, '2 of 3', 'The customer has paid');
  terminal.press('enter');
  await menu(terminal, '3 of 3', 'There is no payment');
  terminal.press('enter');
  await terminal.waitFor('What was done');
  await terminal.waitFor(/payment +entered as +state +actions +status/);
  await terminal.waitFor(/stuck-refund-failed +Refunding → Captured +recheck +needs attention/);
  await terminal.waitFor(new RegExp(`${paymentId} +${paymentId} +Captured +left as it is`));
  await terminal.waitFor(/inv-404 +inv-404 +\? +not found/);
  await terminal.waitFor(/Still needs attention: \d+ \(stuck-refund-failed\)/);
  await terminal.waitFor(/paydesk payments resolve \d+\n/);
  await terminal.waitFor('Not found: inv-404');
  expect(await terminal.ended()).toBe(0);
});

it('does not count as done what was not sent', async () => {
  const { paymentId } = await desk.paid();
  const terminal = await open([String(paymentId)]);
  await menu(terminal, 'The customer has paid');
  // Another desk is faster.
  const elsewhere = temporaryHome();
  const refund = ['payments', 'refund', String(paymentId), '--wait'];
  expect((await runTyped(refund, { home: elsewhere, env: envOf(desk.sandbox) })).code).toBe(0);
  terminal.press('up', 'enter');
  await menu(terminal, 'Refunded. EUR 10.50 was returned to the customer.');
  terminal.press('enter');
  await terminal.waitFor('Nothing was done.');
  await terminal.waitFor(new RegExp(`${paymentId} +${paymentId} +Captured → Refunded +left as it is`));
  expect(await terminal.ended()).toBe(0);
  expect(await desk.sandbox.books(paymentId)).toMatchObject({ refund: '1/1' });
});

it('returns to the menu when Ctrl-C stops following a payment', async () => {
  const { paymentId } = await desk.paid('three-d-secure');
  const terminal = await open([String(paymentId)]);
  await offers(terminal, 'Follow the payment (recommended)');
  terminal.press('enter');
  await terminal.waitFor('Press Ctrl-C to return to the menu.');
  await terminal.waitFor(new RegExp(`${paymentId} .* ActionRequired`));
  terminal.press('ctrl-c');
  await menu(terminal, '1 of 1');
  terminal.press('up', 'enter');
  expect(await terminal.ended()).toBe(0);
});

it('can be left with Quit or Ctrl-C, and is resumed where it was', async () => {
  const file = join(home, 'references.txt');
  writeFileSync(file, 'stuck-not-charged\nseed-refunding\nseed-cancelling\n');
  const first = await openAnew(['--file', file, '--ticket', 'T-9']);
  await menu(first, '1 of 3   stuck-not-charged');
  first.press('enter');
  await menu(first, 'Processing → Failed');
  first.press('enter');
  await menu(first, '2 of 3   seed-refunding');
  first.press('ctrl-c');
  await first.waitFor('2 of 3 payments left. Resume with:');
  await first.waitFor('paydesk payments resolve');
  expect(await first.ended()).toBe(130);

  const second = await openAnew();
  await second.waitFor(/A session from .* has 2 of 3 payments left/);
  await second.waitFor('navigate');
  second.press('enter');
  await menu(second, '2 of 3   seed-refunding', 'Refunding since');
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
  await second.waitFor('1 of 3 payments left. Resume with:');
  expect(await second.ended()).toBe(0);

  const third = await open();
  await third.waitFor('has 1 of 3 payments left');
  await third.waitFor('navigate');
  third.press('enter');
  await menu(third, '3 of 3   seed-cancelling');
  // Past the actions to Skip.
  third.press('down', 'down', 'enter');
  await third.waitFor(/seed-cancelling +Cancelling +skipped/);
  expect(await third.ended()).toBe(0);
  const history = await runTyped(['history', '--json'], { home, env: envOf(desk.sandbox) });
  expect(history.json).toHaveLength(2);
  expect(history.json.every(({ operation, ticket }) => operation === 'recheck' && ticket === 'T-9')).toBe(
    true,
  );
  const fourth = await open();
  await fourth.waitFor('Which payments?');
  fourth.press('ctrl-c');
  expect(await fourth.ended()).toBe(130);
});

it('asks on a live app as the commands do, and continues when that is declined', async () => {
  const { live: app } = desk.sandbox;
  const { paymentId } = await desk.sandbox.create({ amount: 49.9 }, { key: app.apiKey, appId: app.appId });
  await desk.sandbox.pay(paymentId);
  await desk.sandbox.settle();
  const terminal = await open([String(paymentId)], envOf(desk.sandbox, 'live'));
  await terminal.waitFor(app.appId);
  await menu(terminal, 'Captured. The customer has paid EUR 49.90.');
  expect(terminal.raw().split(app.appId)).toHaveLength(2);
  terminal.press('up', 'enter');
  await terminal.waitFor('Type the amount to confirm');
  terminal.press('enter');
  await menu(terminal, 'Nothing was sent.', '1 of 1');
  expect(await desk.sandbox.books(paymentId)).not.toHaveProperty('refund');
  terminal.press('up', 'enter');
  await terminal.waitFor('Type the amount to confirm');
  terminal.type('49.90');
  terminal.press('enter');
  await menu(terminal, 'Captured → Refunded', 'Refunded. EUR 49.90 was returned to the customer.');
  terminal.press('enter');
  await terminal.waitFor('What was done');
  expect(await terminal.ended()).toBe(0);
  expect(await desk.sandbox.books(paymentId)).toMatchObject({ refund: '1/1' });
});

it('takes the known payments that need attention, and shows a payment that is not there', async () => {
  // Longer than the test takes: until it has passed, checking is recommended.
  const env = { ...envOf(desk.sandbox), PAYDESK_QUIET_PERIOD: '10m' };
  const { paymentId } = await desk.paid();
  await desk.fault({ kind: 'drop-before-commit', route: 'refund', next: 1 });
  expect((await runTyped(['payments', 'refund', String(paymentId)], { home, env })).code).toBe(6);
  const terminal = await open(['nowhere', '--stuck'], env);
  await menu(terminal, '1 of 2   nowhere', 'There is no payment');
  terminal.press('enter');
  await terminal.waitFor(`2 of 2   ${paymentId}`);
  await terminal.waitFor('Unknown outcome');
  await offers(terminal, 'Check the outcome (recommended)');
  // Checking sends nothing.
  terminal.press('enter');
  await menu(terminal, 'outcome unknown', '2 of 2');
  // Its first letters go to a choice, wherever the cursor is.
  terminal.type('Quit');
  await terminal.waitFor('❯ Quit');
  terminal.press('enter');
  expect(await terminal.ended()).toBe(0);
  expect(await desk.sandbox.books(paymentId)).not.toHaveProperty('refund');
});

it('offers to read a payment again while the service is away', async () => {
  const { paymentId } = await desk.paid();
  await desk.fault({ kind: 'error-before-commit', route: 'get', status: 503 });
  const terminal = await open([String(paymentId)]);
  await terminal.waitFor('503');
  await offers(terminal, '❯ Try again');
  expect((await desk.sandbox.control('DELETE', '/faults')).status).toBeLessThan(300);
  terminal.press('enter');
  await terminal.waitFor('The customer has paid');
  await offers(terminal, '❯ Next');
  terminal.press('escape');
  expect(await terminal.ended()).toBe(0);
});

it('refuses without a terminal, and names the commands to use instead', async () => {
  const env = envOf(desk.sandbox);
  const { code, stdout, stderr } = await runTyped(['payments', 'resolve', 'inv-1', 'inv-2'], { home, env });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('resolve needs a terminal where it can ask questions. Nothing was sent.');
  expect(stderr).toContain('paydesk payments explain inv-1 inv-2');
  const json = await runTyped(['payments', 'resolve', '--json'], { home, env });
  expect(json.code).toBe(2);
  expect(JSON.parse(json.stdout)).toMatchObject({
    error: {
      code: 'no-terminal',
      next: ['paydesk payments explain -', expect.any(String), expect.any(String)],
    },
  });
});

it('leaves at Esc, and neither digits nor letters go to what moves money', async () => {
  const { paymentId } = await desk.paid();
  const terminal = await open([String(paymentId)]);
  await menu(terminal, 'The customer has paid');
  terminal.type('1');
  terminal.type('r');
  terminal.press('tab', 'down');
  // The cursor was still on Next.
  await terminal.waitFor('❯ Set ticket and reason');
  terminal.press('escape');
  await terminal.waitFor('Nothing was done.');
  expect(await terminal.ended()).toBe(0);

  const hasty = await open([String(paymentId)]);
  await menu(hasty, 'The customer has paid');
  hasty.press('up');
  await hasty.waitFor('❯ Refund EUR 10.50');
  hasty.type('\u001B\ry\r');
  expect(await hasty.ended()).toBe(0);
  expect(hasty.text()).not.toContain('Refund EUR 10.50?');
  expect(await desk.sandbox.books(paymentId)).not.toHaveProperty('refund');
});

it('goes back at Esc where there is a payment before', async () => {
  const terminal = await open(['seed-captured', 'seed-refunded']);
  await menu(terminal, '1 of 2');
  terminal.press('enter');
  await menu(terminal, '2 of 2');
  terminal.press('escape');
  await menu(terminal, '1 of 2');
  terminal.press('escape');
  // One was gone through, the other one was only looked at.
  await terminal.waitFor(/\d+ +seed-captured +Captured +left as it is/);
  await terminal.waitFor(/\d+ +seed-refunded +Refunded +open/);
  expect(await terminal.ended()).toBe(0);
});

it('ends with 6 when it is stopped at once after a refund has left', async () => {
  const { paymentId } = await desk.paid();
  await desk.fault({ kind: 'latency', route: 'refund', next: 1, delayMs: 60_000, afterCommit: true });
  const terminal = await openAnew([String(paymentId)]);
  await menu(terminal, 'The customer has paid');
  terminal.press('up', 'enter');
  await terminal.waitFor('Refund EUR 10.50? (y/N)');
  terminal.type('y\r');
  await waitForFaults(desk.sandbox);
  // The first Ctrl-C reads the payment, and the second does not wait for that.
  await desk.fault({ kind: 'latency', route: 'get', next: 1, delayMs: 60_000 });
  terminal.press('ctrl-c');
  await waitForFaults(desk.sandbox);
  terminal.press('ctrl-c');
  expect(await terminal.ended()).toBe(6);
});

it('ends with 6 when Ctrl-C leaves the outcome of a refund unknown', async () => {
  const { paymentId } = await desk.paid();
  onTestFinished(async () => void (await desk.sandbox.control('DELETE', '/faults')));
  await desk.fault({ kind: 'latency', route: 'refund', next: 1, delayMs: 60_000, afterCommit: true });
  const terminal = await open([String(paymentId)]);
  await menu(terminal, 'The customer has paid');
  terminal.press('up', 'enter');
  await terminal.waitFor('Refund EUR 10.50? (y/N)');
  terminal.type('y\r');
  await waitForFaults(desk.sandbox);
  await desk.fault({ kind: 'error-before-commit', route: 'get' });
  terminal.press('ctrl-c');
  expect(await terminal.ended()).toBe(6);
});

it('says that nothing was sent when the service is away', async () => {
  const { paymentId } = await desk.paid();
  const terminal = await open([String(paymentId)]);
  await menu(terminal, 'The customer has paid');
  await desk.fault({ kind: 'error-before-commit', route: 'get', status: 503 });
  onTestFinished(async () => void (await desk.sandbox.control('DELETE', '/faults')));
  terminal.press('up', 'enter');
  await terminal.waitFor(/temporarily unavailable[^]*Nothing was sent\./);
  terminal.press('ctrl-c');
  expect(await terminal.ended()).toBe(130);
  expect(await desk.sandbox.books(paymentId)).not.toHaveProperty('refund');
});

it('keeps an earlier session that was not finished, and says so', async () => {
  const first = await open(['seed-held', 'seed-captured', '--ticket', 'T-500']);
  await menu(first, '1 of 2   seed-held');
  first.press('ctrl-c');
  expect(await first.ended()).toBe(130);

  const other = await open(['seed-refunded']);
  await other.waitFor('An earlier session has 2 of 2 payments left. Resume it later with:');
  await menu(other, '1 of 1   seed-refunded');
  other.press('enter');
  expect(await other.ended()).toBe(0);

  const resumed = await open();
  await resumed.waitFor('has 2 of 2 payments left');
  await resumed.waitFor('navigate');
  resumed.press('enter');
  await menu(resumed, '1 of 2   seed-held', 'Ticket: T-500');
  resumed.press('ctrl-c');
  expect(await resumed.ended()).toBe(130);

  // The same payments again: then nothing is left of the earlier session.
  const again = await open(['seed-held', 'seed-captured']);
  await menu(again, '1 of 2   seed-held');
  expect(again.raw()).not.toContain('An earlier session');
  again.press('ctrl-c');
  expect(await again.ended()).toBe(130);
});

it('says what to type for names with a comma between them', async () => {
  const terminal = await open(['seed-held,seed-captured']);
  await menu(terminal, /Put spaces\s+between payments/, 'paydesk payments resolve seed-held seed-captured');
  terminal.press('ctrl-c');
  expect(await terminal.ended()).toBe(130);
});
