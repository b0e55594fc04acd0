import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defectNames } from '../../../src/sandbox/index.js';
import type { Json } from '../../helpers/desk.js';
import { deskDatabases } from '../../helpers/desk-database.js';
import { homeWithLedger } from '../../helpers/in-process.js';
import { describeWithPostgres } from '../../helpers/postgres.js';
import { type ShownPayment, startTestSandbox, type TestSandbox } from '../../helpers/sandbox.js';
import { deskOn, type ReconcileDesk } from './settlements.js';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());

type Database = () => Promise<Record<string, string>>;

const unpaid = (count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      sandbox.create({ amount: 10 + index, returnUrl: 'https://shop.example/done' }),
    ),
  );

async function pay(payments: readonly ShownPayment[], card = 'approved'): Promise<ShownPayment[]> {
  for (const { paymentId } of payments) await sandbox.pay(paymentId, card);
  await sandbox.settle();
  return Promise.all(payments.map(({ paymentId }) => sandbox.read(paymentId)));
}

/** Runs it twice at the same time of day, and returns what both runs printed. */
async function runTwice(desk: ReconcileDesk, args: string[]): Promise<[string, string]> {
  const now = new Date();
  const [first, second] = [await desk.run(args, { now }), await desk.run(args, { now })];
  expect([first.code, second.code]).toEqual([7, 7]);
  return [first.stdout, second.stdout];
}

/** `outputs` are the formats that are printed, and those of the file: only what is matched depends on the database. */
function sameTwice(database: Database, outputs: ReadonlyArray<[printed: string, format: string]>): void {
  it("matches by the provider's reference where the read shows it, also the first time", async () => {
    const desk = deskOn(sandbox, await database());
    const made = await unpaid(1);
    await desk.know(...made);
    const [payment] = await pay(made);
    const file = desk.file(desk.line(payment!, { amount: '99.00' }));
    const [first, second] = await runTwice(desk, [file, '--map', desk.map, '--json']);
    expect(JSON.parse(first)).toMatchObject({
      exceptions: [{ exception: 'amount-differs', matchedBy: 'provider-reference' }],
    });
    expect(second).toBe(first);
  });

  it('matches a line by what the reads of other payments brought in', async () => {
    const desk = deskOn(sandbox, await database());
    const made = await unpaid(2);
    await desk.know(...made);
    const [one, two] = await pay(made);
    // The line of the second payment has only a name that this desk has not seen yet.
    const file = desk.file(
      desk.line(one!, { amount: '99.00' }),
      desk.line(two!, { reference: '', captureId: '' }),
    );
    const [first, second] = await runTwice(desk, [file, '--map', desk.map, '--json']);
    expect(JSON.parse(first)).toMatchObject({ matched: 1, exceptions: [{ line: 2 }] });
    expect(second).toBe(first);
  });

  it('recommends the same for a second capture whose first one was known by a webhook alone', async () => {
    const desk = deskOn(sandbox, await database());
    const made = await unpaid(1);
    await desk.know(...made);
    const [payment] = await pay(made);
    await desk.seeState(payment!.paymentId, 'Captured');
    const file = desk.file(
      desk.line(payment!, { fee: '' }),
      desk.line(payment!, { fee: '', captureId: 'cap_other' }),
    );
    const [first, second] = await runTwice(desk, [file, '--map', desk.map, '--json']);
    expect((JSON.parse(first) as Json)['exceptions']).toMatchObject([
      { exception: 'captured-twice', next: { operation: 'refund' } },
    ]);
    expect(second).toBe(first);
  });

  it.each(outputs)('prints the same %s for a file with every defect, in %s', async (printed, format) => {
    const desk = deskOn(sandbox, await database());
    const known = await unpaid(2 * defectNames.length);
    const [seen, webhooks, unread] = [known.slice(0, 6), known.slice(6, 12), known.slice(12, 18)];
    await desk.know(...seen, ...unread);
    const paid = await pay(known);
    await desk.know(...paid.slice(0, 6));
    for (const { paymentId } of webhooks) await desk.seeState(paymentId, 'Captured');
    const since = String(paid[0]!['createdTime']);
    const query = `seed=20&since=${since}&defects=${[...defectNames, ...defectNames].join(',')}`;
    const { text } = await sandbox.control('GET', `/settlement?${query}&format=${format}`);
    const file = join(desk.env['PAYDESK_HOME']!, `settlement.${format}`);
    writeFileSync(file, text);
    const reading = format === 'csv' ? ['--map', desk.map] : [];
    const args = [file, ...reading, '--since', since, '--format', printed];
    const [first, second] = await runTwice(desk, args);
    expect(first).toContain('captured');
    expect(second).toBe(first);
  });
}

describe('the same file twice gives the same result on SQLite', () => {
  sameTwice(
    async () => ({ PAYDESK_HOME: await homeWithLedger() }),
    [
      ['json', 'csv'],
      ['csv', 'csv'],
      ['markdown', 'csv'],
      ['json', 'camt'],
    ],
  );
});

describeWithPostgres('the same file twice gives the same result on PostgreSQL', (postgres) => {
  const database = deskDatabases(postgres);
  sameTwice(async () => ({ PAYDESK_DATABASE: await database() }), [['json', 'csv']]);
});
