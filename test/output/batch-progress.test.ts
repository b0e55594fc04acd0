import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
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
const drawings: Array<[string, (width?: number) => string[]]> = [
  ['reading', (width) => [readingLine({ done: 1_000_000, total }, 12_345, width)]],
  ['applying', (width) => applyingLines({ total, counts, inFlight: 16, worked: 0 }, 12_345, width)],
];

describe('progress on a terminal', () => {
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

describe('progress in a log', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function openLog() {
    const written: string[] = [];
    const progress = createProgressWriter({
      stderr: { terminal: false, redraws: false, colour: false, width: 80 },
      writeError: (text) => void written.push(text),
    });
    return { progress, written };
  }

  it('has a line for each change and one a minute, without bars and rates', () => {
    const { progress, written } = openLog();
    let done = 1;
    progress.update((width) => [readingLine({ done, total: 4 }, done * 7, width)]);
    vi.advanceTimersByTime(50_000);
    expect(written).toEqual(['Reading 4 payments: 1 read\n']);
    done = 3;
    vi.advanceTimersByTime(10_000);
    expect(written.splice(0)).toEqual(['Reading 4 payments: 1 read\n', 'Reading 4 payments: 3 read\n']);
    vi.advanceTimersByTime(180_000);
    expect(written).toEqual(Array(3).fill('Reading 4 payments: 3 read\n'));
    progress.end();
  });

  it('names the row that is waited for', () => {
    const rowWait = {
      line: 3,
      typed: 'ci-2',
      what: 'Waiting for the outcome of the refund.',
      until: Date.UTC(2026, 10, 17, 13, 4, 30),
      others: 1,
    };
    expect(
      applyingLines({ total, counts, inFlight: 2, worked: 0, rowWait }, 0, undefined).at(-1)?.trim(),
    ).toBe(
      'line 3: ci-2, and 1 more row. Waiting for the outcome of the refund. Until 13:05 UTC at the latest.',
    );
  });
});
