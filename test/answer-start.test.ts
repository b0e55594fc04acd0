import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { startOf } from '../src/answer-start.js';

const body = (...chunks: Array<string | Buffer>) => Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

it('a character that comes in two chunks is one character', async () => {
  const bytes = Buffer.from('für 😀');
  const chunks = Array.from(bytes, (byte) => Buffer.from([byte]));
  expect(await startOf(body(...chunks), 100)).toBe('für 😀');
});

it('zero characters are replaced, and so is what is no text', async () => {
  expect(await startOf(body('a\0b'), 100)).toBe('a\uFFFDb');
  expect(await startOf(body(Buffer.from([0x61, 0xff, 0xc3])), 100)).toBe('a\uFFFD\uFFFD');
});

it.each([
  [4, 'a'],
  [5, 'a😀'],
  [6, 'a😀b'],
])('ends after %i bytes at most, with a whole character', async (maxBytes, expected) => {
  expect(await startOf(body('a😀bc'), maxBytes)).toBe(expected);
});

it('reads no more of an endless answer than it needs', async () => {
  let read = 0;
  const endless = Readable.from(
    (function* () {
      for (;;) {
        read += 1;
        yield Buffer.from('0123456789');
      }
    })(),
    { highWaterMark: 1 },
  );
  expect(await startOf(endless, 25)).toBe('0123456789012345678901234');
  expect(read).toBeLessThan(10);
  expect(endless.destroyed).toBe(true);
});
