import { counted } from '../contract/amount-format.js';
import type { ViewContext } from './lines.js';

const two = (value: number): string => String(value).padStart(2, '0');

/** `2026-11-14 09:12:40` where the reader is. */
export function localTime(at: Date): string {
  const day = `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A person at a terminal reads the time of their own clock; everybody else is told the zone. */
export type Zone = 'UTC' | 'local';

/** `15 Nov 2026, 07:49 UTC`, or `07:49 UTC` where `now` is given and on the same day; without the zone where it is local. */
export function moment(time: number, now?: number, zone: Zone = 'UTC'): string {
  const text = (at: number) => (zone === 'local' ? localTime(new Date(at)) : new Date(at).toISOString());
  const shown = text(time);
  const clock = `${shown.slice(11, 16)}${zone === 'local' ? '' : ' UTC'}`;
  const day = shown.slice(0, 10);
  if (now !== undefined && day === text(now).slice(0, 10)) return clock;
  return `${Number(day.slice(8))} ${months[Number(day.slice(5, 7)) - 1]} ${day.slice(0, 4)}, ${clock}`;
}

const steps: ReadonlyArray<[string, number]> = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
];

/** `3 hours`, `1 day`: the largest unit that fits, rounded down. */
export function roughDuration(milliseconds: number): string {
  const size = Math.abs(milliseconds);
  const [unit, length] = steps.find(([, step]) => size >= step) ?? ['second', 1_000];
  const amount = Math.floor(size / length);
  return counted(amount, unit);
}

/** `10 minutes`, `90 seconds`: the largest unit that gives a whole number. */
export function exactDuration(milliseconds: number): string {
  const [unit, length] = steps.slice(2).find(([, step]) => milliseconds % step === 0) ?? ['millisecond', 1];
  const amount = milliseconds / length;
  return counted(amount, unit);
}

/** `2 days ago`, `in 3 hours`, `just now`. */
export function age(at: Date, now: Date): string {
  const difference = now.getTime() - at.getTime();
  if (Math.abs(difference) < 1_000) return 'just now';
  return difference > 0 ? `${roughDuration(difference)} ago` : `in ${roughDuration(difference)}`;
}

/** How long something took: `8 ms`, `0.4 s`, `2 min 5 s`. */
export function tookTime(milliseconds: number): string {
  if (milliseconds < 100) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/**
 * An instant of the service: local with its age on a terminal, ISO in a pipe; what is no instant stays as it is. The
 * service's clock may be ahead of this one: then there is no age.
 */
export function instantText(value: string, context: ViewContext): string {
  const at = /^\d{4}-\d{2}-\d{2}T/.test(value) ? new Date(value) : undefined;
  if (at === undefined || Number.isNaN(at.getTime())) return value;
  if (!context.terminal) return at.toISOString();
  const isAhead = at.getTime() - context.now.getTime() >= 1_000;
  return isAhead ? localTime(at) : `${localTime(at)}  (${age(at, context.now)})`;
}

/** As instantText, without the age: for tables. */
export function shortInstant(value: string, context: ViewContext): string {
  const at = new Date(value);
  return context.terminal && !Number.isNaN(at.getTime()) ? localTime(at) : instantText(value, context);
}

const SOON_MS = 90_000;

/** When something will be: `in 12 s`, or `at 12:40 UTC`. */
export function whenText(milliseconds: number): string {
  if (milliseconds < SOON_MS) return `in ${Math.max(1, Math.ceil(milliseconds / 1_000))} s`;
  const at = new Date(Math.ceil((Date.now() + milliseconds) / 60_000) * 60_000);
  return `at ${two(at.getUTCHours())}:${two(at.getUTCMinutes())} UTC`;
}
