import { isUtf8 } from 'node:buffer';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeText, openTextFile } from '../../src/spreadsheet/text.js';
import { anyCharacter } from '../helpers/printable.js';
import { beyondAscii, windows1252 } from '../helpers/windows-1252.js';

const path = join(mkdtempSync(join(tmpdir(), 'paydesk-text-')), 'file.csv');

async function readBack(bytes: Uint8Array): Promise<{ encoding: string; text: string }> {
  writeFileSync(path, bytes);
  const { encoding, bytes: read } = await openTextFile(path);
  const text = (await Array.fromAsync(decodeText(read()))).join('');
  // Read once more, as an import is.
  expect((await Array.fromAsync(decodeText(read()))).join('')).toBe(text);
  return { encoding, text };
}

/** More than is read from a file at once. */
const filler = 'Nr;Betrag\r\n'.repeat(7_000);
const padded = fc.tuple(fc.constantFrom('', filler), fc.constantFrom('', filler));
const ascii = fc.integer({ min: 1, max: 0x7f }).map((code) => String.fromCodePoint(code));
const letters = fc.string({ unit: fc.oneof(ascii, fc.constantFrom(...beyondAscii)), maxLength: 40 });

describe('the encoding of a file', () => {
  test('is Windows-1252 where the whole of it is not UTF-8, wherever that shows', () =>
    fc.assert(
      fc.asyncProperty(letters, padded, async (text, [before, after]) => {
        const bytes = windows1252(`${before}${text}${after}`);
        // Some texts, such as \u00C3\u00BC, are UTF-8 by chance, and nothing can tell.
        const expected = isUtf8(bytes)
          ? { encoding: 'UTF-8', text: bytes.toString('utf8') }
          : { encoding: 'Windows-1252', text: `${before}${text}${after}` };
        expect(await readBack(bytes)).toEqual(expected);
      }),
      {
        examples: [
          ['Müller, 1.234,50 €', [filler, '']],
          ...beyondAscii.map((one) => [one, ['', '']] as const),
        ],
      },
    ));

  test('is UTF-8 where all of it is, with or without a byte order mark', () =>
    fc.assert(
      fc.asyncProperty(
        fc.string({ unit: anyCharacter, minLength: 2 }).filter((text) => !text.slice(0, 2).includes('\0')),
        padded,
        fc.boolean(),
        async (text, [before, after], hasMark) => {
          const written = `${before}x${text.replaceAll('\uFEFF', '')}${after}`;
          const bytes = Buffer.from(`${hasMark ? '\uFEFF' : ''}${written}`);
          expect(await readBack(bytes)).toEqual({ encoding: 'UTF-8', text: written });
        },
      ),
    ));

  test.each([
    ['UTF-16 with a byte order mark', Buffer.from('\uFEFFNr;Größe\n', 'utf16le'), 'UTF-16'],
    [
      'a byte order mark of UTF-8 before other bytes',
      Buffer.from([0xef, 0xbb, 0xbf, 0x4e, 0xfc]),
      'not UTF-8',
    ],
    ['a byte that Windows-1252 does not have', Buffer.from([0x4e, 0xfc, 0x81, 0x0a]), 'not UTF-8'],
    ['no text at all', Buffer.from([0x50, 0x4b, 0x03, 0x04, 0x00, 0xff]), 'not UTF-8'],
  ])('is not guessed for %s', async (_, bytes, message) => {
    await expect(readBack(bytes)).rejects.toThrow(message);
  });
});
