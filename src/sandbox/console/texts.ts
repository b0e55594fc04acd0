// How the console writes things down.

/** `2026-11-14 09:12:40`, in UTC. */
export const timeText = (instant: number): string =>
  new Date(instant).toISOString().slice(0, 19).replace('T', ' ');

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;

/** `30s`, `7d`: in the largest unit that loses nothing, as the desk reads it. */
export function durationText(ms: number): string {
  const [unit, size] = units.find(([, length]) => ms % length === 0 && ms >= length) ?? units[4];
  return `${ms / size}${unit}`;
}

/** Where something came from. */
export function sourceText(via: string | null): string {
  if (via === null) return '';
  const [source = '', ...name] = via.split(' ');
  const caller = name.length > 0 ? ` (${name.join(' ')})` : '';
  return `${sources.get(source) ?? source}${caller}`;
}

const sources: ReadonlyMap<string, string> = new Map([
  ['api', 'through the API'],
  ['customer', 'by the customer, in a browser'],
  ['control', 'by a paydesk sandbox command'],
  ['console', 'in the console'],
  ['clock', 'by the clock'],
]);
