import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../helpers/desk.js';
import { describeWithPostgres } from '../../helpers/postgres.js';
import { rewriteAnswers } from '../../helpers/rewritten-answers.js';
import { startTestSandbox, type TestSandbox } from '../../helpers/sandbox.js';
import { deskOn, type ReconcileDesk } from './settlements.js';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());

/** A service that shows another captured amount of paid payments, or none. */
const showing = (captured: string) =>
  rewriteAnswers(sandbox, (body) => body.replace(/"capturedAmount":10\.5,/, captured));

const short = ({ line, exception, amount, serviceAmount, next }: Json) => [
  line,
  exception,
  amount,
  serviceAmount,
  next,
];

function capturedTests(database: () => Promise<Record<string, string>>): void {
  const openDesk = async (captured: string): Promise<ReconcileDesk> =>
    deskOn(sandbox, { PAYDESK_BASE_URL: await showing(captured), ...(await database()) });
  const reads = () => sandbox.lines.splice(0).filter(({ path }) => path.includes('/payments/')).length;

  it('compares a capture with what the service shows as captured', async () => {
    const desk = await openDesk('"capturedAmount":5,');
    const [one, two] = [await desk.paid(), await desk.paid()];
    await desk.know(one, two);
    const file = desk.file(desk.line(one), desk.line(two, { amount: '5.00' }));
    const ran = await desk.reconcile(file, '--json');
    expect((ran.json['exceptions'] as Json[]).map(short)).toEqual([[2, 'amount-differs', 10.5, 5, null]]);
    expect([ran.code, ran.json['matched']]).toEqual([7, 1]);
    expect(ran.json['exceptions']).toMatchObject([
      { text: 'The file has EUR 10.50, the service EUR 5.00. Ask the provider which is right.' },
    ]);
    expect((await desk.reconcile(file, '--json')).json).toEqual(ran.json);
  });

  it('reads a payment that was not read since it was captured before it calls it a match', async () => {
    const desk = await openDesk('"capturedAmount":5,');
    const { paymentId } = await sandbox.create({ returnUrl: 'https://shop.example/done' });
    await desk.know(await sandbox.read(paymentId));
    const payment = await sandbox.pay(paymentId);
    await sandbox.settle();
    await desk.seeState(paymentId, 'Captured');
    const { code, json } = await desk.reconcile(desk.file(desk.line(payment, { fee: '' })), '--json');
    expect([code, (json['exceptions'] as Json[]).map(short)]).toEqual([
      7,
      [[2, 'amount-differs', 10.5, 5, null]],
    ]);
  });

  it.each([
    ['the whole amount', '"capturedAmount":10.50,'],
    ['no captured amount', ''],
  ])('reads nothing again where a service shows %s', async (_, captured) => {
    const desk = await openDesk(captured);
    const payment = await desk.paid();
    await desk.know(payment);
    reads();
    expect((await desk.reconcile(desk.file(desk.line(payment)))).code).toBe(0);
    expect(reads()).toBe(0);
  });

  it('compares a refund with what was captured, and with the amount where the service shows nothing as captured any more', async () => {
    const results = [];
    for (const captured of ['"capturedAmount":5,', '"capturedAmount":0,']) {
      const desk = await openDesk(captured);
      const { paymentId } = await desk.paid();
      await sandbox.call('POST', `/payments/${paymentId}/refund`, {});
      await sandbox.settle();
      const payment = await sandbox.read(paymentId);
      await desk.know(payment);
      const file = desk.file(
        desk.line(payment, { amount: captured.includes('5') ? '5.00' : '10.50' }),
        desk.line(payment, { type: 'refund' }),
      );
      const { json } = await desk.reconcile(file, '--json');
      results.push((json['exceptions'] as Json[]).map(short));
    }
    expect(results).toEqual([[[3, 'amount-differs', -10.5, 5, null]], []]);
  });
}

describe('the captured amount, on SQLite', () => capturedTests(async () => ({})));

describeWithPostgres('the captured amount, on PostgreSQL', (postgres) => {
  capturedTests(async () => ({ PAYDESK_DATABASE: await postgres().createDatabase() }));
});
