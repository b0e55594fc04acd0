import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFlags, openTestDesk, type TestDesk } from '../../helpers/desk.js';

let desk: TestDesk;
const env = { PAYDESK_HOME: mkdtempSync(join(tmpdir(), 'paydesk-home-')) };
beforeAll(async () => {
  desk = await openTestDesk();
});
afterAll(() => desk.sandbox.close());

const find = (...words: string[]) => desk.run('find', words, { env, now: new Date() });

it('says what to do on a desk that knows nothing yet, and that something must be asked for', async () => {
  const none = await find('ana');
  expect([none.code, none.stdout]).toEqual([0, '']);
  expect(none.stderr).toContain('No matching payments.');
  expect(none.stderr).toContain('This desk has no known payments yet.');
  expect(none.stderr).toContain('paydesk payments import orders.csv');
  expect(none.stderr).toContain('paydesk payments get REFERENCE');
  const { code, stderr } = await find();
  expect([code, stderr]).toEqual([2, expect.stringContaining('Type a word, or use a flag')]);
});

it('finds what this desk created and read, by what it was told then', async () => {
  const order = { email: 'ana@example.org', 'first-name': 'Ana', 'last-name': 'Müller', 'order-id': 'W-77' };
  await desk.run('create', createFlags('find-1', order), { env });
  const paid = await desk.paid('approved', { amount: 49.9 });
  await desk.run('get', [paid.paymentId], { env });

  const byName = await find('muller', 'ana', '--json');
  expect(byName.json).toMatchObject([
    {
      referenceId: 'find-1',
      orderId: 'W-77',
      name: 'Ana Müller',
      email: 'ana@example.org',
      state: 'Created',
      match: 'words',
    },
  ]);
  expect((await find('w77', '--json')).json).toMatchObject([{ referenceId: 'find-1', match: 'detail' }]);
  const byAmount = await find('EUR 49.90', 'today', '--json');
  expect(byAmount.json).toMatchObject([
    { paymentId: paid.paymentId, amount: 49.9, state: 'Captured', brand: 'Visa' },
  ]);
  expect((await find('--email', 'ANA@example.org', '--json')).json).toHaveLength(1);
  expect((await find('--brand', 'visa', '--since', '1h', '--json')).json).toHaveLength(1);
  expect((await find('ana', '--on', 'yesterday', '--json')).json).toEqual([]);
  expect((await find('ana', '--amount', '~10', '--state', 'created', '--json')).json).toHaveLength(1);

  const none = await find('inv-9');
  expect([none.code, none.stdout]).toEqual([0, '']);
  expect(none.stderr).toContain('Searched 2 known payments.');
  expect(none.stderr).not.toContain('customers find');
  const named = await find('--customer', 'dora');
  expect(named.stderr).toContain('Find the ID of a customer with: paydesk customers find dora\n');
  expect(none.stderr).toContain('paydesk payments get inv-9');
  const nobody = await find('nobody', '49.90');
  expect(nobody.stderr).toContain('paydesk payments get REFERENCE');
  expect(nobody.stderr).toContain('None of them matches "nobody".');
  const parts: Array<[words: string[], not: string]> = [
    [['ana', '77.70'], '"77.70"'],
    [['ana', '2019-03'], '"2019-03"'],
    [['ana', 'EUR', '77.70', '3', 'days', 'ago'], '"EUR 77.70" or "3 days ago"'],
    [['ana', 'refunded', 'amex'], '"refunded" or "amex"'],
    [['ana', '--brand', 'amex', '--state', 'held'], '--state or --brand'],
    [['ana', '--amount', '77.70', '--on', 'yesterday', '--since', '1h'], '--amount or --on'],
  ];
  for (const [words, not] of parts)
    expect((await find(...words)).stderr).toContain(`\nNone of them matches ${not}.\n`);
  expect((await find('ana', 'find-1', '49.90')).stderr).not.toContain('None of them');

  const similar = await find('ana', 'mullr');
  expect([similar.stdout, similar.stderr]).toEqual([
    expect.stringContaining('find-1'),
    'No known payment has exactly these words. Similar ones:\n',
  ]);

  const reference = await find('fnid-1');
  expect([reference.stdout, reference.stderr]).toEqual([
    expect.stringContaining('find-1'),
    'No known payment has exactly these words. Similar ones:\n',
  ]);

  const table = await find('find-1', '--columns', 'reference,who,order');
  expect(table.stdout).toBe('find-1\tAna Müller\tW-77\n');
  const more = await find('--since', '1h', '--limit', '1');
  expect(more.stderr).toContain('There are more. Add a word, or use --limit N.');
});

