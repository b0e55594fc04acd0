import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.js';
import { parseAliases } from '../../src/profiles/aliases.js';

describe('parseAliases', () => {
  it('reads pairs, and an empty name of ours as taking one away', () => {
    expect(parseAliases(['OnHold=Held', 'Authorized=Authorised', 'In review = Held', 'Old='])).toEqual({
      OnHold: 'Held',
      Authorized: 'Authorised',
      'In review': 'Held',
      Old: '',
    });
    expect(parseAliases([])).toEqual({});
  });

  it('keeps a name that objects use themselves', () => {
    expect(Object.entries(parseAliases(['__proto__=Held']))).toEqual([['__proto__', 'Held']]);
  });

  it.each([
    ['OnHold', 'OnHold=Held'],
    ['=Held', 'OnHold=Held'],
    [' =Held', 'characters'],
    ['OnHold=Hled', 'Did you mean Held?'],
    ['OnHold=held', 'Did you mean Held?'],
    ['OnHold=Paused', 'They are: Created,'],
    ['Captured=Authorised', 'always means itself'],
    ['On\u001bHold=Held', 'characters'],
  ])('refuses %j', (pair, reason) => {
    expect(() => parseAliases([pair])).toThrow(UsageError);
    expect(() => parseAliases([pair])).toThrow(reason);
  });

  it('reports everything that is wrong at once', () => {
    const error = (() => {
      try {
        return parseAliases(['A=Hled', 'B', 'C=Held', 'C=Captured']);
      } catch (caught) {
        return caught;
      }
    })();
    expect(error).toMatchObject({ message: '3 aliases cannot be used.' });
    expect((error as UsageError).details).toHaveLength(3);
  });
});
