import { format, inspect } from 'node:util';
import { expect, it } from 'vitest';
import { Secret } from '../../src/profiles/secret.js';
import { canary } from './temporary-home.js';

it('shows itself only when asked by name', () => {
  const secret = new Secret(canary);
  expect(secret.reveal()).toBe(canary);
  const shown = [
    String(secret),
    JSON.stringify({ secret }),
    inspect({ deep: [secret] }, { depth: 9, showHidden: true }),
    format('%s %o %j', secret, secret, secret),
    Object.entries(secret).join(),
  ];
  for (const text of shown) expect(text).not.toContain(canary);
  expect(String(secret)).toBe('[redacted]');
});

it('compares by value', () => {
  expect(new Secret('a').equals(new Secret('a'))).toBe(true);
  expect(new Secret('a').equals(new Secret('b'))).toBe(false);
});
