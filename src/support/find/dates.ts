// Days as people say them: yesterday, last Tuesday, 12 Nov, 12.11.2026, 12/11/2026, 2026-11-10..12. A day is one in the time zone of
// this machine.

/** From the first moment up to, and without, the last. */
export interface TimeSpan {
  from: number;
  to: number;
}

interface Day {
  year: number;
  /** From 1. */
  month: number;
  day: number;
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH = String.raw`(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`;
const DAY = String.raw`(\d{1,2})(?:st|nd|rd|th)?\.?`;
const YEAR = String.raw`(?:,?\s+(\d{4}))?`;

const ISO_RANGE = /^(\d{4})-(\d{2})-(\d{2})\.\.(?:(?:(\d{4})-)?(\d{2})-)?(\d{2})$/;
const ISO_DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
const ISO_MONTH = /^(\d{4})-(\d{2})$/;
const DAY_MONTH = new RegExp(`^${DAY}(?:\\.\\.${DAY})?\\s+${MONTH}${YEAR}$`, 'i');
// With a dot at the end where the year is not said: 12.11 is an amount. Dots always have the day first.
const DOTTED = /^(\d{1,2})(?:\.\.(\d{1,2}))?\.(\d{1,2})\.(\d{4})?$/;
// With a year only: 12/11 may be anything.
const SLASHED = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/;
const MONTH_DAY = new RegExp(`^${MONTH}\\s+${DAY}(?:\\.\\.${DAY})?${YEAR}$`, 'i');

/** Undefined when it is no date, or no day that exists. */
export function parseSpokenDate(text: string, now: Date): TimeSpan | undefined {
  const typed = text
    .trim()
    .toLowerCase()
    .replace(/^on\s+/, '');
  const back = daysBack(typed, now);
  if (back !== undefined) {
    const day = dayOf(new Date(now.getFullYear(), now.getMonth(), now.getDate() - back));
    return span(day, day);
  }
  return isoSpan(typed) ?? namedSpan(typed, now);
}

const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const WEEKDAY = /^(last\s+)?(sun|mon|tues|wednes|thurs|fri|satur)day$/;
const AGO = /^(\d{1,3})\s+(day|week)s?\s+ago$/;

/** How many days ago it was: a weekday is the last one that has begun. */
function daysBack(typed: string, now: Date): number | undefined {
  if (typed === 'today') return 0;
  if (typed === 'yesterday') return 1;
  const [, count, unit] = AGO.exec(typed) ?? [];
  if (count !== undefined) return Number(count) * (unit === 'week' ? 7 : 1);
  const [, last, name = ''] = WEEKDAY.exec(typed) ?? [];
  const weekday = weekdays.indexOf(name.slice(0, 3));
  if (weekday < 0) return undefined;
  const back = (now.getDay() - weekday + 7) % 7;
  return back === 0 && last !== undefined ? 7 : back;
}

function isoSpan(typed: string): TimeSpan | undefined {
  const range = ISO_RANGE.exec(typed);
  if (range) {
    const [year, month, day, lastYear = year, lastMonth = month, lastDay] = range.slice(1).map(numberOrNone);
    return span(
      { year: year!, month: month!, day: day! },
      { year: lastYear!, month: lastMonth!, day: lastDay! },
    );
  }
  const [, year, month, day] = (ISO_DAY.exec(typed) ?? []).map(Number);
  if (year !== undefined) {
    const only = { year, month: month!, day: day! };
    return span(only, only);
  }
  const [, monthYear, number] = (ISO_MONTH.exec(typed) ?? []).map(Number);
  if (monthYear === undefined || number === undefined || number < 1 || number > 12) return undefined;
  return { from: new Date(monthYear, number - 1, 1).getTime(), to: new Date(monthYear, number, 1).getTime() };
}

const numberOrNone = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text);

/** Without a year it is the last such day that has begun. */
function namedSpan(typed: string, now: Date): TimeSpan | undefined {
  const match =
    DAY_MONTH.exec(typed) ?? DOTTED.exec(typed) ?? slashed(typed) ?? reordered(MONTH_DAY.exec(typed));
  const [, firstDay, lastDay, name, year] = match ?? [];
  if (firstDay === undefined || name === undefined) return undefined;
  const month = months.indexOf(name.slice(0, 3)) + 1 || Number(name);
  const at = (inYear: number) =>
    span(
      { year: inYear, month, day: Number(firstDay) },
      { year: inYear, month, day: Number(lastDay ?? firstDay) },
    );
  if (year !== undefined) return at(Number(year));
  // 29 Feb may be some years back.
  for (let back = 0; back < 8; back += 1) {
    const found = at(now.getFullYear() - back);
    if (found && found.from <= now.getTime()) return found;
  }
  return undefined;
}

/** The day first, as in most of the world; the month first only where the other one cannot be a month. */
function slashed(typed: string): Array<string | undefined> | undefined {
  const [all, first, second, year] = SLASHED.exec(typed) ?? [];
  if (all === undefined) return undefined;
  return Number(second) > 12 ? [all, second, undefined, first, year] : [all, first, undefined, second, year];
}

function reordered(match: RegExpExecArray | null): Array<string | undefined> | undefined {
  if (!match) return undefined;
  const [all, name, firstDay, lastDay, year] = match;
  return [all, firstDay, lastDay, name, year];
}

const dayOf = (date: Date): Day => ({
  year: date.getFullYear(),
  month: date.getMonth() + 1,
  day: date.getDate(),
});

function span(first: Day, last: Day): TimeSpan | undefined {
  const from = startOf(first);
  const to = startOf(last, 1);
  return from === undefined || to === undefined || from >= to ? undefined : { from, to };
}

/** The first moment of a day, or of the day after; undefined when there is no such day. */
function startOf({ year, month, day }: Day, later: 0 | 1 = 0): number | undefined {
  const start = new Date(year, month - 1, day);
  const exists = start.getFullYear() === year && start.getMonth() === month - 1 && start.getDate() === day;
  return exists ? new Date(year, month - 1, day + later).getTime() : undefined;
}
