import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deskAt, envOf, openTestDesk, runTyped, type TestDesk } from '../helpers/desk.js';

let desk: TestDesk;
beforeAll(async () => {
  desk = await openTestDesk();
});
afterAll(() => desk.sandbox.close());

/** Commands that need the ledger before they send anything; `{id}` is a paid payment, `{csv}` a file that names it. */
const sending = [
  'payments refund {id}',
  'payments refund {id} --dry-run',
  'payments check {id}',
  'payments charge --customer c_881 --amount 5 --reference unusable-1',
  'payments import {csv}',
  'batch plan {csv} --action refund',
  'batch apply plan.json',
  'batch resume 20261114-a7k2mq',
  'batch status',
];

async function run(line: string, home: string, env: Record<string, string>) {
  const { paymentId } = await desk.paid();
  const csv = join(home, 'payments.csv');
  writeFileSync(csv, `payment\n${paymentId}\n`);
  desk.requests();
  const words = line.replace('{id}', String(paymentId)).replace('{csv}', csv).split(' ');
  const { code, json } = await runTyped([...words, '--json'], { home, env });
  expect(desk.requests().filter((request) => !request.startsWith('GET '))).toEqual([]);
  return [code, json];
}

it('a database that is no address is refused with an example that can be read', async () => {
  const { stderr, code } = await runTyped(['history'], { home: desk.home, env: { PAYDESK_DATABASE: 'foo' } });
  expect([code, stderr]).toEqual([2, expect.stringContaining('such as postgres://host/database')]);
});

describe('a ledger whose server does not answer', () => {
  it.each([
    'payments list',
    'payments find ann',
    'history',
    'webhook events',
    'customers forget zz --yes',
    'ledger adopt --yes',
    ...sending,
  ])('ends %s with 5', async (line) => {
    const env = { ...envOf(desk.sandbox), PAYDESK_DATABASE: 'postgres://127.0.0.1:9/desk' };
    expect(await run(line, desk.home, env)).toMatchObject([5, { error: { exit: 5 } }]);
  });

  it.each(sending)('is temporary for %s, which says that nothing was sent', async (line) => {
    const env = { ...envOf(desk.sandbox), PAYDESK_DATABASE: 'postgres://127.0.0.1:9/desk' };
    expect(await run(line, desk.home, env)).toMatchObject([
      5,
      {
        error: {
          code: 'ledger-unavailable',
          message: expect.stringMatching(
            /^The ledger cannot be used\. Nothing was sent\. .*is not available/,
          ) as string,
          next: ['paydesk doctor'],
        },
      },
    ]);
  });
});

/** What no retry makes usable: a ledger of a newer paydesk, and a file that is no database. */
const broken = {
  'store-newer': async (home: string) => {
    await runTyped(['history'], { home });
    const database = new DatabaseSync(join(home, 'data', 'desk.db'));
    database.exec("insert into store_migration values (99, 'of-a-newer-paydesk', 0)");
    database.close();
  },
  'store-unusable': async (home: string) => {
    mkdirSync(join(home, 'data'), { mode: 0o700 });
    writeFileSync(join(home, 'data', 'desk.db'), 'no database', { mode: 0o600 });
  },
};

describe.each(Object.entries(broken))('a ledger that is %s', (code, breakLedger) => {
  let home: string;
  beforeAll(async () => {
    ({ home } = deskAt(desk.sandbox));
    await breakLedger(home);
  });

  it.each(sending)('ends %s with 1, and says that nothing was sent', async (line) => {
    expect(await run(line, home, envOf(desk.sandbox))).toMatchObject([
      1,
      {
        error: {
          code,
          message: expect.stringMatching(
            /^The ledger cannot be used\. Nothing was sent\. The (database|file) /,
          ) as string,
          next: ['paydesk doctor'],
        },
      },
    ]);
  });
});
