import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWithPostgres } from '../../helpers/postgres.js';
import { openTestDesk, payments, type TestDesk } from '../../helpers/desk.js';
import { httpServer } from '../../helpers/servers.js';

let desk: TestDesk;
beforeAll(async () => {
  desk = await openTestDesk();
});
afterAll(() => desk.sandbox.close());

let customers = 0;

type Paid = Awaited<ReturnType<TestDesk['paid']>>;

function twiceTests(database: () => Promise<Record<string, string>>): void {
  let env: Record<string, string>;
  beforeAll(async () => {
    env = { PAYDESK_HOME: mkdtempSync(join(tmpdir(), 'paydesk-home-')), ...(await database()) };
  });
  const explain = (...words: Array<string | number>) => desk.run('explain', words, { env, now: new Date() });
  const paidBy = (customerId: string, amount = 49.9, card = 'approved') =>
    desk.paid(card, { amount, customerOrder: { customer: { customerId } } });
  const newCustomer = () => `twice-${(customers += 1)}`;

  it('says that the same customer paid the same amount, with both commands', async () => {
    const customer = newCustomer();
    const first = await paidBy(customer);
    await desk.sandbox.control('POST', '/clock', { action: 'advance', value: 240_000 });
    const second = await paidBy(customer);
    await explain(first.paymentId);
    const { stdout } = await explain(second.paymentId);
    expect(stdout).toMatch(
      new RegExp(`also-paid\\tThis customer also paid EUR 49.90 .+ \\(${first.paymentId}, Captured\\)\\.`),
    );
    expect(stdout).toContain(`paydesk payments explain ${first.paymentId}`);
    expect(stdout).toContain(`paydesk payments refund ${second.paymentId}`);
    const { json } = await explain(first.paymentId, '--json');
    expect(json['alsoPaid']).toMatchObject([
      { paymentId: second.paymentId, state: 'Captured', amount: 49.9, currency: 'EUR' },
    ]);
    const shown = await desk.run('explain', [second.paymentId], { env, terminal: true, now: new Date() });
    expect(shown.stdout).toContain('This customer also paid EUR 49.90');
    expect(shown.stdout).not.toContain('Nothing needs to be done');
    expect(shown.stdout).toContain(
      `If the customer meant to pay once, refund one of the payments:\n  paydesk payments refund ${second.paymentId}\n`,
    );
    // Once one of them has gone back, nobody is to refund the other as well.
    await desk.run('refund', [first.paymentId, '--wait'], { env });
    for (const { paymentId } of [first, second]) {
      expect((await explain(paymentId)).stdout).not.toMatch(/also-paid.*payments refund/);
    }
  });

  it('refunds neither while a refund of one of them is not over, and the same one whoever is asked about', async () => {
    const customer = newCustomer();
    await desk.sandbox.control('POST', '/clock', { action: 'stop' });
    const [first, second] = [await paidBy(customer), await paidBy(customer)];
    await desk.sandbox.control('POST', '/clock', { action: 'resume' });
    for (const { paymentId } of [first, second]) await explain(paymentId);
    for (const { paymentId } of [first, second]) {
      const { stdout } = await explain(paymentId);
      expect(stdout).toMatch(new RegExp(`also-paid.*payments refund ${second.paymentId}`));
      expect(stdout).not.toMatch(new RegExp(`also-paid.*payments refund ${first.paymentId}`));
    }
    await desk.fault({ kind: 'drop-before-commit', route: 'refund', next: 1 });
    expect((await desk.run('refund', [first.paymentId], { env })).code).toBe(6);
    for (const { paymentId } of [first, second]) {
      expect((await explain(paymentId)).stdout).not.toMatch(/also-paid.*payments refund/);
    }
  });

  it.each([404, 503])('refunds neither where the other one is answered with %d', async (status) => {
    let isGone = false;
    const server = await httpServer(({ url }, response) => {
      const [, paymentId] = /payments\/(\d+)$/.exec(url) ?? [];
      if (paymentId === undefined || (isGone && paymentId === '1'))
        return response.writeHead(paymentId === undefined ? 404 : status).end();
      const createdTime = `2026-11-14T10:0${paymentId}:00Z`;
      const money = { amount: 49.9, currency: 'EUR', paymentState: 'Captured' };
      const payment = { paymentId: Number(paymentId), customerId: newest, createdTime, ...money };
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(payment));
    });
    const newest = newCustomer();
    const app = { PAYDESK_BASE_URL: server.url, PAYDESK_APP_ID: 'a', PAYDESK_API_KEY: 'key-1234' };
    const at = { ...env, ...app, PAYDESK_KIND: 'sandbox' };
    await payments(at, 'explain', [1]);
    const refund = /also-paid.*payments refund 2/;
    expect((await payments(at, 'explain', [2])).stdout).toMatch(refund);
    isGone = true;
    const { stdout } = await payments(at, 'explain', [2]);
    expect(stdout).toContain('also-paid');
    expect(stdout).not.toMatch(refund);
  });

  it('says nothing of another amount, another customer, or a payment that was not paid', async () => {
    const customer = newCustomer();
    const payment = await paidBy(customer);
    const others = [
      await paidBy(customer, 50),
      await paidBy(newCustomer()),
      await paidBy(customer, 49.9, 'declined'),
    ];
    for (const { paymentId } of others) await explain(paymentId);
    expect((await explain(payment.paymentId, '--json')).json['alsoPaid']).toEqual([]);
  });

  it('writes to the customer of both payments, and promises nothing', async () => {
    const customer = newCustomer();
    const first = await paidBy(customer);
    const second = await paidBy(customer);
    await explain(first.paymentId);
    const reply = async (...more: string[]) =>
      (await explain(second.paymentId, '--as-reply', ...more)).stdout;
    const part = (reference: string) => `of EUR 49\\.90 from \\d+ \\w+ \\d{4} \\(reference ${reference}\\)`;
    const [one, two] = [part(first.referenceId), part(second.referenceId)];
    expect(await reply()).toMatch(
      new RegExp(
        `\n\nOur records show your payments ${two} and ${one}\\. You may have paid twice\\. We are checking this and will write to you by \\d+ \\w+ \\d{4}\\.\n$`,
      ),
    );
    for (const language of ['de', 'es', 'fr']) {
      const text = await reply('--lang', language);
      expect(text.match(/49,90\u{a0}€/gu)).toHaveLength(2);
      expect(text).toContain(first.referenceId);
      expect(text).not.toMatch(/dank|gracias|merci|erstatte|reembols|rembours/i);
    }

    // Somebody else refunds it: this desk has to look.
    await desk.sandbox.call('POST', `/payments/${second.paymentId}/refund`);
    await desk.sandbox.settle();
    expect((await explain(first.paymentId, '--as-reply')).stdout).not.toContain('paid twice');
    expect(await reply()).toMatch(
      new RegExp(
        `We have refunded your payment ${two}\\. .* We have also received your payment ${one}\\.\n$`,
      ),
    );
    expect((await explain(first.paymentId, '--as-reply')).stdout).toMatch(
      new RegExp(
        `We have received your payment ${one}\\. Thank you! .* We have refunded your payment ${two}\\. `,
      ),
    );
  });

  it('names every payment of a customer who paid three times, and refunds all but one', async () => {
    const customer = newCustomer();
    const made = [await paidBy(customer), await paidBy(customer), await paidBy(customer)];
    for (const { paymentId } of made) await explain(paymentId);
    const [first, second, third] = made as [Paid, Paid, Paid];
    for (const { paymentId } of made) {
      const shown = await desk.run('explain', [paymentId], { env, terminal: true, now: new Date() });
      const [, todo = ''] = shown.stdout.split('refund all but one of the payments:\n');
      const refunds = todo.split('\n').slice(0, 2).toSorted();
      expect(refunds).toEqual([second, third].map((paid) => `  paydesk payments refund ${paid.paymentId}`));
    }
    const reply = async ({ paymentId }: Paid, ...more: string[]) =>
      (await explain(paymentId, '--as-reply', ...more)).stdout;
    const namesAll = (text: string) =>
      made.map(({ referenceId }) => text.split(` ${referenceId})`).length - 1).join();
    expect(await reply(first)).toMatch(
      /Our records show your payments .*\. You may have paid more than once\. /,
    );
    for (const language of ['en', 'de', 'es', 'fr'])
      expect(namesAll(await reply(first, '--lang', language))).toBe('1,1,1');

    await desk.sandbox.call('POST', `/payments/${third.paymentId}/refund`);
    await desk.sandbox.settle();
    for (const each of made) expect(namesAll(await reply(each))).toBe('1,1,1');
    expect(await reply(first)).toMatch(/You may have paid twice\. .* We have refunded your payment /);
    expect((await reply(third)).match(/We have also received your payment /g)).toHaveLength(2);
    await desk.sandbox.call('POST', `/payments/${second.paymentId}/refund`);
    await desk.sandbox.settle();
    const text = await reply(first);
    expect(namesAll(text)).toBe('1,1,1');
    expect(text).toMatch(/We have refunded your payment .* We have also refunded your payment /);
    expect(text.match(/business days/g)).toHaveLength(1);
  });

  it('counts the payments that a reply has no room for', async () => {
    const customer = newCustomer();
    const made: Paid[] = [];
    for (let count = 0; count < 8; count += 1) made.push(await paidBy(customer));
    for (const { paymentId } of made) await desk.run('get', [paymentId], { env });
    const { stdout } = await explain(made[0]!.paymentId, '--as-reply');
    expect(stdout.match(/of EUR 49\.90/g)).toHaveLength(6);
    expect(stdout).toContain(' and 2 more. You may have paid more than once.');
  });

  it.each([
    [
      'declined',
      /received your payment .+\. Your payment .+ was not completed, .+ You don’t need to pay again\.\n$/,
    ],
    ['held', /still reviewing your payment .+ We have also received your payment .+\.\n$/],
  ])('asks nobody to pay again who has paid, about one that is %s', async (card, expected) => {
    const customerOrder = { customer: { customerId: newCustomer() } };
    const made = [
      await desk.sandbox.create({ amount: 88.8, customerOrder }),
      await desk.sandbox.create({ amount: 88.8, customerOrder }),
    ];
    await desk.sandbox.pay(made[0]!.paymentId);
    await desk.sandbox.pay(made[1]!.paymentId, card);
    await desk.sandbox.settle();
    for (const { paymentId } of made) await desk.run('get', [paymentId], { env });
    expect((await explain(made[1]!.paymentId, '--as-reply')).stdout).toMatch(expected);
    for (const language of ['de', 'es', 'fr']) {
      const { stdout } = await explain(made[1]!.paymentId, '--as-reply', '--lang', language);
      for (const { referenceId } of made) expect(stdout.split(referenceId)).toHaveLength(2);
    }
  });

  it('reads the other payment again: it may have been paid since this desk saw it', async () => {
    const customerOrder = { customer: { customerId: newCustomer() } };
    const made = [
      await desk.sandbox.create({ amount: 77.7, customerOrder }),
      await desk.sandbox.create({ amount: 77.7, customerOrder }),
    ];
    for (const { paymentId } of made) await desk.run('get', [paymentId], { env });
    for (const { paymentId } of made) await desk.sandbox.pay(paymentId);
    await desk.sandbox.settle();
    const [first, second] = made.map(({ paymentId }) => paymentId);
    expect((await explain(second!, '--json')).json['alsoPaid']).toMatchObject([
      { paymentId: first, state: 'Captured' },
    ]);
  });

  it('says "also" only of a payment that was paid', async () => {
    const customer = newCustomer();
    const paid = await paidBy(customer);
    const open = await desk.sandbox.create({
      amount: paid.amount,
      customerOrder: { customer: { customerId: customer } },
    });
    await explain(paid.paymentId);
    const { stdout } = await explain(open.paymentId);
    expect(stdout).toContain('This customer paid EUR 49.90');
  });

  it('knows the same person by the e-mail address of the orders', async () => {
    const [one, two] = [await paidBy(newCustomer()), await paidBy(newCustomer())];
    const file = join(env['PAYDESK_HOME']!, 'orders.csv');
    const rows = [`${one.referenceId},dora@shop.example`, `${two.referenceId},Dora@Shop.example`];
    writeFileSync(file, `reference,email\n${rows.join('\n')}\n`);
    await desk.run('import', [file], { env });
    expect((await explain(one.paymentId, '--json')).json['alsoPaid']).toMatchObject([
      { paymentId: two.paymentId },
    ]);
  });
}

describe('a customer who paid twice, on SQLite', () => twiceTests(async () => ({})));

describeWithPostgres('a customer who paid twice, on PostgreSQL', (postgres) => {
  twiceTests(async () => ({ PAYDESK_DATABASE: await postgres().createDatabase() }));
});
