import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import Explain from '../../../src/commands/payments/explain.js';
import { runCommand, temporaryHome } from '../../helpers/desk.js';
import { describeWithPostgres } from '../../helpers/postgres.js';
import type { ShownPayment } from '../../helpers/sandbox.js';
import { type BatchDesk, openBatchDesk } from './batches.js';

let desk: BatchDesk;
beforeAll(async () => {
  desk = await openBatchDesk();
});
afterEach(() => desk.sandbox.control('DELETE', '/faults'));
afterAll(() => desk.close());

/** Long sentences are broken into lines. */
const unbroken = (text: string) => text.replaceAll(/\s+/g, ' ');

function plannedTests(database: () => Promise<Record<string, string>>): void {
  let env: Record<string, string>;
  beforeAll(async () => {
    env = { ...(await database()) };
  });
  const explain = ({ paymentId }: ShownPayment, ...words: string[]) =>
    runCommand(Explain, [String(paymentId), ...words], { env: { ...desk.env, ...env } });
  // A plan is applied on the desk that made it.
  const planned = async (payments: readonly ShownPayment[]) => {
    const out = join(temporaryHome(), 'refunds.plan.json');
    const rows = desk.csv('payment', ...payments.map(({ paymentId }) => paymentId));
    const { code } = await desk.run('plan', [rows, '--action', 'refund', '--out', out], { env });
    expect(code).toBe(0);
    return out;
  };

  it('says that a batch is going to refund the payment, until it has', async () => {
    const payments = await desk.paid(3);
    const [first, second] = payments as [ShownPayment, ShownPayment];
    const plan = await planned(payments);
    expect((await explain(second, '--json')).json['batches']).toEqual([]);
    await desk.fault({ kind: 'error-before-commit', route: 'refund', next: 1 });
    const { json } = await desk.run('apply', [plan, '--canary', 1, '--json'], { env });
    expect(json).toMatchObject({ unknown: 1, pending: 2 });
    const id = String(json.id);
    const command = `paydesk batch status ${id}`;
    const sentence = `The refund of this payment is planned in batch ${id}, which \\S+ started .+\\. It has not been sent yet\\.`;
    expect((await explain(second, '--json')).json['batches']).toEqual([
      {
        batchId: id,
        action: 'refund',
        operator: expect.any(String),
        time: expect.stringMatching(/^2\d{3}-/),
        text: expect.stringMatching(new RegExp(`^${sentence}$`)),
        command,
      },
    ]);
    expect((await explain(second)).stdout).toMatch(new RegExp(`\nin-batch\t${sentence}\t${command}\n`));
    const shown = await runCommand(Explain, [String(second.paymentId)], {
      env: { ...desk.env, ...env },
      terminal: true,
    });
    expect(unbroken(shown.stdout)).toMatch(new RegExp(`${sentence} ${command} `));
    // What was sent is in the history of the payment, and not planned any more.
    expect((await explain(first, '--json')).json['batches']).toEqual([]);
    await desk.run('resume', [id, '--json'], { env });
    expect((await explain(second, '--json')).json['batches']).toEqual([]);
  });
}

describe('a payment that is planned in a batch, on SQLite', () =>
  plannedTests(async () => ({ PAYDESK_HOME: temporaryHome() })));

describeWithPostgres('a payment that is planned in a batch, on PostgreSQL', (postgres) => {
  plannedTests(async () => ({ PAYDESK_DATABASE: await postgres().createDatabase() }));
});
