import { describe, expect, it } from 'vitest';
import type { PaymentRead } from '../../../src/client/payment-calls.js';
import { ExactNumber, type JsonNumber, type JsonObject } from '../../../src/contract/json.js';
import { stateNames, type SettleOperation, type StateName } from '../../../src/contract/states.js';
import { beforeOf, contradictsDone, standingOf, type Standing } from '../../../src/payments/move/proof.js';

type Seen = StateName | 'SomethingNew';
const seen: Seen[] = [...stateNames, 'SomethingNew'];

function payment(state: Seen, more: JsonObject & { capturedAmount?: JsonNumber } = {}): PaymentRead {
  const object = { paymentId: 7, paymentState: state, amount: 10, currency: 'EUR', ...more };
  const answer = { httpStatus: 200, headers: {}, text: '', raw: undefined, readable: true };
  return { fields: object, object, state: state === 'SomethingNew' ? undefined : state, answer };
}

const start: Record<SettleOperation, StateName> = {
  capture: 'Authorised',
  refund: 'Captured',
  cancel: 'Authorised',
  unhold: 'Held',
};

// Everything that is not listed has changed, and proves nothing.
const expected: Record<SettleOperation, Partial<Record<Seen, Standing>>> = {
  capture: {
    Authorised: 'unchanged',
    Capturing: 'under-way',
    Captured: 'done',
    Refunding: 'done',
    Refunded: 'done',
    Cancelled: 'excluded',
    Expired: 'excluded',
    Declined: 'excluded',
    Failed: 'excluded',
  },
  refund: { Captured: 'unchanged', Refunding: 'under-way', Refunded: 'done' },
  cancel: {
    Authorised: 'unchanged',
    Cancelling: 'under-way',
    Cancelled: 'done',
    Capturing: 'excluded',
    Captured: 'excluded',
    Refunding: 'excluded',
    Refunded: 'excluded',
    Declined: 'excluded',
    Failed: 'excluded',
    Expired: 'excluded',
  },
  unhold: {
    Held: 'unchanged',
    Authorised: 'done',
    Capturing: 'done',
    Captured: 'done',
    Refunding: 'done',
    Refunded: 'done',
  },
};

const during: Partial<Record<SettleOperation, StateName>> = {
  capture: 'Capturing',
  refund: 'Refunding',
  cancel: 'Cancelling',
};
const backTo: Record<SettleOperation, Seen[]> = {
  capture: ['Authorised'],
  refund: ['Captured'],
  cancel: ['Created', 'ActionRequired', 'Processing', 'Held', 'Authorised'],
  unhold: [],
};

const operations = Object.keys(start) as SettleOperation[];
const underWay = { underWay: true, isTaken: false };

describe.each(operations)('%s', (operation) => {
  const from = start[operation];
  const before = beforeOf(payment(from));

  it.each(seen)(`from ${from}, a read that shows %s`, (state) => {
    expect(standingOf(operation, before, payment(state))).toBe(expected[operation][state] ?? 'changed');
  });

  it.each(seen)('proves nothing where it was so before: %s', (state) => {
    expect(standingOf(operation, beforeOf(payment(state)), payment(state))).toBe('unchanged');
  });

  it('is back when it shows the state before again after it was under way', () => {
    const standing = standingOf(operation, before, payment(from), underWay);
    expect(standing).toBe(operation === 'unhold' ? 'unchanged' : 'back');
  });

  it.each(during[operation] === undefined ? [] : seen)(
    'sent while it was under way already, a read that shows %s',
    (state) => {
      const own = expected[operation][state];
      const isFirst = state === during[operation];
      const isBack = backTo[operation].includes(state);
      const standing = isFirst ? 'unchanged' : isBack ? 'back' : own;
      expect(standingOf(operation, beforeOf(payment(during[operation] as Seen)), payment(state))).toBe(
        standing ?? 'changed',
      );
    },
  );

  it('proves nothing in a state that nobody knows, also after it was under way', () => {
    expect(standingOf(operation, before, payment('SomethingNew'), underWay)).toBe('changed');
    const odd = beforeOf(payment('SomethingNew'));
    expect(standingOf(operation, odd, payment('SomethingNew'), underWay)).toBe('unchanged');
  });

  it.each<[string, JsonObject, Standing]>([
    ['a new field', { refundedAmount: 10 }, 'changed'],
    ['another value', { amount: 11 }, 'changed'],
    ['the same amount, written otherwise', { amount: new ExactNumber('10.00') }, 'unchanged'],
    ['a time', { updatedTime: '2026-11-15T10:00:00Z' }, 'changed'],
    ['a field without a value', { note: null }, 'unchanged'],
  ])('compares the whole payment: %s', (_what, more, standing) => {
    expect(standingOf(operation, before, payment(from, more))).toBe(standing);
  });

  it('does not mind another time or another link in a field that was there', () => {
    const at = (updatedTime: string, redirectUrl: string) => payment(from, { updatedTime, redirectUrl });
    const earlier = beforeOf(at('2026-11-15T10:00:00Z', 'https://pay.example/a'));
    expect(standingOf(operation, earlier, at('2026-11-15T10:00:01Z', 'https://pay.example/b'))).toBe(
      'unchanged',
    );
  });
});

describe('the captured amount', () => {
  const amounts: Array<[JsonNumber, boolean]> = [
    [0, false],
    [new ExactNumber('0.00'), false],
    [new ExactNumber('0E+5'), false],
    [-5, false],
    [0.01, true],
    [new ExactNumber('10.10'), true],
    [new ExactNumber('9007199254740993'), true],
  ];
  it.each(amounts)('%s proves a capture: %s', (capturedAmount, proves) => {
    const before = beforeOf(payment('Authorised', { capturedAmount: 0 }));
    for (const state of ['Authorised', 'SomethingNew'] as const) {
      const standing = standingOf('capture', before, payment(state, { capturedAmount }));
      expect(standing === 'under-way').toBe(proves);
      expect(standing === 'done').toBe(false);
    }
  });

  it('proves nothing when it was there before, and nothing for other verbs', () => {
    const captured = payment('Authorised', { capturedAmount: 10 });
    expect(standingOf('capture', beforeOf(captured), captured)).toBe('unchanged');
    // The ledger keeps the fingerprint, and not the amount.
    const { capturedAmount: _, ...fromLedger } = beforeOf(captured);
    expect(standingOf('capture', fromLedger, captured)).toBe('unchanged');
    expect(standingOf('cancel', beforeOf(payment('Authorised')), captured)).toBe('changed');
  });
});

describe('an operation that is over', () => {
  const fits: Record<SettleOperation, StateName[]> = {
    capture: ['Capturing', 'Captured', 'Refunding', 'Refunded'],
    refund: ['Refunding', 'Refunded'],
    cancel: ['Cancelling', 'Cancelled'],
    unhold: stateNames.filter((state) => state !== 'Held'),
  };
  it.each(Object.entries(fits) as Array<[SettleOperation, StateName[]]>)(
    '%s is contradicted by every state that a payment cannot be in afterwards',
    (operation, states) => {
      const contradicted = stateNames.filter((state) => contradictsDone(operation, state));
      expect(contradicted).toEqual(stateNames.filter((state) => !states.includes(state)));
      expect(contradictsDone(operation, undefined)).toBe(false);
    },
  );
});
