import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Env,
  envOf,
  type Json,
  openTestDesk,
  runTyped,
  temporaryHome,
  type TestDesk,
} from '../../helpers/desk.js';
import { deskDatabases } from '../../helpers/desk-database.js';
import { describeWithPostgres } from '../../helpers/postgres.js';
import { rewriteAnswers } from '../../helpers/rewritten-answers.js';
import { newReference, type ShownPayment } from '../../helpers/sandbox.js';

let desk: TestDesk;
beforeAll(async () => void (desk = await openTestDesk()));
afterAll(() => desk.sandbox.close());

/** Two people at one database: the first one read payments while it could not be reached, and has not opened it since. */
interface Desks {
  env: Env;
  reader: string;
  other: string;
}

const journalIn = (home: string) => join(home, 'data', 'seen.jsonl');

function forgottenReads(makeDesks: () => Promise<Desks>): void {
  let desks: Desks;
  let payment: ShownPayment;
  let customerId: string;
  beforeEach(async () => {
    desks = await makeDesks();
    customerId = `c-${newReference()}`;
    payment = await desk.paid('approved', { customerOrder: { customer: { customerId } } });
  });
  /** Has the service show the name of the payer from now on, and change its answers further. */
  async function rewrite(more: (body: string) => string = (body) => body): Promise<void> {
    const named = (body: string) =>
      body.replace('"payer":{', '"payer":{"fullName":"Zelda Quist","email":"zelda@quist.example",');
    desks.env['PAYDESK_BASE_URL'] = await rewriteAnswers(desk.sandbox, (body) => more(named(body)));
  }
  const runWith = async (env: Env, home: string, ...args: Array<string | number>): Promise<Json> => {
    const all = { ...envOf(desk.sandbox), ...desks.env, ...env };
    const ran = await runTyped([...args, '--json'], { home, env: all });
    expect([args.join(' '), ran.code]).toEqual([args.join(' '), 0]);
    return ran.json;
  };
  const run = (home: string, ...args: Array<string | number>) => runWith({}, home, ...args);
  const readAlone = (...paymentIds: number[]) => {
    const isShared = desks.env['PAYDESK_DATABASE'] !== undefined;
    const away: Env = isShared ? { PAYDESK_DATABASE: 'postgres://paydesk@127.0.0.1:1/away' } : {};
    return runWith(away, desks.reader, 'payments', 'get', ...paymentIds);
  };
  const find = (home: string, typed: string) => run(home, 'payments', 'find', typed);

  /** Where both have one home, the journal is in the hands of a process that imports it only later. */
  async function forgetMeanwhile(): Promise<void> {
    const journal = journalIn(desks.reader);
    expect(existsSync(journal)).toBe(true);
    renameSync(journal, `${journal}.away`);
    await run(desks.other, 'customers', 'forget', customerId, '--yes');
    renameSync(`${journal}.away`, journal);
  }

  it.each([
    ['', (body: string) => body],
    [
      ', and the read does not show the customer',
      (body: string) => body.replace(/"customerId":"[^"]*",/, ''),
    ],
  ])('do not come back where the payment was known%s', async (_, shown) => {
    await rewrite();
    await run(desks.other, 'payments', 'get', payment.paymentId);
    expect(await find(desks.other, customerId)).toMatchObject([{ name: 'Zelda Quist' }]);
    await rewrite(shown);
    await readAlone(payment.paymentId);
    await forgetMeanwhile();
    expect(await find(desks.reader, customerId)).toEqual([]);
    expect(await find(desks.reader, 'zelda')).toEqual([]);
    expect(existsSync(journalIn(desks.reader))).toBe(false);
    expect(await find(desks.reader, payment.referenceId)).toMatchObject([
      { paymentId: payment.paymentId, customerId: null, name: null, email: null },
    ]);
  });

  it('do not come back where only the reader knew the payment', async () => {
    await readAlone(payment.paymentId);
    await forgetMeanwhile();
    expect(await find(desks.reader, customerId)).toEqual([]);
    expect(await find(desks.other, payment.referenceId)).toEqual([]);
  });

  it('are not made again by a list that is refreshed, nor recommended by a search', async () => {
    await rewrite();
    await run(desks.reader, 'payments', 'get', payment.paymentId);
    expect(await find(desks.reader, 'zelda')).toMatchObject([{ name: 'Zelda Quist' }]);
    await run(desks.reader, 'customers', 'forget', customerId, '--yes');
    const typed = (...words: string[]) =>
      runTyped(words, { home: desks.reader, env: { ...envOf(desk.sandbox), ...desks.env } });
    expect((await typed('payments', 'find', 'zelda')).stderr).not.toContain('--refresh');
    const { stderr } = await typed('payments', 'list', '--refresh', '--all');
    expect(stderr).toContain('Not read: 1 payment of customers who were forgotten.');
    expect(await find(desks.reader, 'zelda')).toEqual([]);
  });

  it('of other customers are kept, and so is a later read', async () => {
    const other = await desk.paid();
    await readAlone(payment.paymentId, other.paymentId);
    await forgetMeanwhile();
    expect(await find(desks.reader, customerId)).toEqual([]);
    expect(await find(desks.reader, other.referenceId)).toMatchObject([{ customerId: 'c1' }]);
    await run(desks.reader, 'payments', 'get', payment.paymentId);
    expect(await find(desks.reader, customerId)).toMatchObject([{ paymentId: payment.paymentId }]);
  });
}

describe('reads from before a customer was forgotten, on SQLite', () =>
  forgottenReads(async () => {
    const home = temporaryHome();
    return { env: {}, reader: home, other: home };
  }));

describeWithPostgres('reads from before a customer was forgotten, on PostgreSQL', (postgres) => {
  const createDatabase = deskDatabases(postgres);
  forgottenReads(async () => ({
    env: { PAYDESK_DATABASE: await createDatabase() },
    reader: temporaryHome(),
    other: temporaryHome(),
  }));
});
