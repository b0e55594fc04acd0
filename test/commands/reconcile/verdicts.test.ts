import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import PaymentsRefund from '../../../src/commands/payments/refund.js';
import { type Json, runCommand } from '../../helpers/desk.js';
import { deskDatabases } from '../../helpers/desk-database.js';
import { homeWithLedger } from '../../helpers/in-process.js';
import { describeWithPostgres } from '../../helpers/postgres.js';
import { type ShownPayment, startTestSandbox, type TestSandbox } from '../../helpers/sandbox.js';
import { deskOn, type LineFields, type ReconcileDesk, today } from './settlements.js';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());

const short = ({ line, exception, payment, next }: Json) => [
  line,
  exception,
  payment,
  next?.['operation'] ?? null,
];

function verdictTests(database: () => Promise<Record<string, string>>): void {
  let desk: ReconcileDesk;
  const fresh = async () => (desk = deskOn(sandbox, await database()));

  it('finds nothing to do where every line agrees', async () => {
    await fresh();
    const [one, two] = [await desk.paid(), await desk.paid({ amount: 1234.5, currency: 'USD' })];
    await desk.know(one, two);
    const { code, json, stderr } = await desk.reconcile(desk.file(desk.line(one), desk.line(two)), '--json');
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(json).toMatchObject({
      lines: 2,
      matched: 2,
      open: 0,
      balanced: true,
      exceptions: [],
      missing: [],
    });
    expect(json['totals']).toEqual([
      expect.objectContaining({ currency: 'EUR', kind: 'capture', file: { lines: 1, amount: 10.5 } }),
      expect.objectContaining({ currency: 'USD', matched: { lines: 1, amount: 1234.5 } }),
    ]);
  });

  it('tells every kind of difference apart', async () => {
    await fresh();
    const names = [
      'amount',
      'currency',
      'fee',
      'twice',
      'duplicate',
      'refund',
      'chargeback',
      'reserve',
      'stuck',
    ] as const;
    const made = await Promise.all(
      names.map((name) => desk.paid({}, name === 'stuck' ? 'unknown-charged' : 'approved')),
    );
    const of = Object.fromEntries(names.map((name, index) => [name, made[index]!])) as Record<
      (typeof names)[number],
      (typeof made)[number]
    >;
    await desk.know(...made);
    const file = desk.file(
      desk.line(of.amount, { amount: '10.51' }),
      desk.line(of.currency, { currency: 'USD' }),
      desk.line(of.fee, { fee: '0.99' }),
      desk.line(of.twice),
      desk.line(of.twice, { captureId: 'cap_other' }),
      desk.line(of.duplicate),
      desk.line(of.duplicate),
      desk.line(of.refund),
      desk.line(of.refund, { type: 'refund' }),
      desk.line(of.chargeback),
      desk.line(of.chargeback, { type: 'chargeback' }),
      desk.line(of.reserve),
      desk.line(of.reserve, { type: 'Reserve', amount: '-1.05' }),
      desk.line(of.stuck, { captureId: '', fee: '' }),
      `${today()},capture,ref_nobody,cap_nobody,order-nobody,10.50,0.15,,EUR`,
      `${today()},capture,ref_nobody2,,,99.99,0.15,,EUR`,
      `${today()},payout,,,,-50.00,,,EUR`,
    );
    const { code, json } = await desk.reconcile(file, '--json');
    const id = (name: (typeof names)[number]) => of[name].paymentId;
    expect((json['exceptions'] as Json[]).map(short)).toEqual([
      [2, 'amount-differs', id('amount'), null],
      [3, 'currency-differs', id('currency'), null],
      [4, 'fee-differs', id('fee'), null],
      [6, 'captured-twice', id('twice'), 'refund'],
      [8, 'duplicate-line', id('duplicate'), null],
      [10, 'refunded-at-provider', id('refund'), 'recheck'],
      [12, 'chargeback', id('chargeback'), null],
      [14, 'other-kind', id('reserve'), null],
      [15, 'not-captured', id('stuck'), 'recheck'],
      [16, 'not-at-service', null, null],
      [17, 'not-known', null, null],
    ]);
    expect(code).toBe(7);
    expect(json).toMatchObject({ lines: 17, matched: 5, unrelated: 1, open: 11, missing: [] });
    const stuck = (json['exceptions'] as Json[]).find(({ line }) => line === (15 as unknown))!;
    expect(stuck).toMatchObject({
      text: 'The provider captured EUR 10.50, but the service shows Processing.',
      verdict: expect.stringMatching(/^Processing/),
      next: { command: `paydesk payments recheck ${id('stuck')}`, movesMoney: false },
      matchedBy: 'reference',
    });

    // Where no command helps, the text says whom to ask.
    const alone = (json['exceptions'] as Json[]).filter(
      ({ next, exception }) => next === null && !['other-kind', 'not-known'].includes(String(exception)),
    );
    expect(alone).toHaveLength(6);
    for (const { text } of alone) expect(text).toMatch(/ask the provider/i);

    const again = await desk.reconcile(file, '--json');
    expect(again.json).toEqual(json);
  });

  it('advises no refund of a second capture once the payment is refunded', async () => {
    await fresh();
    const payment = await desk.paid();
    await desk.know(payment);
    const file = desk.file(desk.line(payment), desk.line(payment, { captureId: 'cap_second' }));
    await runCommand(PaymentsRefund, [payment.paymentId, '--wait'], { env: desk.env, now: new Date() });
    const { json } = await desk.reconcile(file, '--json');
    const found = (json['exceptions'] as Json[]).filter(
      ({ exception }) => String(exception) === 'captured-twice',
    );
    expect(found.map(short)).toEqual([[3, 'captured-twice', payment.paymentId, 'recheck']]);
    expect(found[0]?.['text']).toBe(
      'The provider captured the payment twice: EUR 10.50 here, and on line 2. ' +
        'Check with the provider first: the service shows Refunded.',
    );
  });

  it('only adds up a payout without an ID, and lists one that has an ID or a reference', async () => {
    await fresh();
    const payment = await desk.paid();
    await desk.know(payment);
    const payout = (...names: string[]) => `${today()},payout,${names.join(',')},-50.00,,,EUR`;
    const file = desk.file(desk.line(payment), payout('', '', ''), payout('po_1', '', ''));
    const { code, json } = await desk.reconcile(file, '--json');
    expect((json['exceptions'] as Json[]).map(short)).toEqual([[4, 'other-kind', null, null]]);
    expect([code, json['matched'], json['unrelated']]).toEqual([7, 1, 1]);
  });

  it('moves no money where anything else in the file speaks against it', async () => {
    await fresh();
    const extra = ({ paymentId }: ShownPayment) => ({ captureId: `cap_other_${paymentId}` });
    const cases: Record<string, (payment: ShownPayment) => string[]> = {
      'the file also has a line of kind refund': (payment) => [
        desk.line(payment),
        desk.line(payment, extra(payment)),
        desk.line(payment, { type: 'refund' }),
      ],
      'the file also has a line of kind chargeback': (payment) => [
        desk.line(payment, { type: 'chargeback' }),
        desk.line(payment),
        desk.line(payment, extra(payment)),
      ],
      'the file also has a line of kind reversal': (payment) => [
        desk.line(payment),
        desk.line(payment, extra(payment)),
        desk.line(payment, { type: 'Reversal' }),
      ],
      'the file has more than two captures': (payment) => [
        desk.line(payment),
        desk.line(payment, extra(payment)),
        desk.line(payment, { captureId: 'cap_third' }),
      ],
      'the amount or the currency of a capture differs': (payment) => [
        desk.line(payment),
        desk.line(payment, { ...extra(payment), amount: '5.00' }),
      ],
      'no line has the capture that the service shows': (payment) => [
        desk.line(payment, extra(payment)),
        desk.line(payment, extra(payment)),
      ],
    };
    const allowed = await desk.paid();
    const owner = await desk.paid();
    cases['a line has the reference of-another'] = (payment) => [
      desk.line(payment),
      desk.line(payment, { ...extra(payment), reference: 'of-another' }),
    ];
    cases[`a line may belong to payment ${owner.paymentId}`] = (payment) => [
      desk.line(payment),
      desk.line(payment, { captureId: String(owner.payInfo?.['captureId']) }),
    ];
    const made = await Promise.all(Object.keys(cases).map(() => desk.paid()));
    await desk.know(...made, allowed, owner);
    const others = Object.values(cases).map((lines, index) => lines(made[index]!));
    // The lines about one payment are far apart, so that they are looked at on different pages.
    const between = Array.from({ length: 250 }, (_, index) =>
      desk.line(allowed, {
        type: 'Note',
        amount: '1.00',
        reference: `gap-${index}`,
        providerReference: `gap-${index}`,
      }),
    );
    const file = desk.file(
      ...others.flatMap(([first]) => first!),
      desk.line(allowed, { fee: '9.99' }),
      desk.line(allowed, extra(allowed)),
      ...between,
      ...others.flatMap(([, ...rest]) => rest),
    );
    const { json } = await desk.reconcile(file, '--json');
    const twice = (json['exceptions'] as Json[]).filter(
      ({ exception }) => String(exception) === 'captured-twice',
    );
    for (const [index, reason] of Object.keys(cases).entries()) {
      const of = twice.filter(({ payment }) => Number(payment) === made[index]!.paymentId);
      expect(of.length, reason).toBeGreaterThan(0);
      for (const { text, next } of of) {
        expect(text).toMatch(new RegExp(`Check with the provider first: ${reason}\\.$`));
        expect(next).toMatchObject({ operation: 'recheck', movesMoney: false });
      }
    }
    const moving = (json['exceptions'] as Json[]).filter(({ next }) => next?.['movesMoney']);
    expect(moving.map(short)).toEqual([[11, 'captured-twice', allowed.paymentId, 'refund']]);
  });

  const movingMoney = ({ json }: { json: Json }) =>
    (json['exceptions'] as Json[]).filter(({ next }) => next?.['movesMoney']);

  it('moves no money where a line without a payment has an ID of the second charge', async () => {
    await fresh();
    const gone: Array<(ids: { pr: string; cap: string }) => LineFields> = [
      ({ pr, cap }) => ({ type: 'refund', providerReference: pr, captureId: cap }),
      ({ cap }) => ({ type: 'chargeback', providerReference: '', captureId: cap }),
      ({ pr }) => ({ type: 'void', providerReference: pr.toUpperCase() }),
    ];
    const made = await Promise.all(gone.map(() => desk.paid()));
    await desk.know(...made);
    const lines: string[] = [];
    for (const [index, fieldsOf] of gone.entries()) {
      const payment = made[index]!;
      const ids = { pr: `pr_second_${index}`, cap: `cap_second_${index}` };
      lines.unshift(desk.line(payment, { reference: '', ...fieldsOf(ids) }));
      lines.push(desk.line(payment), desk.line(payment, { providerReference: ids.pr, captureId: ids.cap }));
    }
    const ran = await desk.reconcile(desk.file(...lines), '--json');
    expect(movingMoney(ran)).toEqual([]);
    const twice = (ran.json['exceptions'] as Json[]).filter(
      ({ exception }) => String(exception) === 'captured-twice',
    );
    expect(twice).toHaveLength(gone.length);
    for (const { text } of twice)
      expect(text).toMatch(/line \d has an ID or a reference of the same payment\.$/);
  });

  it('moves no money where one second capture is that of two payments', async () => {
    await fresh();
    const [one, two] = [await desk.paid(), await desk.paid()];
    await desk.know(one, two);
    const lines = [one, two].flatMap((payment) => [
      desk.line(payment),
      desk.line(payment, { captureId: 'cap_shared' }),
    ]);
    expect(movingMoney(await desk.reconcile(desk.file(...lines), '--json'))).toEqual([]);
  });

  it('moves no money where a line that agrees with another payment has an ID of the second charge', async () => {
    // A line with another capture ID than its payment needs attention itself.
    const cases: Array<[second: LineFields, other: (one: ShownPayment) => LineFields, matched: number]> = [
      [{ captureId: 'cap_shared' }, () => ({ captureId: 'cap_shared' }), 1],
      [{ captureId: 'cap_second' }, ({ referenceId }) => ({ reference: referenceId }), 2],
      [{ captureId: 'cap_second' }, ({ payInfo }) => ({ captureId: String(payInfo?.['captureId']) }), 1],
      [
        { captureId: 'cap_second', providerReference: 'pr_shared' },
        () => ({ providerReference: "'PR_SHARED" }),
        2,
      ],
    ];
    for (const [second, other, matched] of cases) {
      await fresh();
      const [one, two] = [await desk.paid(), await desk.paid()];
      await desk.know(one, two);
      const lines = [desk.line(one), desk.line(one, second), desk.line(two, other(one))];
      for (const order of [lines, lines.toReversed()]) {
        const ran = await desk.reconcile(desk.file(...order), '--json');
        expect(movingMoney(ran)).toEqual([]);
        expect(ran.json).toMatchObject({ matched, open: 3 - matched });
      }
    }
  });

  it('finds a second capture whichever of the two lines is first', async () => {
    await fresh();
    const payment = await desk.paid();
    await desk.know(payment);
    const lines = [desk.line(payment), desk.line(payment, { captureId: 'cap_other' })];
    for (const order of [lines, lines.toReversed()]) {
      const plan = join(desk.env['PAYDESK_HOME']!, `refunds-${order === lines ? 1 : 2}.json`);
      const { json } = await desk.reconcile(desk.file(...order), '--plan', plan, '--json');
      expect(json).toMatchObject({ matched: 1, open: 1 });
      expect((json['exceptions'] as Json[]).map(short)).toEqual([
        [3, 'captured-twice', payment.paymentId, 'refund'],
      ]);
      expect(JSON.parse(readFileSync(plan, 'utf8'))).toMatchObject({
        action: 'refund',
        rows: [{ payment: payment.paymentId, amount: 10.5, currency: 'EUR' }],
      });
    }
  });

  it('moves no money where something speaks against a second capture that the file has first', async () => {
    const second = { captureId: 'cap_second', providerReference: 'pr_second' };
    const cases: Array<(payment: ShownPayment, other: ShownPayment) => string[]> = [
      (payment, { payInfo }) => [
        desk.line(payment, { captureId: String(payInfo?.['captureId']) }),
        desk.line(payment),
      ],
      (payment) => [
        desk.line(payment, { captureId: 'cap_second', reference: 'of-another' }),
        desk.line(payment),
      ],
      (payment) => [
        desk.line(payment, second),
        desk.line(payment),
        desk.line(payment, { ...second, type: 'chargeback', providerReference: '', reference: '' }),
      ],
      (payment, other) => [
        desk.line(payment, second),
        desk.line(payment),
        desk.line(other, { captureId: second.captureId }),
      ],
      (payment) => [desk.line(payment, second), desk.line(payment), desk.line(payment)],
      (payment) => [desk.line(payment, { ...second, amount: '5.00' }), desk.line(payment)],
    ];
    for (const lines of cases) {
      await fresh();
      const [payment, other] = [await desk.paid(), await desk.paid()];
      await desk.know(payment, other);
      const ran = await desk.reconcile(desk.file(...lines(payment, other)), '--json');
      expect(ran.json['exceptions']).toContainEqual(
        expect.objectContaining({ line: 3, exception: 'captured-twice' }),
      );
      expect(movingMoney(ran)).toEqual([]);
    }
  });

  it('takes one capture for one, however its ID is written', async () => {
    await fresh();
    const variants: Array<(ids: { cap: string; payment: ShownPayment }) => string> = [
      ({ cap }) => `"${cap} "`,
      ({ cap }) => `"\u00A0${cap}"`,
      ({ cap }) => `${cap}\u200B`,
      ({ cap }) => `'${cap}`,
      ({ cap }) => cap.toUpperCase(),
      ({ payment }) => String(payment.payInfo?.['providerReferenceId']),
      ({ payment }) => payment.referenceId,
      ({ payment }) => String(payment.paymentId),
    ];
    const made = await Promise.all(variants.map(() => desk.paid()));
    await desk.know(...made);
    const lines = variants.flatMap((variant, index) => {
      const payment = made[index]!;
      const captureId = variant({ cap: String(payment.payInfo?.['captureId']), payment });
      return [desk.line(payment), desk.line(payment, { captureId })];
    });
    const ran = await desk.reconcile(desk.file(...lines), '--json');
    expect((ran.json['exceptions'] as Json[]).length).toBe(variants.length);
    expect(movingMoney(ran)).toEqual([]);
  });

  it('plans no refund for a line with the provider reference of one payment and the capture of another', async () => {
    await fresh();
    const [one, two] = [await desk.paid(), await desk.paid()];
    await desk.know(one, two);
    const shared = { providerReference: String(one.payInfo?.['providerReferenceId']), reference: '' };
    const { json } = await desk.reconcile(
      desk.file(desk.line(one, shared), desk.line(two, shared)),
      '--json',
    );
    expect(movingMoney({ json })).toEqual([]);
  });

  it('recommends no refund of a capture that the file does not have, also after one that failed', async () => {
    await fresh();
    const made = [await desk.paid({}, 'refund-fails'), await desk.paid({}, 'refund-fails')];
    const listed = await desk.paid();
    await desk.know(...made, listed);
    for (const { paymentId } of made) {
      await runCommand(PaymentsRefund, [paymentId, '--wait'], { env: desk.env, now: new Date() });
    }
    const file = desk.file(desk.line(listed), desk.line(made[1]!, { type: 'chargeback' }));
    const { json } = await desk.reconcile(file, '--json');
    const missing = (json['exceptions'] as Json[]).filter(({ line }) => line === null);
    expect(missing.map(short)).toEqual([
      [null, 'not-in-file', made[0]!.paymentId, 'recheck'],
      [null, 'not-in-file', made[1]!.paymentId, 'recheck'],
    ]);
  });

  it('reads a payment again before it reports it', async () => {
    await fresh();
    const payment = await desk.paid({}, 'unknown-charged');
    await desk.know(payment);
    await sandbox.call('POST', `/payments/${payment.paymentId}/recheck`);
    await sandbox.settle();
    const { code, json } = await desk.reconcile(
      desk.file(desk.line(await sandbox.read(payment.paymentId))),
      '--json',
    );
    expect([code, json['matched']]).toEqual([0, 1]);
  });

  it('reads a payment whose fee it has not seen yet before it calls it a match', async () => {
    await fresh();
    const { paymentId } = await sandbox.create({ returnUrl: 'https://shop.example/done' });
    await desk.know(await sandbox.read(paymentId));
    await sandbox.pay(paymentId);
    await sandbox.settle();
    const payment = await sandbox.read(paymentId);
    // Seen as captured, for example in a webhook, and never read since.
    await desk.seeState(paymentId, 'Captured');
    const wrong = await desk.reconcile(desk.file(desk.line(payment, { fee: '9.99' })), '--json');
    expect((wrong.json['exceptions'] as Json[]).map(short)).toEqual([[2, 'fee-differs', paymentId, null]]);
    expect((await desk.reconcile(desk.file(desk.line(payment)))).code).toBe(0);
  });

  it('asks the service for a reference that no known payment has', async () => {
    await fresh();
    const payment = await desk.paid();
    const first = await desk.reconcile(desk.file(desk.line(payment)), '--json');
    expect([first.code, first.json['matched']]).toEqual([0, 1]);
    // From now on it is known by the provider's own names too.
    const later = await desk.reconcile(desk.file(desk.line(payment, { reference: '' })), '--json');
    expect([later.code, later.json['matched']]).toEqual([0, 1]);
  });

  it('finds what the service has and the file does not, in the period and of the same provider', async () => {
    await fresh();
    const [listed, missing, refunded] = [await desk.paid(), await desk.paid(), await desk.paid()];
    const declined = await desk.paid({}, 'declined');
    await desk.know(listed, missing, refunded, declined);
    await runCommand(PaymentsRefund, [refunded.paymentId, '--wait'], { env: desk.env, now: new Date() });
    const file = desk.file(desk.line(listed), desk.line(refunded));
    const { code, json } = await desk.reconcile(file, '--json');
    expect(code).toBe(7);
    expect((json['exceptions'] as Json[]).map(short)).toEqual([
      [null, 'not-in-file', missing.paymentId, 'recheck'],
      [null, 'not-in-file', refunded.paymentId, 'recheck'],
    ]);
    expect(json['missing']).toEqual([
      { currency: 'EUR', kind: 'capture', payments: 1, amount: 10.5 },
      { currency: 'EUR', kind: 'refund', payments: 1, amount: -10.5 },
    ]);
    const past = await desk.reconcile(file, '--since', '2020-01-01', '--until', '2020-01-31', '--json');
    expect([past.code, past.json['open']]).toEqual([0, 0]);
    const complete = desk.file(
      desk.line(listed),
      desk.line(missing),
      desk.line(refunded),
      desk.line(refunded, { type: 'refund' }),
    );
    expect((await desk.reconcile(complete)).code).toBe(0);
  });

  it('finds a missing capture that this desk has not seen yet', async () => {
    await fresh();
    const [listed, unpaid, unseen] = [
      await desk.paid(),
      await sandbox.create({ returnUrl: 'https://shop.example/done' }),
      await sandbox.create({ returnUrl: 'https://shop.example/done' }),
    ];
    await desk.know(listed, unpaid, unseen);
    await sandbox.pay(unseen.paymentId);
    await sandbox.settle();
    const { json } = await desk.reconcile(desk.file(desk.line(listed)), '--json');
    expect((json['exceptions'] as Json[]).map(short)).toEqual([
      [null, 'not-in-file', unseen.paymentId, 'recheck'],
    ]);
  });

  it('suggests a payment of the same amount and date, and does not match it', async () => {
    await fresh();
    const [payment, other] = [await desk.paid({ amount: 77.7 }), await desk.paid()];
    await desk.know(payment, other);
    await desk.seeState(payment.paymentId, 'Processing');
    const { json } = await desk.reconcile(
      desk.file(desk.line(other), `${today()},capture,ref_wrong,,nobody-1,77.70,,,EUR`),
      '--json',
    );
    expect(json['matched']).toBe(1);
    expect(json['exceptions']).toMatchObject([
      { exception: 'not-at-service', suggestion: { payment: payment.paymentId, state: 'Captured' } },
      { exception: 'not-in-file', payment: payment.paymentId },
    ]);
  });

  it('matches on the capture ID, the authorisation ID and the reference when the provider names nothing else', async () => {
    await fresh();
    const made = [await desk.paid(), await desk.paid(), await desk.paid()];
    await desk.know(...made);
    const [byCapture, byAuthorisation, byReference] = made as [ShownPayment, ShownPayment, ShownPayment];
    const file = desk.file(
      desk.line(byCapture, { providerReference: '', reference: '' }),
      desk.line(byAuthorisation, {
        providerReference: 'ref_x',
        captureId: String(byAuthorisation.payInfo?.['authorizeId']),
        reference: 'x',
      }),
      desk.line(byReference, { providerReference: '', captureId: '' }),
    );
    expect((await desk.reconcile(file, '--json')).json).toMatchObject({ lines: 3, matched: 3, open: 0 });
  });
}

describe('reconcile on SQLite', () => {
  verdictTests(async () => ({ PAYDESK_HOME: await homeWithLedger() }));
});

describeWithPostgres('reconcile on PostgreSQL', (postgres) => {
  const database = deskDatabases(postgres);
  verdictTests(async () => ({ PAYDESK_DATABASE: await database() }));
});
