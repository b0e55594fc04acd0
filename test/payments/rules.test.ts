import { commandText } from '../../src/next-command.js';
import { describe, expect, it } from 'vitest';
import type { PaymentRead } from '../../src/client/payment-calls.js';
import { decodePayment } from '../../src/client/answers.js';
import { numberFromText } from '../../src/contract/json.js';
import { isStateName, stateNames } from '../../src/contract/states.js';
import {
  exitCodeOf,
  GuardError,
  PartialError,
  PendingError,
  ServiceError,
  TemporaryError,
  UnknownOutcomeError,
} from '../../src/errors.js';
import { chargeOutcome } from '../../src/payments/charge-outcome.js';
import { customerOf, differencesFound, differencesMade } from '../../src/payments/differences.js';
import { endingOf } from '../../src/payments/endings.js';
import { forbidden } from '../../src/payments/move/legality.js';
import { parseLines, parsePayment, parsePaymentLines } from '../../src/payments/named-payments.js';
import { draftRequest, generateReference } from '../../src/payments/payment-draft.js';

function payment(state: string, more: Record<string, unknown> = {}): PaymentRead {
  const raw = { paymentId: 7, referenceId: 'r', paymentState: state, amount: 10.1, currency: 'EUR', ...more };
  const decoded = decodePayment(raw);
  if (!decoded) throw new Error('no payment');
  const answer = { httpStatus: 200, headers: {}, text: '', raw: undefined, readable: true };
  return { ...decoded, state: isStateName(state) ? state : undefined, answer };
}

describe('a payment as it is typed', () => {
  it.each([
    ['inv-2041', { referenceId: 'inv-2041' }],
    ['ref:123', { referenceId: '123' }],
    ['id:123', { paymentId: '123' }],
    ['ref:id:1', { referenceId: 'id:1' }],
    ['ORD 7', { referenceId: 'ORD 7' }],
  ])('%s', (typed, key) => expect(parsePayment(typed)).toEqual({ typed, key }));

  it.each(['100231', '99999999999999999999'])('%s, which may be a reference as well', (typed) => {
    expect(parsePayment(typed)).toEqual({ typed, key: { paymentId: typed }, mayBeReference: true });
  });

  it.each(['', ' ', 'id:x', 'ref:', 'a\nb', '\u202Ex'])('%j is refused', (typed) => {
    expect(() => parsePayment(typed)).toThrow();
  });

  it('names the lines that are bad', () => {
    expect(() => parsePaymentLines('a\nid:x\n\nid:y')).toThrow(/line 2: .*; line 4: /);
    expect(parsePaymentLines('a\r\n\n 2 \n').map(({ typed }) => typed)).toEqual(['a', '2']);
  });

  it('does not take an error of ours for a bad line', () => {
    const parse = () => {
      throw new TypeError('not a function');
    };
    expect(() => parseLines('a\nb', (line) => [line], parse)).toThrow(TypeError);
  });
});

describe('a charge', () => {
  const ok = ['Captured'];
  const over = ['Declined', 'Failed', 'Expired', 'Cancelled', 'Refunded'];
  it.each(stateNames)('that is %s', (state) => {
    const expected = ok.includes(state) ? 'done' : over.includes(state) ? 'failed' : 'accepted';
    expect(chargeOutcome(payment(state), true)).toBe(expected);
    expect(chargeOutcome(payment(state), false)).toBe(state === 'Authorised' ? 'done' : expected);
  });
  it('in a state that nobody knows', () => expect(chargeOutcome(payment('Odd'), true)).toBe('unknown'));
  it.each(['Declined', 'Failed', 'Expired', 'Cancelling', 'Cancelled'])(
    'that is %s and shows captured money',
    (state) => expect(chargeOutcome(payment(state, { capturedAmount: 3 }), true)).toBe('unknown'),
  );
});

describe('the customer of a body', () => {
  it.each([
    ['c', 'c'],
    [517, '517'],
    ['', undefined],
    [true, undefined],
    [{ id: 'c' }, undefined],
  ])('whose customerId is %j', (customerId, expected) => {
    expect(customerOf({ customerOrder: { customer: { customerId } } })).toBe(expected);
  });

  it.each([[undefined], [null], ['c'], [[]], [{}], [{ customerOrder: [] }]])('%j has none', (body) => {
    expect(customerOf(body)).toBeUndefined();
  });
});

describe('an amount that is given twice', () => {
  const isConflict = (body: string, amount: string) =>
    draftRequest('hosted-page', {
      flags: { amount: numberFromText(amount) },
      body: { source: 'body.json', value: { amount: numberFromText(body) } },
    }).bad.some(({ problem }) => problem.includes('leave out one of them'));

  it.each(['10', '10.0', '10.00', '10.000', '1e1'])('%s is 10.0', (body) => {
    expect(isConflict(body, '10.0')).toBe(false);
  });

  it.each(['10.01', '100', '1e2'])('%s is not 10.0', (body) => {
    expect(isConflict(body, '10.0')).toBe(true);
  });
});

