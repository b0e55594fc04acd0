import { roughDuration } from '../output/time.js';
import { WINDOW_MS } from './patience.js';
import type { Age, Facts } from './facts.js';

const duration = (ms: number): string => (ms < 1_000 ? 'a moment' : roughDuration(ms));

/** ` for 3 hours`, ` for at least 3 hours`, ` for up to 3 hours`; nothing where nothing is known. */
export function lasting(age: Age | undefined): string {
  if (age === undefined) return '';
  return ` for ${bounds[age.certainty]}${duration(age.ms)}`;
}

/** ` 6 days ago`, ` at least 6 days ago`, ` up to 6 days ago`. */
export function ago(age: Age | undefined): string {
  return age === undefined ? '' : ` ${bounds[age.certainty]}${duration(age.ms)} ago`;
}

const bounds = { exact: '', 'at-least': 'at least ', 'up-to': 'up to ' } as const;
const ends = { exact: '', 'at-least': ' at the latest', 'up-to': ' at the earliest' } as const;

/** When the provider gives reserved money free; the length of its window is an assumption. */
export function release({ age }: Facts): string {
  if (age === undefined) return 'The provider releases the money some days after it was authorised.';
  const left = WINDOW_MS - age.ms;
  if (left <= 0) return 'The provider has probably released the money by now.';
  return `The provider releases the money in about ${roughDuration(left)}${ends[age.certainty]}.`;
}

/** `5 minutes ago`. */
export const since = (time: number, { now }: Facts): string => `${duration(Math.max(0, now - time))} ago`;

/** What the service says may end with a full stop, and so do our sentences. */
export const clause = (text: string): string => text.replace(/[.\s]+$/, '');