it('refuses values that it cannot understand', async () => {
  const bad = await find('ana', '--on', 'someday', '--amount', 'lots', '--json');
  expect(bad.code).toBe(2);
  expect(bad.stdout).toContain('2026-11-10..12');
  expect(bad.stdout).toContain('~50');
  for (const state of ['Nonsense', 'constructor', 'toString']) {
    expect((await find('ana', '--state', state)).code).toBe(2);
  }
});

it('says how old the states are that it shows, and how to read them again', async () => {
  const { paymentId } = await desk.paid('approved', { amount: 31.7 });
  await desk.run('get', [paymentId], { env, now: new Date() });
  const fresh = await find('31.70');
  expect([fresh.stdout, fresh.stderr]).toEqual([expect.stringContaining(String(paymentId)), '']);

  const later = { env, now: new Date(Date.now() + 3 * 3_600_000) };
  const told = [
    'Known payments, as last seen up to 3 hours ago. Read them again with:\n',
    `  paydesk payments get ${paymentId}\n`,
  ].join('');
  expect((await desk.run('find', ['31.70'], later)).stderr).toBe(told);
  const shown = await desk.run('find', ['31.70', '--no-input'], { ...later, terminal: true });
  expect(shown.stderr).toContain(told);
  const { json, stderr } = await desk.run('find', ['31.70', '--json'], later);
  expect([json.length, stderr]).toEqual([1, '']);
});

it('reads many again with one short command', async () => {
  for (let count = 0; count < 6; count += 1) {
    const { paymentId } = await desk.sandbox.create({ amount: 62.3 });
    await desk.run('get', [paymentId], { env, now: new Date() });
  }
  const later = { env, now: new Date(Date.now() + 3 * 3_600_000) };
  const { stderr } = await desk.run('find', ['62.30'], later);
  expect(stderr).toContain('Read them again with:\n  paydesk payments list --refresh --all\n');
});

it('says that the payers of payments which were never read are not known, until they are', async () => {
  const own = { env: { PAYDESK_HOME: mkdtempSync(join(tmpdir(), 'paydesk-home-')) } };
  const now = () => new Date();
  const soon = () => new Date(Date.now() + 10 * 60_000);
  const search = (at: Date, ...words: string[]) => desk.run('find', words, { ...own, now: at });
  await desk.run('create', createFlags('unread-1'), { ...own, now: now() });
  const { referenceId, paymentId } = (await desk.run('find', ['unread-1', '--json'], own)).json[0]!;
  expect(referenceId).toBe('unread-1');
  // It was seen unpaid just now: nobody has paid since, as far as anybody can tell.
  expect((await search(now(), 'visa')).stderr).not.toContain('payer');
  await desk.sandbox.pay(Number(paymentId));
  await desk.sandbox.settle();
  const hint = [
    'The payer and the card of 1 of them are not known yet. Read it with:\n',
    `  paydesk payments get ${paymentId}\n`,
  ].join('');
  for (const words of [['visa'], ['nobody', '10.10'], ['--brand', 'visa']])
    expect((await search(soon(), ...words)).stderr).toContain(hint);
  for (const words of [['inv-77'], ['77.70'], ['--amount', '77.70']])
    expect((await search(soon(), ...words)).stderr).not.toContain('payer');
  await desk.run('get', [String(paymentId)], { ...own, now: now() });
  expect((await search(now(), 'visa')).stdout).toContain('unread-1');
  expect((await search(now(), 'amex')).stderr).not.toContain('payer');
});