describe('what makes a payment another one', () => {
  const body = { amount: 10.1, currency: 'EUR', customerOrder: { customer: { customerId: 'c' } } };
  const same = { customerId: 'c', paymentFlow: 'HostedPage' };
  it('is not how an amount is written, what is not shown, or a name that we do not know', () => {
    expect(differencesFound('hosted-page', body, payment('Created', same))).toEqual([]);
    expect(differencesFound('hosted-page', body, payment('Created', { ...same, amount: '10.10' }))).toEqual(
      [],
    );
    expect(differencesFound('hosted-page', body, payment('Created', { paymentFlow: 'Checkout' }))).toEqual(
      [],
    );
  });
  it('is its amount, currency, customer and flow; a charge has no currency', () => {
    const other = payment('Created', {
      amount: 10.11,
      currency: 'USD',
      customerId: 'd',
      paymentFlow: 'Direct',
    });
    expect(differencesFound('hosted-page', body, other).map(({ field }) => field)).toEqual([
      'amount',
      'currency',
      'customer',
      'flow',
    ]);
    expect(differencesFound('charge', body, other).map(({ field }) => field)).not.toContain('currency');
  });
  it('is how it is captured, and where the customer returns to, in any spelling of the address', () => {
    const asked = { ...body, autoCapture: false, returnUrl: 'https://shop.example' };
    const shown = { ...same, autoCapture: true, returnUrl: 'https://other.example/' };
    expect(differencesFound('hosted-page', asked, payment('Created', shown))).toEqual([
      { field: 'auto-capture', asked: 'false', found: 'true' },
      { field: 'return-url', asked: 'https://shop.example', found: 'https://other.example/' },
    ]);
    const sameAddress = { ...same, returnUrl: 'https://shop.example/' };
    expect(differencesFound('hosted-page', asked, payment('Created', sameAddress))).toEqual([]);
  });
  it('is that it was captured at once, where it is new and was only to be authorised', () => {
    const asked = { ...body, autoCapture: false };
    const charged = { customerId: 'c', autoCapture: false };
    for (const state of ['Capturing', 'Captured', 'Refunded']) {
      // Somebody may have captured a payment that was there before.
      expect(differencesFound('charge', asked, payment(state, charged))).toEqual([]);
      expect(differencesMade('charge', asked, payment(state, charged))).toEqual([
        { field: 'auto-capture', asked: 'false', found: 'true' },
      ]);
      expect(differencesMade('charge', { ...body, autoCapture: true }, payment(state))).toEqual([]);
    }
    expect(differencesMade('charge', asked, payment('Authorised', charged))).toEqual([]);
  });
});

describe('what the state forbids', () => {
  it.each([
    ['cancel', 'Captured', 'paydesk payments refund 7'],
    ['refund', 'Authorised', 'paydesk payments cancel 7'],
    ['refund', 'Refunded', 'paydesk payments explain 7'],
    ['refund', 'Refunding', 'paydesk payments explain 7'],
    ['capture', 'Held', 'paydesk payments unhold 7'],
    ['unhold', 'Authorised', 'paydesk payments capture 7'],
  ] as const)('%s when %s: %s', (operation, state, next) => {
    const error = forbidden(operation, payment(state));
    expect(error).toBeInstanceOf(GuardError);
    expect(error?.next.map((step) => commandText(step))).toEqual([next]);
  });
  it('says nothing of a legal one, or of a state that nobody knows', () => {
    expect(forbidden('refund', payment('Captured'))).toBeUndefined();
    expect(forbidden('refund', payment('Odd'))).toBeUndefined();
  });
});

describe('how several payments end', () => {
  const refused = new ServiceError('no', { code: 'x' });
  const later = new TemporaryError('later', { code: 'y' });
  it.each([
    [[{}, {}], undefined],
    [[{ error: refused }], 1],
    [[{ error: refused }, {}], 7],
    [[{ error: refused }, { error: later }], 7],
    [[{ error: later }, { error: later }], 5],
  ] as const)('%j', (results, code) => {
    const ending = endingOf(
      results.map((result) => ({ typed: 'p', ...result })),
      'refunded',
    );
    expect(ending === undefined ? undefined : exitCodeOf(ending)).toBe(code);
    if (code === 7) expect(ending).toBeInstanceOf(PartialError);
  });

  const done = { outcome: 'done' };
  const accepted = { outcome: 'accepted' };
  const no = { outcome: 'refused', error: refused };
  const open = { outcome: 'unknown', error: new UnknownOutcomeError('?', { code: 'outcome-unknown' }) };
  const slow = { outcome: 'accepted', error: new PendingError('slow', { code: 'pending' }) };
  it.each([
    [[no, no, no], 1, 'None of the 3 payments was refunded.'],
    [[done, accepted, no], 7, '1 of 3 payments was not refunded.'],
    [[open, open, open], 6, 'The outcome is unknown for all 3 payments.'],
    [[slow, slow, slow], 8, 'None of the 3 payments is confirmed yet.'],
    [[done, no, open], 7, '1 of 3 payments was refunded, 1 was not, and 1 has an unknown outcome.'],
    [[done, done, slow], 7, '2 of 3 payments were refunded, and 1 is not confirmed yet.'],
    [
      [accepted, no, no, open],
      7,
      '2 of 4 payments were not refunded, 1 is not confirmed yet, and 1 has an unknown outcome.',
    ],
    [[slow, open, open], 7, '1 of 3 payments is not confirmed yet, and 2 have an unknown outcome.'],
  ] as const)('in words that are true: %j', (results, code, message) => {
    const ending = endingOf(
      results.map((result) => ({ typed: 'p', ...result })),
      'refunded',
    );
    expect([exitCodeOf(ending), ending?.message]).toEqual([code, message]);
  });
});

it('a generated reference has the day in it and is new each time', () => {
  const make = () => generateReference(new Date('2026-11-15T23:00:00Z'), Math.random);
  expect(make()).toMatch(/^pd-20261115-[a-z2-9]{10}$/);
  expect(new Set(Array.from({ length: 1_000 }, make)).size).toBe(1_000);
});
