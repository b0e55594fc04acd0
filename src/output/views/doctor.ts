import type { Check, Diagnosis } from '../../doctor/check.js';
import { joinPieces, toned, type Line } from '../lines.js';
import type { ListView } from '../rows.js';
import type { Tone } from '../theme.js';

const tones: Readonly<Record<Check['status'], Tone>> = { pass: 'good', warn: 'waiting', fail: 'bad' };

export const checkList: ListView<Check> = {
  empty: '',
  columns: [
    {
      key: 'status',
      value: ({ status }) => status,
      shown: ({ status }) => toned(tones[status], status),
    },
    { key: 'check', value: ({ name }) => name },
    { key: 'message', value: ({ message }) => message },
    { key: 'mend', extra: 'terminal', value: ({ mend }) => mend ?? '' },
  ],
};

/** What to do about each thing that is not as it should be. */
export function mends({ checks }: Diagnosis): Line[] {
  const lines = checks.flatMap(({ name, mend }) =>
    mend === undefined ? [] : [joinPieces('  ', toned('dim', name.padEnd(9)), mend)],
  );
  return lines.length === 0 ? [] : ['', 'To mend it', ...lines];
}
