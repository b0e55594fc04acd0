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
    ['Captured=Authorised', 'cannot be an alias'],
    ['On\u001bHold=Held', 'characters'],
  ])('refuses %j', (pair, reason) => {
    expect(refused([pair]).details).toEqual([
      { input: pair, problem: expect.stringContaining(reason) as string },
    ]);
  });

  it('reports everything that is wrong at once', () => {
    const error = refused(['A=Hled', 'B', 'C=Held', 'C=Captured']);
    expect(error.message).toBe('3 invalid aliases. Nothing was changed.');
    expect(error.details).toHaveLength(3);
  });
});

function refused(pairs: string[]): UsageError {
  try {
    parseAliases(pairs);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
