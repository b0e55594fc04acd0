import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import PaymentsGet from '../../../src/commands/payments/get.js';
import { runCommand } from '../../helpers/desk.js';
import { rewriteAnswers } from '../../helpers/rewritten-answers.js';
import type { ShownPayment } from '../../helpers/sandbox.js';
import { type BatchDesk, openBatchDesk, type Verb } from './batches.js';

let desk: BatchDesk;
beforeAll(async () => {
  desk = await openBatchDesk();
});
afterAll(() => desk.close());

/** The desk at a service that writes payments in another way. */
async function deskWith(rewrite: (body: string) => string) {
  const env = { PAYDESK_BASE_URL: await rewriteAnswers(desk.sandbox, rewrite) };
  const run = (verb: Verb, args: string[], terminal = false) => desk.run(verb, args, { env, terminal });
  const out = desk.path(`amounts-${crypto.randomUUID()}.json`);
  return {
    run,
    out,
    plan: (payments: ShownPayment[], ...args: string[]) => {
      const file = desk.csv('payment', ...payments.map(({ paymentId }) => paymentId));
      return run('plan', [file, '--action', 'refund', '--out', out, ...args]);
    },
    async refused(...flags: string[]) {
      desk.posts();
      const { code, json } = await run('apply', [out, ...flags, '--json']);
      expect([code, json.error!.code]).toEqual([9, 'limit-exceeded']);
      expect(desk.posts()).toEqual([]);
      return json.error!.message;
    },
  };
}

describe('a service that writes amounts with three decimals', () => {
  it('is held to --max-total', async () => {
    const payments = await desk.paid(3);
    const { run, out, plan, refused } = await deskWith((body) =>
      body.replace('"amount":10.5,', '"amount":10.500,'),
    );
    expect((await plan(payments, '--json')).json).toMatchObject({ totals: { EUR: 31.5 } });
    expect(await refused('--max-total', 'EUR=31.49')).toBe(
      'The plan is over its limits: it moves EUR 31.50, and --max-total is EUR 31.49. Nothing was sent.',
    );
    const dry = await run('apply', [out, '--dry-run', '--json']);
    expect(dry.json).toMatchObject({ wouldSend: 3, totals: { EUR: 31.5 }, withoutAmount: 0 });
    const { code, json } = await run('apply', [out, '--max-total', 'EUR=31.5', '--json']);
    expect([code, json.totals!.done]).toEqual([0, { EUR: 31.5 }]);
    expect(await desk.told(payments, 'refund')).toEqual([1, 1, 1]);
    const [status] = (await run('status', [json.id!, '--json'])).json;
    expect(status!.totals!.done).toEqual({ EUR: 31.5 });
  });

  it('is planned from the CSV that paydesk prints of it', async () => {
    const [payment] = await desk.paid(1, 'approved', { amount: 12.34, currency: 'KWD' });
    const columns = ['--csv', '--columns', 'payment,amount,currency'];
    const listed = await runCommand(PaymentsGet, [String(payment!.paymentId), ...columns], { env: desk.env });
    expect(listed.stdout).toBe(`payment,amount,currency\n${payment!.paymentId},12.34,KWD\n`);
    const file = desk.csv(listed.stdout.trim());
    const { json } = await desk.run('plan', [file, '--action', 'refund', '--json']);
    expect(json.rows).toMatchObject([{ verdict: 'act', amount: 12.34, currency: 'KWD' }]);
  });

  it('has the amount of a row that is written with two', async () => {
    const [one, other] = await desk.paid(2);
    const { run, out } = await deskWith((body) => body.replace('"amount":10.5,', '"amount":10.500,'));
    const file = desk.csv('payment,amount', `${one!.paymentId},10.50`, `${other!.paymentId},10.51`);
    const { json } = await run('plan', [file, '--action', 'refund', '--out', out, '--json']);
    expect(json.rows!.map(({ why }) => why)).toEqual([undefined, 'amount differs']);
  });

  it('has the sums of a currency with three decimals to the last one', async () => {
    const payments = await desk.paid(3, 'approved', { amount: 1.23, currency: 'KWD' });
    const { run, plan, refused, out } = await deskWith((body) =>
      body.replaceAll(/"(amount|capturedAmount)":1\.23,/g, '"$1":1.234,'),
    );
    expect((await plan(payments)).stderr).toMatch(/will refund +3 +KWD 3\.702\n/);
    expect(await refused('--max-total', 'KWD=3.70')).toContain(
      'it moves KWD 3.702, and --max-total is KWD 3.700',
    );
    expect(await refused('--max-total', 'KWD=3.701')).toContain('--max-total is KWD 3.701');
    expect((await run('apply', [out, '--max-total', 'KWD=3.702', '--json'])).code).toBe(0);
  });
});

