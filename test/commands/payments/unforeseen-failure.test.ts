import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { deskAt, openTestDesk, type Ran, runTyped, type TestDesk } from '../../helpers/desk.js';
import { newReference } from '../../helpers/sandbox.js';

let first: TestDesk;
let desk: TestDesk;
beforeAll(async () => {
  first = await openTestDesk();
});
afterAll(() => first.sandbox.close());
beforeEach(async () => {
  desk = deskAt(first.sandbox);
  await paydesk('history');
  desk.requests();
});
afterEach(() => first.sandbox.control('DELETE', '/faults'));

const paydesk = (...args: string[]): Promise<Ran> => runTyped(args, { home: desk.home, env: desk.env });

function change(sql: string): void {
  const database = new DatabaseSync(join(desk.home, 'data', 'desk.db'));
  database.exec(sql);
  database.close();
}

/** The ledger refuses to write down how something ended, in a way that no code expects. */
const refuseOutcomes = () =>
  change(`create trigger unforeseen before insert on outcomes when new.outcome in ('done', 'accepted')
          begin select raise(abort, 'unforeseen'); end`);
const takeOutcomes = () => change('drop trigger unforeseen');

const sent = (end: string): number =>
  desk.requests().filter((line) => line.startsWith('POST ') && line.endsWith(end)).length;

it('a refund that cannot be recorded ends with 6, and the next run finds it out without sending', async () => {
  const payment = await desk.paid();
  const id = String(payment.paymentId);
  refuseOutcomes();
  const refunded = await paydesk('payments', 'refund', id, '--json');
  expect([refunded.code, refunded.json]).toMatchObject([
    6,
    {
      error: {
        code: 'outcome-not-recorded',
        message: expect.stringMatching(
          /ended as accepted \(Refunding\), which could not be written/,
        ) as string,
        next: [`paydesk payments check ${id}`],
      },
    },
  ]);
  expect((await paydesk('history', '--json')).json).toMatchObject([{ outcome: 'unknown' }]);
  takeOutcomes();
  expect((await paydesk('payments', 'refund', id)).code).toBe(0);
  expect(sent(`/${id}/refund`)).toBe(1);
});

it('of several refunds, each that cannot be recorded is unknown', async () => {
  const ids = [await desk.paid(), await desk.paid()].map(({ paymentId }) => String(paymentId));
  refuseOutcomes();
  const { code, json } = await paydesk('payments', 'refund', ...ids, '--json');
  expect([code, json]).toMatchObject([6, [{ outcome: 'unknown' }, { outcome: 'unknown' }]]);
});

it('a charge that cannot be recorded ends with 6, and the next run finds it', async () => {
  const customer = await desk.stored();
  const reference = newReference();
  const charge = ['payments', 'charge', '--customer', customer, '--amount', '5', '--reference', reference];
  refuseOutcomes();
  const charged = await paydesk(...charge, '--json');
  expect([charged.code, charged.json]).toMatchObject([6, { error: { code: 'outcome-not-recorded' } }]);
  takeOutcomes();
  expect((await paydesk(...charge)).code).toBe(0);
  expect(sent('/auto-payment')).toBe(1);
});

it.each(['outcomes', 'batch_rows'])(
  'a batch of charges whose %s cannot be written ends with 6, and is resumed without sending twice',
  async (table) => {
    const customer = await desk.stored();
    const references = [newReference(), newReference()];
    const [file, plan] = [join(desk.home, 'charges.csv'), join(desk.home, 'plan.json')];
    writeFileSync(
      file,
      `reference,customer,amount\n${references.map((one) => `${one},${customer},5\n`).join('')}`,
    );
    expect((await paydesk('batch', 'plan', file, '--action', 'charge', '--out', plan)).code).toBe(0);
    if (table === 'outcomes') refuseOutcomes();
    else {
      change(`create trigger unforeseen before update of finished on batch_rows when new.outcome is not null
              begin select raise(abort, 'unforeseen'); end`);
    }
    const applied = await paydesk('batch', 'apply', plan, '--concurrency', '1');
    expect([applied.code, applied.stderr]).toEqual([
      6,
      expect.stringMatching(/outcome of 2 rows is unknown|may have been carried out/),
    ]);
    takeOutcomes();
    const [batch] = (await paydesk('batch', 'status', '--json')).json;
    const resumed = await paydesk('batch', 'resume', String(batch?.['id']), '--json');
    expect([resumed.code, resumed.json]).toMatchObject([0, { done: 2, unknown: 0, pending: 0 }]);
    expect(sent('/auto-payment')).toBe(2);
  },
);
