import { describe, expect, test } from 'vitest';
import {
  canReach,
  comesBefore,
  isLegal,
  isStateName,
  type Operation,
  operations,
  operationStates,
  states,
  stateNames,
} from '../../src/contract/states.js';

describe('states', () => {
  test('have the names and ids of the specification and of the design', () => {
    expect(Object.fromEntries(stateNames.map((name) => [name, states[name].id]))).toEqual({
      Created: 1,
      ActionRequired: 2,
      Processing: 3,
      Held: 4,
      Authorised: 5,
      Capturing: 6,
      Captured: 7,
      Refunding: 8,
      Refunded: 9,
      Cancelling: 10,
      Cancelled: 11,
      Declined: 12,
      Failed: 13,
      Expired: 14,
    });
  });

  test('lead only to states that exist, and final ones nowhere', () => {
    for (const name of stateNames) {
      const { next, final } = states[name];
      for (const to of next) expect(isStateName(to)).toBe(true);
      expect({ name, ends: next.length === 0 }).toEqual({ name, ends: final });
      expect(next).not.toContain(name);
    }
  });

  test('can each be reached from Created, and none leads back to it but a failed cancel', () => {
    for (const name of stateNames) if (name !== 'Created') expect(canReach('Created', name)).toBe(true);
    expect(stateNames.filter((name) => states[name].next.includes('Created'))).toEqual(['Cancelling']);
  });

  test('never let money out of a payment that was cancelled, nor cancel one that was captured', () => {
    for (const to of ['Captured', 'Capturing', 'Refunded'] as const)
      expect(canReach('Cancelled', to)).toBe(false);
    for (const from of ['Captured', 'Refunding', 'Refunded'] as const) {
      expect(canReach(from, 'Cancelled')).toBe(false);
      expect(canReach(from, 'Cancelling')).toBe(false);
    }
    expect(canReach('Refunded', 'Captured')).toBe(false);
    // A refund that bounces is back where it was.
    expect(canReach('Refunding', 'Captured')).toBe(true);
  });

  test('come before one another in one direction only, and lead on without a step back', () => {
    for (const one of stateNames) {
      expect(comesBefore(one, one)).toBe(false);
      for (const other of stateNames) {
        if (!comesBefore(one, other)) continue;
        expect([one, other, comesBefore(other, one), canReach(one, other)]).toEqual([
          one,
          other,
          false,
          true,
        ]);
      }
    }
    for (const name of stateNames) if (name !== 'Created') expect(comesBefore('Created', name)).toBe(true);
    expect(comesBefore('Authorised', 'Captured')).toBe(true);
    expect(comesBefore('Declined', 'Authorised')).toBe(true);
  });

  test('are not mistaken for what every object has', () => {
    for (const name of ['toString', '__proto__', 'constructor', '', 'created', undefined, 7]) {
      expect(isStateName(name)).toBe(false);
    }
  });
});

describe('operations', () => {
  const legalStates = (operation: Operation) => stateNames.filter((state) => isLegal(operation, state));

  test('are legal where the specification says so', () => {
    expect(legalStates('capture')).toEqual(['Authorised']);
    expect(legalStates('refund')).toEqual(['Captured']);
    expect(legalStates('unhold')).toEqual(['Held']);
    expect(legalStates('cancel')).toEqual(['Created', 'ActionRequired', 'Processing', 'Held', 'Authorised']);
    expect(legalStates('recheck')).toEqual(stateNames);
  });

  test('lead through states that the state they start from can reach', () => {
    for (const operation of operations) {
      if (operation === 'unhold' || operation === 'recheck') continue;
      const { during, end } = operationStates[operation];
      for (const from of legalStates(operation)) {
        expect(states[from].next).toContain(during);
      }
      expect(states[during].next).toContain(end);
    }
  });
});
