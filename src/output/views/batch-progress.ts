// Progress of many rows: a bar that is redrawn on a terminal, a line every few seconds in a log.

import type { Waiting } from '../../batch/rows/claims.js';
import { screenCounts } from '../../batch/rows/counts.js';
import type { Progress } from '../../batch/run/run.js';
import { counted, countText } from '../../contract/amount-format.js';
import { fitLines } from '../fit.js';
import { plainLine } from '../lines.js';
import type { Streams } from '../streams.js';
import { displayWidth } from '../text.js';

interface ProgressWriter {
  /** Draws at intervals; `lines` is called only then, with the columns that there are. */
  update(lines: (width: number) => string[]): void;
  /** Draws the last state and leaves it on the screen. */
  end(): void;
  /** Leaves on the screen what was drawn last: Ctrl-C has moved the cursor. */
  leave(): void;
}

const REDRAW_MS = 100;
const LOG_MS = 5_000;

export function createProgressWriter(
  { stderr, writeError: write }: Pick<Streams, 'stderr' | 'writeError'>,
  now: () => number = Date.now,
): ProgressWriter {
  const { redraws } = stderr;
  let drawn = 0;
  let last = redraws ? 0 : now();
  let current: ((width: number) => string[]) | undefined;
  let timer: NodeJS.Timeout | undefined;

  function draw(): void {
    if (current === undefined) return;
    last = now();
    if (!redraws) {
      const parts = current(Infinity).map((line) => line.trim());
      return write(`${parts.join('   ')}\n`);
    }
    // A line that the terminal breaks would be more lines than are drawn over.
    const lines = fitLines(current(stderr.width), stderr.width).map(plainLine);
    const up = drawn > 0 ? `\u001B[${drawn}A` : '';
    // What is left of a longer drawing is erased.
    write(
      `${up}${lines.map((line) => `\r\u001B[2K${line}\n`).join('')}${drawn > lines.length ? '\u001B[J' : ''}`,
    );
    drawn = lines.length;
  }

  function leave(): void {
    clearInterval(timer);
    timer = undefined;
    current = undefined;
    drawn = 0;
  }

  return {
    leave,
    update(lines) {
      current = lines;
      timer ??= setInterval(
        () => now() - last >= (redraws ? REDRAW_MS : LOG_MS) && draw(),
        REDRAW_MS,
      ).unref();
      if (redraws && now() - last >= REDRAW_MS) draw();
    },
    end() {
      if (redraws) draw();
      leave();
    },
  };
}

/** Rows per second over the last few seconds. */
export function createRate(now: () => number): (count: number) => number {
  const samples = [{ at: now(), count: 0 }];
  return (count) => {
    const at = now();
    samples.push({ at, count });
    while (samples.length > 2 && at - (samples[0]?.at ?? at) > 5_000) samples.shift();
    const first = samples[0] ?? { at, count };
    return at === first.at ? 0 : ((count - first.count) * 1000) / (at - first.at);
  };
}

const BAR = { least: 8, most: 28 };

/** A bar between two texts, shorter where there is little room. */
function barLine(before: string, share: number, after: string, width: number): string {
  const room = width - displayWidth(before) - displayWidth(after);
  const length = Math.min(BAR.most, Math.max(BAR.least, room));
  const full = Math.round(Math.min(1, Math.max(0, share)) * length);
  return `${before}${'█'.repeat(full)}${'░'.repeat(length - full)}${after}`;
}

const perSecond = (rate: number): string =>
  `${rate >= 10 || rate === 0 ? countText(Math.round(rate)) : rate.toFixed(1)}/s`;

export function readingLine(
  { done, total, one = 'payment' }: { done: number; total: number; one?: string },
  rate: number,
  width: number,
): string {
  const what = `Reading ${counted(total, one)}  `;
  return barLine(
    what,
    total === 0 ? 1 : done / total,
    `  ${countText(done).padStart(countText(total).length)}  ${perSecond(rate)}`,
    width,
  );
}

/** Rows that the plan left out are not counted: the bar is about those that it acts on. */
export function applyingLines(
  { total, counts, inFlight, waiting }: Progress,
  rate: number,
  width: number,
): string[] {
  const { pending, leftOut: _, ...finished } = screenCounts(counts());
  const reached = total - pending;
  const left = rate > 0 && pending > 0 && !waiting ? `   ${timeLeft(pending / rate)} left` : '';
  const parts: Array<[string, number]> = [...Object.entries(finished), ['in flight', inFlight]];
  const shown = parts.filter(([name, count]) => count > 0 || (name === 'done' && finished.accepted === 0));
  return [
    barLine(
      '  ',
      total === 0 ? 1 : reached / total,
      `  ${countText(reached)} of ${countText(total)}   ${perSecond(rate)}${left}`,
      width,
    ),
    `  ${shown.map(([name, count]) => `${name} ${countText(count)}`).join('   ')}`,
    ...(waiting ? [`  ${waitingText(waiting)}`] : []),
  ];
}

/** Rows whose instruction may have left wait for the end of their quiet period. */
function waitingText({ rows, until, now }: Waiting): string {
  const time = new Date(until).toISOString().slice(11, until - now < 120_000 ? 19 : 16);
  return `${counted(rows, 'row waits', 'rows wait')} until ${time} UTC to be sent again`;
}

function timeLeft(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  if (seconds < 90 * 60) return `${Math.ceil(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
