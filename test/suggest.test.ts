import { describe, expect, it } from 'vitest';
import { didYouMean, suggest } from '../src/suggest.js';

const states = [
  'Created',
  'Capturing',
  'Captured',
  'Refunding',
  'Refunded',
  'Cancelled',
  'Held',
  'Authorised',
];

describe('suggest', () => {
  it.each([
    ['captured', 'Captured'],
    ['Captrued', 'Captured'],
    ['Refunde', 'Refunded'],
    ['Canceled', 'Cancelled'],
    ['Authorized', 'Authorised'],
    ['Hled', 'Held'],
    ['auth', 'Authorised'],
    [' held ', 'Held'],
  ])('takes %j for %s', (typed, meant) => {
    expect(suggest(typed, states)).toBe(meant);
  });

  it.each(['', '  ', 'x', 'OnHold', 'Settled', 'Shipped'])('leaves %j alone', (typed) => {
    expect(suggest(typed, states)).toBeUndefined();
  });

  it('prefers the closest, then the one that begins alike, then the first', () => {
    expect(suggest('USX', ['UGX', 'USD'])).toBe('USD');
    expect(suggest('EUS', ['USD', 'EUR'])).toBe('EUR');
    expect(suggest('local-', ['local-live', 'local'])).toBe('local');
    expect(suggest('ab', ['aa', 'bb'])).toBe('aa');
  });

  it('has no suggestion when nothing is known', () => {
    expect(suggest('Captured', [])).toBeUndefined();
  });

  it('makes a sentence, or nothing', () => {
    expect(didYouMean('Captrued', states)).toBe(' Did you mean Captured?');
    expect(didYouMean('Shipped', states)).toBe('');
  });
});
