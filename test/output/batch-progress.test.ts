import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { BatchCounts } from '../../src/batch/rows/counts.js';
import { displayWidth } from '../../src/output/text.js';
import {
  applyingLines,
  createProgressWriter,
  createRate,
  readingLine,
} from '../../src/output/views/batch-progress.js';

it('a rate is known at the first look, and follows the last few seconds', () => {
  let now = 1_000;
  const rate = createRate(() => now);
  expect(rate(0)).toBe(0);
  now += 5_000;
  expect(rate(2_500)).toBe(500);
  for (let second = 1; second <= 10; second += 1) {
    now += 1_000;
    rate(2_500 + second * 10);
  }
  expect(rate(2_600)).toBe(10);
});

describe('progress on a terminal', () => {
  const total = 1_234_567;
  const counts = (): BatchCounts => ({
    done: 1_000_000,
    refused: 12_345,
    failed: 12_345,
    skipped: 0,
    unknown: 12_345,
    pending: 5,
    accepted: 0,
    throttled: 0,
    doneBefore: 0,
    failedBefore: 0,
    leftOut: 0,
    totals: { done: {}, refused: {}, failed: {}, skipped: {}, unknown: {}, pending: {} },
    screenTotals: {
      done: {},
      accepted: {},
      refused: {},
      failed: {},
      skipped: {},
      unknown: {},
      pending: {},
      leftOut: {},
    },
  });
  const drawings: Array<[string, (width: number) => string[]]> = [
    ['reading', (width) => [readingLine({ done: 1_000_000, total }, 12_345, width)]],
    ['applying', (width) => applyingLines({ total, counts, inFlight: 16, worked: 0 }, 12_345, width)],
  ];

  it.each(drawings)('%s fits the columns that there are, so that it is drawn over as a whole', (_, lines) => {
    for (const width of [40, 60, 80, 120]) {
      const written: string[] = [];
      let now = 1000;
      const progress = createProgressWriter(
        {
          stderr: { terminal: true, redraws: true, colour: true, width },
          writeError: (text) => void written.push(text),
        },
        () => (now += 1000),
      );
      progress.update(lines);
      progress.update(lines);
      progress.end();
      const [first = '', again = ''] = written;
      const shown = stripVTControlCharacters(first).replaceAll('\r', '').split('\n').slice(0, -1);
      for (const line of shown) expect(displayWidth(line)).toBeLessThanOrEqual(width);
      expect(shown.join(' ')).toMatch(/12,345\/s/);
      expect(again.startsWith(`\u001B[${shown.length}A`)).toBe(true);
    }
  });
});
