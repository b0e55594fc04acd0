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
    { key: 'fix', extra: 'terminal', value: ({ fix }) => fix ?? '' },
  ],
};

/** What to do about each thing that is not as it should be. */
export function fixLines({ checks }: Diagnosis): Line[] {
  const lines = checks.flatMap(({ name, fix }) =>
    fix === undefined ? [] : [joinPieces('  ', toned('dim', name.padEnd(9)), fix)],
  );
  return lines.length === 0 ? [] : ['', 'How to fix it', ...lines];
}
