// Progress of many rows: a bar that is drawn anew on a terminal, a line every few seconds in a log.

import type { Progress } from '../../batch/run.js';
import { groupDigits } from '../amount.js';

export interface ProgressWriter {
  /** Draws when it is time to; `lines` is asked only then. */
  update(lines: () => string[]): void;
  /** Draws the last, and leaves it standing. */
  end(): void;
}

const REDRAW_MS = 100;
const LOG_MS = 5_000;

export function createProgressWriter(outlet: {
  write: (text: string) => void;
  terminal: boolean;
  now: () => number;
}): ProgressWriter {
  const { write, terminal, now } = outlet;
  let drawn = 0;
  let last = terminal ? 0 : now();
  let current: (() => string[]) | undefined;
  let timer: NodeJS.Timeout | undefined;

  function draw(): void {
    if (current === undefined) return;
    last = now();
    const lines = current();
    if (!terminal) return write(`${lines.map((line) => line.trim()).join('   ')}\n`);
    const up = drawn > 0 ? `\u001B[${drawn}A` : '';
    write(up + lines.map((line) => `\r\u001B[2K${line}\n`).join(''));
    drawn = lines.length;
  }

  return {
    update(lines) {
      current = lines;
      timer ??= setInterval(
        () => now() - last >= (terminal ? REDRAW_MS : LOG_MS) && draw(),
        REDRAW_MS,
      ).unref();
      if (terminal && now() - last >= REDRAW_MS) draw();
    },
    end() {
      clearInterval(timer);
      timer = undefined;
      if (terminal) draw();
      current = undefined;
      drawn = 0;
    },
  };
}

/** Rows a second, over the last few seconds, of those done since it was made. */
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

const BAR = 28;

export function bar(share: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * BAR);
  return '█'.repeat(full) + '░'.repeat(BAR - full);
}

const number = (value: number): string => groupDigits(String(value));
const perSecond = (rate: number): string =>
  `${rate >= 10 || rate === 0 ? groupDigits(String(Math.round(rate))) : rate.toFixed(1)}/s`;

export function readingLine(done: number, total: number, rate: number): string {
  return `Reading ${number(total)} payments  ${bar(total === 0 ? 1 : done / total)}  ${number(done)}  ${perSecond(rate)}`;
}

/** What the plan left out is not counted: the bar is about what it acts on. */
export function applyingLines({ total, counts, inFlight }: Progress, rate: number): string[] {
  const finished = total - counts.pending;
  const left = rate > 0 && counts.pending > 0 ? `   ${timeLeft(counts.pending / rate)} left` : '';
  const parts: Array<[string, number]> = [
    ['done', counts.done],
    ['skipped', counts.skipped - counts.doneBefore],
    ['refused', counts.refused - (counts.leftOut - counts.doneBefore)],
    ['unknown', counts.unknown],
    ['in flight', inFlight],
  ];
  const shown = parts.filter(([name, count]) => count > 0 || name === 'done');
  return [
    `  ${bar(total === 0 ? 1 : finished / total)}  ${number(finished)} of ${number(total)}   ${perSecond(rate)}${left}`,
    `  ${shown.map(([name, count]) => `${name} ${number(count)}`).join('   ')}`,
  ];
}

function timeLeft(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  if (seconds < 90 * 60) return `${Math.ceil(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
