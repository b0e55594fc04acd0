// Progress of many rows: a bar that is redrawn on a terminal, a line for each change in a log.

import type { Waiting } from '../../batch/rows/claims.js';
import { screenCounts } from '../../batch/rows/counts.js';
import type { Progress } from '../../batch/run/run.js';
import type { RowWait } from '../../batch/run/row-waits.js';
import { counted, countText } from '../../contract/amount-format.js';
import { fitLines } from '../fit.js';
import { plainLine } from '../lines.js';
import type { Streams } from '../streams.js';
import { displayWidth } from '../text.js';

type Lines = (width: Width) => string[];
/** The columns of a terminal; undefined in a log, which gets no bars and no rates: only what has changed. */
type Width = number | undefined;

interface ProgressWriter {
  /** Draws at intervals; `lines` is called only then, with the columns that there are: in a log, with none. */
  update(lines: Lines): void;
  /** Draws the last state and leaves it on the screen. */
  end(): void;
  /** Leaves on the screen what was drawn last: Ctrl-C has moved the cursor. */
  leave(): void;
}

const REDRAW_MS = 100;
const LOG_MS = 5_000;
/** A log in which nothing changes shows so often that the command is still at work. */
const STILL_MS = 60_000;

export function createProgressWriter(
  { stderr, writeError: write }: Pick<Streams, 'stderr' | 'writeError'>,
  now: () => number = Date.now,
): ProgressWriter {
  const { redraws } = stderr;
  let drawn = 0;
  let last = redraws ? 0 : now();
  let current: Lines | undefined;
  let logged = { text: '', time: now() };
  let timer: NodeJS.Timeout | undefined;

  function draw(): void {
    if (current === undefined) return;
    last = now();
    if (!redraws) return log(current);
    // A line that the terminal breaks would be more lines than are drawn over.
    const lines = fitLines(current(stderr.width), stderr.width).map(plainLine);
    const up = drawn > 0 ? `\u001B[${drawn}A` : '';
    // What is left of a longer drawing is erased.
    write(
      `${up}${lines.map((line) => `\r\u001B[2K${line}\n`).join('')}${drawn > lines.length ? '\u001B[J' : ''}`,
    );
    drawn = lines.length;
  }

  function log(lines: Lines): void {
    const text = lines(undefined)
      .map((line) => line.trim())
      .join('   ');
    if (text === logged.text && last - logged.time < STILL_MS) return;
    logged = { text, time: last };
    write(`${text}\n`);
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
  width: Width,
): string {
  const what = `Reading ${counted(total, one)}`;
  if (width === undefined) return `${what}: ${countText(done)} read`;
  return barLine(
    `${what}  `,
    total === 0 ? 1 : done / total,
    `  ${countText(done).padStart(countText(total).length)}  ${perSecond(rate)}`,
    width,
  );
}

/** Rows that the plan left out are not counted: the bar is about those that it acts on. */
export function applyingLines(
  { total, counts, inFlight, waiting, rowWait }: Progress,
  rate: number,
  width: Width,
): string[] {
  const { pending, leftOut: _, ...finished } = screenCounts(counts());
  const reached = total - pending;
  const left = rate > 0 && pending > 0 && !waiting ? `   ${timeLeft(pending / rate)} left` : '';
  const parts: Array<[string, number]> = [...Object.entries(finished), ['in flight', inFlight]];
  const shown = parts.filter(([name, count]) => count > 0 || (name === 'done' && finished.accepted === 0));
  const reachedText = `  ${countText(reached)} of ${countText(total)}`;
  return [
    width === undefined
      ? reachedText
      : barLine('  ', total === 0 ? 1 : reached / total, `${reachedText}   ${perSecond(rate)}${left}`, width),
    `  ${shown.map(([name, count]) => `${name} ${countText(count)}`).join('   ')}`,
    ...(waiting ? [`  ${waitingText(waiting)}`] : []),
    ...(rowWait ? [`  ${rowWaitText(rowWait)}`] : []),
  ];
}

/** Rows whose instruction may have left wait for the end of their quiet period. */
function waitingText({ rows, until, now }: Waiting): string {
  const time = new Date(until).toISOString().slice(11, until - now < 120_000 ? 19 : 16);
  return `${counted(rows, 'row waits', 'rows wait')} until ${time} UTC to be sent again`;
}

/** `line 3: ci-2, and 2 more rows. Waiting for the outcome of the refund. Until 13:05 UTC at the latest.` */
function rowWaitText({ line, typed, what, until, others }: RowWait): string {
  // The minute is rounded up, so that it stays the same from look to look.
  const time = new Date(Math.ceil(until / 60_000) * 60_000).toISOString().slice(11, 16);
  const more = others === 0 ? '' : `, and ${counted(others, 'more row', 'more rows')}`;
  return `line ${line}: ${typed}${more}. ${what} Until ${time} UTC at the latest.`;
}

function timeLeft(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  if (seconds < 90 * 60) return `${Math.ceil(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
