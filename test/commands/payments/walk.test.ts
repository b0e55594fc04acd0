import { afterAll, beforeAll, expect, it } from 'vitest';
import { envOf, openTestDesk, runTyped, temporaryHome, type TestDesk } from '../../helpers/desk.js';
import type { Tty } from '../../helpers/run.js';
import { shareTerminal } from '../../helpers/shared-terminal.js';

// With the arrow keys from what a caller says to the payment, what became of it, and what can be done.

let desk: TestDesk;
const home = temporaryHome();
beforeAll(async () => {
  desk = await openTestDesk();
});
afterAll(() => desk.sandbox.close());

const type = shareTerminal();
const open = (...args: string[]) => type(args, { home, env: envOf(desk.sandbox), rows: 60 });

/** Waits for a list; its last line means that keys are read. */
async function list(terminal: Tty, message: string, ...choices: Array<string | RegExp>): Promise<void> {
  for (const text of [message, ...choices]) await terminal.waitFor(text);
  await terminal.waitFor('navigate');
}

it('walks from find into explain and resolve, back to the list, and out', async () => {
  const customerOrder = {
    customer: { customerId: 'c_walk', firstName: 'Wanda', email: 'wanda@walk.example' },
  };
  const held = await desk.paid('held', { customerOrder });
  const captured = await desk.paid('approved', { customerOrder, amount: 49.9 });
  await desk.run('get', [held.paymentId, captured.paymentId], { env: { PAYDESK_HOME: home } });

  const terminal = await open('payments', 'find', 'c_walk');
  await list(terminal, 'Open a payment?', `❯ ${captured.paymentId}`, String(held.paymentId));
  terminal.press('down', 'enter');
  await terminal.waitFor('Held by a fraud rule');
  await list(terminal, `What next for ${held.paymentId}?`, '❯ Back to the list', 'Resolve it');
  terminal.press('down', 'enter');
  await list(terminal, 'Choose:', 'Approve and charge');
  terminal.press('ctrl-c');
  expect(await terminal.ended()).toBe(130);
  expect(await desk.sandbox.books(held.paymentId)).not.toHaveProperty('capture');

  const again = await open('payments', 'find', 'c_walk', 'captured');
  await list(again, 'Open a payment?', `❯ ${captured.paymentId}`);
  again.press('enter');
  await again.waitFor('The customer has paid EUR 49.90');
  await list(again, 'What next');
  again.press('enter');
  await list(again, 'Open a payment?');
  again.press('up', 'enter');
  expect(await again.ended()).toBe(0);
});

it('shows the state that was read once a payment was opened, and how old the others are', async () => {
  const fresh = temporaryHome();
  const customerOrder = { customer: { customerId: 'c_stale' } };
  const made = await desk.sandbox.create({ customerOrder });
  const other = await desk.sandbox.create({ customerOrder });
  await desk.run('get', [made.paymentId, other.paymentId], {
    env: { PAYDESK_HOME: fresh },
    now: new Date(Date.now() - 20_000),
  });
  for (const { paymentId } of [made, other]) await desk.sandbox.pay(paymentId);
  await desk.sandbox.settle();

  const terminal = await type(['payments', 'find', 'c_stale'], {
    home: fresh,
    env: envOf(desk.sandbox),
    rows: 60,
  });
  await terminal.waitFor(/as last seen up to \d+ \w+ ago\. Opening one reads it again\./);
  await list(terminal, 'Open a payment?', new RegExp(`${made.paymentId} .* Created`));
  terminal.press('down', 'enter');
  await terminal.waitFor('Captured. The customer has paid');
  await list(terminal, `What next for ${made.paymentId}?`);
  terminal.press('enter');
  // The cursor is where it was.
  await list(
    terminal,
    'Open a payment?',
    new RegExp(`  ${other.paymentId} .* Created.*\\n❯ ${made.paymentId} .* Captured`),
  );
  terminal.press('escape');
  expect(await terminal.ended()).toBe(0);
});

