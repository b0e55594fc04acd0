import { describe, expect, it } from 'vitest';
import { ExactNumber } from '../../src/contract/json.js';
import { stateNames, type StateName } from '../../src/contract/states.js';
import { settleByRead, type SettleOperation, type Settled } from '../../src/client/outcome.js';

type Seen = StateName | 'SomethingNew';
const seen: Seen[] = [...stateNames, 'SomethingNew'];
const known = (state: Seen) => (state === 'SomethingNew' ? undefined : state);

const start: Record<SettleOperation, StateName> = {
  capture: 'Authorised',
  refund: 'Captured',
  cancel: 'Authorised',
  unhold: 'Held',
};

// Everything that is not listed is open.
const expected: Record<SettleOperation, Partial<Record<Seen, Settled>>> = {
  capture: {
    Capturing: 'carried-out',
    Captured: 'carried-out',
    Refunding: 'carried-out',
    Refunded: 'carried-out',
    Cancelled: 'not-carried-out',
    Expired: 'not-carried-out',
    Declined: 'not-carried-out',
    Failed: 'not-carried-out',
  },
  refund: { Refunding: 'carried-out', Refunded: 'carried-out' },
  cancel: {
    Cancelling: 'carried-out',
    Cancelled: 'carried-out',
    Capturing: 'not-carried-out',
    Captured: 'not-carried-out',
    Refunding: 'not-carried-out',
    Refunded: 'not-carried-out',
    Declined: 'not-carried-out',
    Failed: 'not-carried-out',
    Expired: 'not-carried-out',
  },
  unhold: Object.fromEntries(
    stateNames
      .filter((state) => !['Created', 'ActionRequired', 'Held', 'Cancelling', 'Cancelled'].includes(state))
      .map((state) => [state, 'carried-out' as const]),
  ),
};

const operations = Object.keys(start) as SettleOperation[];

describe.each(operations)('%s', (operation) => {
  const before = start[operation];

  it.each(seen)(`from ${before}, a read that shows %s`, (state) => {
    expect(settleByRead(operation, { state: before }, { state: known(state) })).toBe(
      expected[operation][state] ?? 'open',
    );
  });

  it.each(seen)('proves nothing where it was so before: %s', (state) => {
    const settled = settleByRead(operation, { state: known(state) }, { state: known(state) });
    expect(settled).not.toBe('carried-out');
    expect(settled).not.toBe('failed');
  });

  it('failed when it is back where it was after its state on the way was seen', () => {
    const settled = settleByRead(operation, { state: before, duringSeen: true }, { state: before });
    expect(settled).toBe(operation === 'unhold' ? 'open' : 'failed');
    expect(settleByRead(operation, { state: before }, { state: before })).toBe('open');
  });

  it('a state that nobody knows settles nothing, also after the state on the way', () => {
    expect(settleByRead(operation, { state: before, duringSeen: true }, { state: undefined })).toBe('open');
    expect(settleByRead(operation, { state: undefined, duringSeen: true }, { state: undefined })).toBe(
      'open',
    );
  });
});

describe('the captured amount', () => {
  const amounts: [number | ExactNumber, Settled][] = [
    [0, 'open'],
    [new ExactNumber('0.00'), 'open'],
    [new ExactNumber('0E+5'), 'open'],
    [-5, 'open'],
    [0.01, 'carried-out'],
    [new ExactNumber('10.10'), 'carried-out'],
    [new ExactNumber('9007199254740993'), 'carried-out'],
  ];
  it.each(amounts)('%s proves a capture: %s', (capturedAmount, settled) => {
    const before = { state: 'Authorised', capturedAmount: 0 } as const;
    for (const state of ['Authorised', undefined] as const) {
      expect(settleByRead('capture', before, { state, capturedAmount })).toBe(settled);
    }
  });

  it('proves nothing when it was there before, and nothing for other verbs', () => {
    const read = { state: 'Authorised', capturedAmount: 10 } as const;
    expect(settleByRead('capture', { state: 'Authorised', capturedAmount: 10 }, read)).toBe('open');
    expect(settleByRead('refund', { state: 'Captured' }, { state: undefined, capturedAmount: 10 })).toBe(
      'open',
    );
    expect(settleByRead('cancel', { state: 'Authorised' }, read)).toBe('open');
  });
});
