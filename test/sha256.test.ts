import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../src/sha256.js';

describe('sha256', () => {
  it('gives what node:crypto gives, at every length around the ends of blocks', () => {
    for (let length = 0; length <= 260; length += 1) {
      for (const character of ['a', 'é', '€', '😀']) {
        const text = character.repeat(length);
        expect(sha256(text)).toBe(hash('sha256', text));
      }
    }
  });

  it('gives it for text of any kind, half a character included', () => {
    const units = fc.array(fc.nat({ max: 0xffff }), { maxLength: 1_000 });
    fc.assert(
      fc.property(units, (each) => {
        const text = String.fromCharCode(...each);
        expect(sha256(text)).toBe(hash('sha256', text));
      }),
      { numRuns: 2_000 },
    );
  });
});