it('shows the reference and how to quit a long list on a narrow terminal', async () => {
  const long = temporaryHome();
  const customerOrder = { customer: { customerId: 'c_narrow', firstName: 'Nora', lastName: 'Narrow' } };
  const made = await Promise.all(
    Array.from({ length: 13 }, (_, at) =>
      desk.sandbox.create({ referenceId: `a-very-long-reference-${at}`, customerOrder }),
    ),
  );
  const ids = made.map(({ paymentId }) => paymentId);
  await desk.run('get', ids, { env: { PAYDESK_HOME: long } });
  const terminal = await type(['payments', 'find', 'c_narrow'], {
    home: long,
    env: envOf(desk.sandbox),
    columns: 60,
    rows: 24,
  });
  await terminal.waitFor(/a-very-long-reference-\d+ +c_narrow\n/);
  await terminal.waitFor('esc quit');
  terminal.type('q');
  await terminal.waitFor('❯ Quit');
  terminal.press('enter');
  expect(await terminal.ended()).toBe(0);
});

it('breaks the hints of a menu between words', async () => {
  const { paymentId } = await desk.paid();
  const terminal = await type(['payments', 'resolve', String(paymentId)], {
    home,
    env: envOf(desk.sandbox),
    columns: 50,
    rows: 60,
  });
  await list(terminal, 'Choose:', 'Set ticket and reason');
  terminal.press('down');
  await terminal.waitFor('Recorded in the ledger with what you do to this\npayment.');
  terminal.press('ctrl-c');
  expect(await terminal.ended()).toBe(130);
});

it('walks from a customer to their payments', async () => {
  const terminal = await open('customers', 'find', 'wanda');
  await list(terminal, 'Open a customer?', /❯ c_walk +Wanda +wanda@walk.example/, 'Quit');
  terminal.press('enter');
  await terminal.waitFor('Customer c_walk');
  await list(terminal, 'Open a payment?', 'Captured', 'Held', 'Back to the customers');
  terminal.press('down', 'down', 'enter');
  await list(terminal, 'Open a customer?');
  terminal.press('down', 'enter');
  expect(await terminal.ended()).toBe(0);
});

it.each([
  ['payments', 'find', 'c_walk', '--no-input'],
  ['customers', 'find', 'wanda', '--no-input'],
  ['payments', 'find', 'c_walk', '--columns=customer'],
  ['payments', 'find', 'c_walk', '--json'],
  ['customers', 'find', 'wanda', '--json'],
])('%s %s %s %s asks nothing', async (...args) => {
  const { code, stdout, stderr } = await runTyped(args, { home, env: envOf(desk.sandbox), terminal: true });
  expect([code, stdout]).toEqual([0, expect.stringContaining('c_walk')]);
  expect(stdout + stderr).not.toContain('Open a');
});

it('goes back at Esc from a payment to the list, and out of it', async () => {
  const { paymentId } = await desk.paid();
  await desk.run('get', [paymentId], { env: { PAYDESK_HOME: home } });
  const terminal = await open('payments', 'find', String(paymentId));
  await list(terminal, 'Open a payment?');
  terminal.press('enter');
  await list(terminal, `What next for ${paymentId}?`);
  terminal.press('escape');
  await list(terminal, 'Open a payment?');
  terminal.press('escape');
  expect(await terminal.ended()).toBe(0);
});

it('says that a search for customers is incomplete when the service is away', async () => {
  const customerOrder = { customer: { customerId: 'c_away' } };
  const { paymentId } = await desk.paid('approved', { customerOrder });
  await desk.run('get', [paymentId], { env: { PAYDESK_HOME: home } });
  const env = { ...envOf(desk.sandbox), PAYDESK_BASE_URL: 'http://127.0.0.1:9' };
  const terminal = await type(['customers', 'find', 'c_away'], { home, env, rows: 60 });
  await terminal.waitFor('The search is incomplete: it shows only customers of known payments.');
  await terminal.waitFor('could not be reached');
  await list(terminal, 'Open a customer?', 'c_away');
  terminal.press('escape');
  expect(await terminal.ended()).toBe(5);
});
