import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '../../helpers/desk.js';
import { newReference, type ShownPayment } from '../../helpers/sandbox.js';
import {
  deskOn,
  type LineFields,
  openReconcileDesks,
  type ReconcileDesk,
  type ReconcileDesks,
  today,
} from './settlements.js';

let desks: ReconcileDesks;
let desk: ReconcileDesk;
beforeAll(async () => {
  desks = await openReconcileDesks();
});
afterAll(() => desks.sandbox.close());
beforeEach(async () => {
  desk = await desks.open();
});

interface Names {
  /** Our reference. */
  ref: string;
  /** The ID of the second charge. */
  second: string;
  provider: string;
}

/** A line that shares no ID and no reference with any payment, unless it is told. */
const other: LineFields = { type: 'void', providerReference: '', captureId: '', reference: '' };

let plans = 0;
/** What reconcile says of a payment with two charges in a file with one more line, and whether it plans the refund. */
async function reconcileWith(lineOf: (names: Names) => LineFields, referenceId: string = newReference()) {
  const payment = await desk.paid({ referenceId });
  await desk.know(payment);
  const second = `ch2x_${payment.paymentId}`;
  const provider = String(payment.payInfo?.['providerReferenceId']);
  const lines = [
    desk.line(payment),
    desk.line(payment, { captureId: second }),
    desk.line(payment, { ...other, ...lineOf({ ref: referenceId, second, provider }) }),
  ];
  const results: Array<{ isPlanned: boolean; text: string }> = [];
  for (const order of [lines, lines.toReversed()]) {
    const plan = join(desk.env['PAYDESK_HOME']!, `second-charge-${(plans += 1)}.json`);
    const { json } = await desk.reconcile(desk.file(...order), '--plan', plan, '--json');
    const twice = (json['exceptions'] as Json[]).filter((each) => isAbout(each, payment));
    results.push({ isPlanned: existsSync(plan), text: twice.map(({ text }) => String(text)).join('\n') });
  }
  return results;
}

const isAbout = ({ exception, payment }: Json, { paymentId }: ShownPayment): boolean =>
  String(exception) === 'captured-twice' && String(payment) === String(paymentId);

describe('a second charge is not refunded', () => {
  const written: Record<string, (names: Names) => LineFields> = {
    'the ID with other punctuation': ({ second }) => ({ captureId: second.replace('_', '-') }),
    'the ID after a word': ({ second }) => ({ captureId: `void:${second}` }),
    'the ID before a word': ({ second }) => ({ captureId: `${second}-R` }),
    'the ID with a letter attached': ({ second }) => ({ captureId: `${second}R` }),
    'the ID with letters on both sides': ({ second }) => ({ captureId: `RV${second}X` }),
    'the ID in another column': ({ second }) => ({ reference: `Storno ${second}` }),
    'a part of the reference': ({ ref }) => ({ captureId: ref.replace('ref-', '') }),
    'the reference before a letter': ({ ref }) => ({
      type: 'refund',
      captureId: 're_1',
      reference: `${ref}-R`,
    }),
    'the reference after a word': ({ ref }) => ({ type: 'refund', reference: `Refund ${ref}` }),
    'the reference before a number': ({ ref }) => ({ type: 'reversal', reference: `${ref}/2` }),
    "the provider's reference before a word": ({ provider }) => ({
      type: 'refund',
      captureId: 're_3',
      providerReference: `${provider}-refund`,
    }),
  };

  it.each(Object.entries(written))('where a line has %s', async (_, lineOf) => {
    for (const { isPlanned, text } of await reconcileWith((names) => ({
      amount: '-1.00',
      ...lineOf(names),
    }))) {
      expect(isPlanned).toBe(false);
      expect(text).toMatch(
        /Check with the provider first: line [24] has an ID or a reference of the same payment\.$/,
      );
    }
  });

  const unnamed: Record<string, LineFields> = {
    'a refund without any ID': { type: 'refund', amount: '-10.50' },
    'a refund with an ID of its own alone': { type: 'refund', amount: '-10.5', captureId: 're_unknown' },
    'a refund with a reference that the service does not know': {
      type: 'refund',
      amount: '-10.50',
      reference: 'RF-77812',
    },
    'a void without any ID': { type: 'void', amount: '-10.50' },
    'a void without a sign': { type: 'void', amount: '10.50' },
    'a fee of the whole amount, without any ID': { type: 'fee', amount: '-10.50' },
    'a chargeback without any ID': { type: 'chargeback', amount: '-10.50' },
  };

  it.each(Object.entries(unnamed))('where the file has %s, of the same amount', async (_, fields) => {
    for (const { isPlanned, text } of await reconcileWith(() => fields)) {
      expect(isPlanned).toBe(false);
      expect(text).toMatch(/first: line [24] has the same amount, and no payment is found for it\.$/);
    }
  });
});

describe('a fee on a line of its own', () => {
  it.each([
    ['-0.43', 1, []],
    ['-10.50', 0, ['other-kind']],
    ['0.43', 0, ['other-kind']],
  ])('of %s', async (amount, matched, exceptions) => {
    const payment = await desk.paid();
    await desk.know(payment);
    const file = desk.file(desk.line(payment), desk.line(payment, { type: 'fee', amount }));
    const { json } = await desk.reconcile(file, '--json', '--since', '2020-01-01', '--until', '2020-01-02');
    expect(json['matched']).toBe(matched + 1);
    expect((json['exceptions'] as Json[]).map(({ exception }) => exception)).toEqual(exceptions);
  });
});

describe('a second charge is refunded', () => {
  beforeAll(() => deskOn(desks.sandbox).paid({ referenceId: 'other-77' }));
  let orders = 4_000;
  const others: Record<string, (names: Names) => LineFields> = {
    'a longer number': ({ ref }) => ({ reference: `${ref}2` }),
    'a shorter number': ({ ref }) => ({ reference: ref.slice(0, -1) }),
    'a word of the reference': () => ({ reference: 'order' }),
    'a fee of the payment': ({ ref, provider }) => ({
      type: 'fee',
      amount: '-0.43',
      reference: ref,
      providerReference: provider,
    }),
    'no ID, and another amount': () => ({ type: 'refund', amount: '-10.51' }),
    'no ID, and another currency': () => ({ type: 'refund', amount: '-10.50', currency: 'USD' }),
    'no ID, and an earlier day': () => ({ type: 'refund', amount: '-10.50', at: '2020-01-01T00:00:01Z' }),
    'the reference of another payment': () => ({ type: 'refund', amount: '-10.50', reference: 'other-77' }),
  };

  it.each(Object.entries(others))('where a line has %s', async (_, lineOf) => {
    const rows = await reconcileWith(
      (names) => ({ amount: '-1.00', ...lineOf(names) }),
      `order-${(orders += 1)}`,
    );
    expect(rows.map(({ isPlanned }) => isPlanned)).toEqual([true, true]);
  });

  it('where lines about other payments have longer references', async () => {
    const [one, two] = [
      await desk.paid({ referenceId: 'shop-2001' }),
      await desk.paid({ referenceId: 'shop-2001-2' }),
    ];
    await desk.know(one, two);
    const lines = [
      desk.line(one),
      desk.line(one, { captureId: 'ch2x_other' }),
      desk.line(two, { at: `${today()}T00:00:02Z`, amount: '99.00' }),
    ];
    const { json } = await desk.reconcile(desk.file(...lines), '--json');
    const moving = (json['exceptions'] as Json[]).filter(({ next }) => next?.['movesMoney']);
    expect(moving.map(({ payment }) => Number(payment))).toEqual([one.paymentId]);
  });
});
