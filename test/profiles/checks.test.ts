import { describe, expect, it } from 'vitest';
import { isLoopbackUrl } from '../../src/loopback.js';
import { checkApiKey, checkAppId, checkBaseUrl, checkName } from '../../src/profiles/checks.js';
import { canary } from './temporary-home.js';

describe('checkBaseUrl', () => {
  it.each([
    ['https://payments.example.com', 'https://payments.example.com'],
    ['https://payments.example.com/', 'https://payments.example.com'],
    ['https://Payments.Example.com:443/v2//', 'https://payments.example.com/v2'],
    [' https://payments.example.com ', 'https://payments.example.com'],
    ['http://localhost:4010', 'http://localhost:4010'],
    ['http://127.0.0.1:4010/', 'http://127.0.0.1:4010'],
    ['http://127.8.9.1', 'http://127.8.9.1'],
    ['http://127.1', 'http://127.0.0.1'],
    ['http://[::1]:4010', 'http://[::1]:4010'],
  ])('takes %s', (text, value) => {
    expect(checkBaseUrl(text)).toEqual({ value });
  });

  it.each([
    ['', 'not a URL'],
    ['payments.example.com', 'not a URL'],
    ['localhost:4010', 'not a URL'],
    ['ftp://payments.example.com', 'use https://'],
    ['file:///etc/passwd', 'not a URL'],
    ['http://payments.example.com', 'use https://payments.example.com'],
    ['http://localhost.example.com', 'http is allowed only for this machine'],
    ['http://127.0.0.1.example.com', 'http is allowed only for this machine'],
    ['http://0.0.0.0:4010', 'http is allowed only for this machine'],
    ['http://10.0.0.1', 'http is allowed only for this machine'],
    ['http://[::ffff:127.0.0.1]', 'http is allowed only for this machine'],
    ['https://ann:hunter2@payments.example.com', 'user name or password'],
    ['https://ann@payments.example.com', 'user name or password'],
    ['https://payments.example.com?key=1', 'query or fragment'],
    ['https://payments.example.com/?', 'query or fragment'],
    ['https://payments.example.com/#x', 'query or fragment'],
  ])('refuses %j', (text, reason) => {
    const checked = checkBaseUrl(text);
    expect(checked).toHaveProperty('problem', expect.stringContaining(reason));
    expect(JSON.stringify(checked)).not.toContain('hunter2');
  });
});

it('knows loopback', () => {
  expect(isLoopbackUrl('http://localhost:1')).toBe(true);
  expect(isLoopbackUrl('https://[::1]')).toBe(true);
  expect(isLoopbackUrl('https://localhost.example.com')).toBe(false);
  expect(isLoopbackUrl('nonsense')).toBe(false);
});

describe('checkName', () => {
  it.each(['a', 'shop-eu', 'Shop.2', 'x'.repeat(64)])('takes %s', (name) => {
    expect(checkName(name)).toEqual({ value: name });
  });

  it.each(['', '-a', 'a-', '.', '..', '__proto__', 'a b', 'a/b', 'ä', 'a\n', 'x'.repeat(65)])(
    'refuses %j and shows one that would do',
    (name) => {
      expect(checkName(name)).toHaveProperty('problem', expect.stringContaining('shop-eu'));
    },
  );
});

describe('checkAppId', () => {
  it.each(['7f31c2', 'app_1', '2b0d7c1e-8a3f-4c55'])('takes %s', (id) => {
    expect(checkAppId(` ${id}\n`)).toEqual({ value: id });
  });

  it.each(['', '..', 'a/b', 'a?b', 'a b', '%2e'])('refuses %j', (id) => {
    expect(checkAppId(id)).toHaveProperty('problem');
  });
});

describe('checkApiKey', () => {
  it('trims what a pasted or piped key brings along', () => {
    const checked = checkApiKey(`  ${canary}\r\n`);
    expect('value' in checked && checked.value.reveal()).toBe(canary);
  });

  it.each(['', ' \n', `${canary} ${canary}`, `${canary}\n${canary}`, `${canary}ä`, 'x'.repeat(5000)])(
    'refuses %j without repeating it',
    (text) => {
      const checked = checkApiKey(text);
      expect(checked).toHaveProperty('problem');
      expect(JSON.stringify(checked)).not.toContain(canary);
    },
  );
});
