import { describe, expect, it } from 'vitest';
import { namesInLine, parsePastedLines, parsePastedName } from '../../src/payments/pasted-names.js';

/** What is looked for, in the words of `id:` and `ref:`. */
const meant = (text: string): string[] =>
  parsePastedLines(text).map(({ key, mayBeReference }) =>
    'paymentId' in key ? `${mayBeReference ? '' : 'id:'}${key.paymentId}` : `ref:${key.referenceId}`,
  );

describe('a pasted line', () => {
  it.each([
    ['- stuck-charged', ['ref:stuck-charged']],
    ['* 100019', ['100019']],
    ['• inv-1', ['ref:inv-1']],
    ['1. inv-1', ['ref:inv-1']],
    ['12) inv-1', ['ref:inv-1']],
    ['"inv-1"', ['ref:inv-1']],
    ["'inv 1'", ['ref:inv 1']],
    ['“inv-1”.', ['ref:inv-1']],
    ['#100019', ['100019']],
    ['inv-1;', ['ref:inv-1']],
    ['inv-1.', ['ref:inv-1']],
    ['100018, 100019;inv-3', ['100018', '100019', 'ref:inv-3']],
    ['100018 inv-2', ['100018', 'ref:inv-2']],
    ['Order: seed-held', ['ref:seed-held']],
    ['- Order: "seed-held",', ['ref:seed-held']],
    ['ref:123', ['ref:123']],
    ['id:123', ['id:123']],
    ['Ref: 123', ['ref:123']],
    ['reference: 123', ['ref:123']],
    ['Payment ID: 123', ['id:123']],
    ['  inv-1\r', ['ref:inv-1']],
  ])('%j names %j', (line, expected) => {
    expect(meant(line)).toEqual(expected);
  });

  it.each([
    ['A-1001\t59,90 €', ['ref:A-1001']],
    ['A-1001\tEUR 59.90', ['ref:A-1001']],
    ['A-1001\t1.234,56', ['ref:A-1001']],
    ['A-1001\t1,234.56', ['ref:A-1001']],
    ['A-1001\t1\u{a0}234,56\u{a0}€', ['ref:A-1001']],
    ['A-1001\t-59,90 kr', ['ref:A-1001']],
    ['A-1001\t15.11.2026 09:12\t59,90 €', ['ref:A-1001']],
    ['A-1001\tJane Doe\tjane@example.org', ['ref:A-1001']],
    ['59,90 €\tA-1001', ['ref:A-1001']],
    ['100018\tA-1002', ['100018', 'ref:A-1002']],
    ['•\tA-1001\t"59,90"', ['ref:A-1001']],
    ['100018,100019\tlost', ['100018', '100019']],
    ['order 12\t59,90 €', ['ref:order 12']],
    ['order 12\tA-1002\t2 boxes', ['ref:order 12', 'ref:A-1002']],
    ['A-1001 59,90 €', ['ref:A-1001']],
    ['100018 EUR 1,234.56, 100019 59.90', ['100018', '100019']],
  ])('%j has a payment in one column, and an amount in none', (line, expected) => {
    expect(meant(line)).toEqual(expected);
  });

  it.each([
    ['59,90 €', ['ref:59,90 €']],
    ['1.234,56', ['ref:1.234,56']],
    ['order 12.50', ['ref:order 12.50']],
    ['100018,100019', ['100018', '100019']],
    ['12,13,14', ['12', '13', '14']],
    ['inv-1,22', ['ref:inv-1', '22']],
  ])('%j is never split at a decimal comma', (line, expected) => {
    expect(meant(line)).toEqual(expected);
  });

  it.each([
    // An order number is not the id of a payment.
    ['Order: 123', ['ref:Order: 123']],
    ['Order: #123', ['ref:Order: #123']],
    // A reference may have spaces in it, and 12 would be another payment.
    ['order 12', ['ref:order 12']],
    ['inv 12 b', ['ref:inv 12 b']],
    ['#abc', ['ref:#abc']],
    ['inv#12', ['ref:inv#12']],
    ['100019', ['100019']],
    ['-100019', ['ref:-100019']],
    ['a.b', ['ref:a.b']],
    ['"a', ['ref:"a']],
  ])('%j stays as it is', (line, expected) => {
    expect(meant(line)).toEqual(expected);
  });

  it('may be empty, or only a bullet', () => {
    expect(['', ' ', '-', '1.', '\t59,90 €'].flatMap(namesInLine)).toEqual([]);
  });
});

it('keeps the name as it is written where something was left out', () => {
  expect(parsePastedName('#100019')).toEqual({
    typed: '#100019',
    written: '#100019',
    key: { paymentId: '100019' },
    mayBeReference: true,
  });
  expect(parsePastedName('inv-1')).toEqual({ typed: 'inv-1', key: { referenceId: 'inv-1' } });
});

it('leaves out what nobody sees in a name, and prefers it with its own hyphens and spaces', () => {
  const pasted = '\u{feff}inv-1\n\u{200b}- inv-2\u{200d}\nin\u{2060}v-3\u{200c}, \u{200e}100018\n\u{200b}\n';
  expect(meant(pasted)).toEqual(['ref:inv-1', 'ref:inv-2', 'ref:inv-3', '100018']);
  expect(parsePastedLines(pasted).filter(({ written }) => written !== undefined)).toEqual([]);
  expect(parsePastedLines('B\u{2011}2001\norder\u{a0}12')).toEqual([
    { typed: 'B\u{2011}2001', written: 'B\u{2011}2001', key: { referenceId: 'B-2001' } },
    { typed: 'order\u{a0}12', written: 'order\u{a0}12', key: { referenceId: 'order 12' } },
  ]);
});

it('reports all bad lines at once', () => {
  expect(() => parsePastedLines('a\nid:x\n\n- id:y')).toThrow(/line 2: .*; line 4: /);
  expect(() => parsePastedLines('\n')).toThrow('contains no payment');
});
