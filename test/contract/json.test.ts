import fc from 'fast-check';
import { expect, test } from 'vitest';
import { duplicateKey, numberJson, parseJson } from '../../src/contract/json.js';

test.each(['10.10', '-0', '1.01e1', '1E+2', '1e400', '90071992547409931234'])(
  'an amount that is kept as %s is that number in JSON',
  (text) => expect(JSON.stringify([numberJson(text)])).toBe(`[${text}]`),
);

test.each(['', '007', '1e', 'e5', '1.', '0x1', 'inv-1e5'])('%o is no number in JSON', (text) =>
  expect(numberJson(text)).toBe(text),
);

const twiceIn = (text: string) => duplicateKey(text, parseJson(text));

test.each([
  ['{"a":1,"a":2}', 'a'],
  ['{"a":1,"\\u0061":2}', 'a'],
  ['{"":1,"":2}', ''],
  ['{"a\\\\":1,"a\\"":2,"a\\\\":3}', 'a\\'],
  ['[{"b":{"c":1 , "c" : 2}}]', 'c'],
  ['{"a":{"a":1},"b":[{"a":1},{"a":2}]}', undefined],
  ['{"a":"\\"a\\":","b":"{\\"b\\":1"}', undefined],
  ['{"a":"\\":","b":1,"b":2}', 'b'],
  ['{"a":1.10,"a":1.10}', 'a'],
  ['{"__proto__":1,"__proto__":2}', '__proto__'],
  ['{"a"\t\r\n :1,"a":2}', 'a'],
  ['"a:b"', undefined],
])('%s has %o twice', (text, key) => expect(twiceIn(text)).toBe(key));

test('what was written by JSON.stringify has no key twice', () => {
  fc.assert(fc.property(fc.json(), (text) => twiceIn(text) === undefined));
});

test('a key that is added again is found, however it is spelled', () => {
  const spelled = (key: string) =>
    `"${key.replaceAll(/[^]/g, (code) => `\\u${code.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`;
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }),
      fc.boolean(),
      fc.nat(),
      (object, escaped, chosen) => {
        const keys = Object.keys(object);
        const key = keys[chosen % keys.length] ?? '';
        const again = escaped ? spelled(key) : JSON.stringify(key);
        const text = `${JSON.stringify(object).slice(0, -1)},${again}:null}`;
        return twiceIn(text) === key;
      },
    ),
  );
});