describe('a service that writes amounts with an exponent', () => {
  it.each(['1.05e1', '1050E-2', '0.105e+2'])(
    'has the amount of a row that is written out: %s',
    async (written) => {
      const [one, other] = await desk.paid(2);
      const { run, out } = await deskWith((body) =>
        body.replaceAll(/"(amount|capturedAmount)":10\.5,/g, `"$1":${written},`),
      );
      const file = desk.csv('payment,amount', `${one!.paymentId},10.50`, `${other!.paymentId},10.51`);
      const { json } = await run('plan', [file, '--action', 'refund', '--out', out, '--json']);
      expect(json.rows!.map(({ verdict, why }) => [verdict, why])).toEqual([
        ['act', undefined],
        ['changed', 'amount differs'],
      ]);
      expect(json).toMatchObject({ totals: { EUR: 10.5 } });
      expect((await run('apply', [out, '--max-total', 'EUR=10.5'])).code).toBe(0);
      expect(await desk.told([one!, other!], 'refund')).toEqual([1, 0]);
    },
  );
});

describe('a service that captured a part', () => {
  const inPart = (body: string) => body.replace('"capturedAmount":10.5,', '"capturedAmount":4,');

  it('has a refund compared with what was captured', async () => {
    const [one, other] = await desk.paid(2);
    const { run, out } = await deskWith(inPart);
    const file = desk.csv('payment,amount', `${one!.paymentId},4.00`, `${other!.paymentId},10.50`);
    const { json } = await run('plan', [file, '--action', 'refund', '--out', out, '--json']);
    expect(json.rows!.map(({ verdict, why }) => [verdict, why])).toEqual([
      ['act', undefined],
      ['changed', 'amount differs'],
    ]);
    expect(json.rows![1]).toMatchObject({ amount: 4, file: { amount: 10.5 } });
    expect(json).toMatchObject({ totals: { EUR: 4 } });
    const applied = await run('apply', [out, '--max-total', 'EUR=4', '--json']);
    expect([applied.code, applied.json.totals!.done]).toEqual([0, { EUR: 4 }]);
    expect(await desk.told([one!, other!], 'refund')).toEqual([1, 0]);
  });
});

describe('a service that does not show every amount', () => {
  const withoutAmount =
    ({ paymentId }: ShownPayment) =>
    (body: string) =>
      body.includes(`"paymentId":${paymentId},`)
        ? body.replaceAll(/"(?:amount|capturedAmount)":10\.5,/g, '')
        : body;

  it('has no plan applied with --max-total, because the total is not known', async () => {
    const [one, other] = await desk.paid(2);
    const { run, out, plan, refused } = await deskWith(withoutAmount(one!));
    expect((await plan([one!, other!])).stderr).toMatch(
      /will refund +2 +EUR 10\.50; 1 without a usable amount\n/,
    );
    expect(await refused('--max-total', 'EUR=1000')).toBe(
      '1 row has no usable amount, so the total is not known, and --max-total needs it. Nothing was sent. ' +
        'Plan again without that row, or apply the plan without --max-total.',
    );
    expect(await refused('--max-total', 'EUR=10', '--max-rows', '1')).toMatch(
      /^The plan is over its limits: it acts on 2 rows, and --max-rows is 1; it moves EUR 10\.50, .* 1 row has no usable/,
    );
    const dry = await run('apply', [out, '--dry-run'], true);
    expect(dry.stdout).toMatch(/would refund +2 +EUR 10\.50; 1 without a usable amount\n/);
    expect((await run('apply', [out, '--max-rows', '2'])).code).toBe(0);
    expect(await desk.told([one!, other!], 'refund')).toEqual([1, 1]);
  });

  it('may have its payments rechecked: that moves no money', async () => {
    const [one] = await desk.paid(1);
    const { run, out } = await deskWith(withoutAmount(one!));
    await run('plan', [desk.csv('payment', one!.paymentId), '--action', 'recheck', '--out', out]);
    expect((await run('apply', [out, '--max-total', 'EUR=1'])).code).toBe(0);
  });
});

describe('a plan', () => {
  const written = /"(amount|capturedAmount)":10\.5,/g;

  it('is applied although the service writes the same amounts in another way by now', async () => {
    const payments = await desk.paid(2);
    let amount = '10.5';
    const { run, out, plan } = await deskWith((body) => body.replaceAll(written, `"$1":${amount},`));
    await plan(payments);
    amount = '10.50';
    expect((await run('apply', [out, '--dry-run', '--json'])).json).toMatchObject({
      wouldSend: 2,
      changed: 0,
    });
    expect((await run('apply', [out, '--json'])).json).toMatchObject({ done: 2, skipped: 0 });
    expect(await desk.told(payments, 'refund')).toEqual([1, 1]);
  });

  it('skips what has another amount by now, as a dry run says before', async () => {
    const payments = await desk.paid(2);
    let amount = '10.5';
    const other = `"paymentId":${payments[1]!.paymentId},`;
    const { run, out, plan } = await deskWith((body) =>
      body.includes(other) ? body.replaceAll(written, `"$1":${amount},`) : body,
    );
    await plan(payments);
    amount = '1200.5';
    expect((await run('apply', [out, '--dry-run', '--json'])).json).toMatchObject({
      wouldSend: 1,
      changed: 1,
    });
    const { json } = await run('apply', [out, '--json']);
    expect(json).toMatchObject({ done: 1, skipped: 1 });
    const report = await run('report', [json.id!, '--json']);
    expect(report.json.rows![1]).toMatchObject({ why: 'changed since the plan: EUR 10.50 → EUR 1,200.50' });
    expect(await desk.told(payments, 'refund')).toEqual([1, 0]);
  });
});
