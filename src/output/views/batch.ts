// Batches as people see them: one line each, and what one came to.

import type { BatchStatus } from '../../batch/standing.js';
import { countsShown } from '../../batch/ending.js';
import { groupDigits } from '../amount.js';
import { joinPieces, type Line, toned, type View } from '../lines.js';
import type { ListView } from '../rows.js';
import type { Tone } from '../theme.js';
import { shortInstant } from '../time.js';

const tones: Readonly<Record<string, Tone>> = {
  finished: 'good',
  running: 'waiting',
  loading: 'waiting',
  stopped: 'waiting',
  unsettled: 'bad',
};

const counts = ['rows', 'done', 'refused', 'skipped', 'unknown', 'pending'] as const;

export const batchList: ListView<BatchStatus> = {
  empty: 'No batches yet: paydesk batch plan FILE.csv --action refund --out plan.json',
  columns: [
    { key: 'id', value: ({ id }) => id },
    { key: 'action', value: ({ action }) => action },
    { key: 'profile', value: ({ profile }) => profile ?? '' },
    ...counts.map((key) => ({
      key,
      // All of them do not fit beside each other in 80 columns.
      ...(key === 'rows' || key === 'skipped' ? { extra: 'terminal' as const } : {}),
      title: key === 'pending' ? 'left' : key,
      align: 'right' as const,
      number: true,
      value: (status: BatchStatus) => String(status[key]),
      shown: (status: BatchStatus) => groupDigits(String(status[key])),
    })),
    { key: 'state', value: ({ state }) => state, shown: ({ state }) => toned(tones[state], state) },
    { key: 'accepted', extra: true, number: true, value: ({ accepted }) => String(accepted) },
    { key: 'failed', extra: true, number: true, value: ({ failed }) => String(failed) },
    { key: 'app', extra: true, value: ({ appId }) => appId },
    { key: 'operator', extra: true, value: ({ operator }) => operator },
    {
      key: 'time',
      extra: 'terminal',
      value: ({ time }) => time,
      shown: ({ time }, look) => shortInstant(time, look),
    },
  ],
};

const countTones: Readonly<Record<string, Tone>> = {
  done: 'good',
  refused: 'bad',
  unknown: 'bad',
  'not started': 'waiting',
};

/** `752 done · 1 refused · 2 unknown · 432 not started`. */
export const batchSummary: View<BatchStatus> = (status) => [
  '',
  joinPieces(
    '  ',
    ...countsShown(status).flatMap(([name, count], index) => [
      index === 0 ? '' : ' · ',
      toned(countTones[name], `${groupDigits(String(count))} ${name}`),
    ]),
  ),
  ...acceptedLine(status),
];

function acceptedLine({ accepted, id }: BatchStatus): Line[] {
  if (accepted === 0) return [];
  const text = `  Of those done, ${groupDigits(String(accepted))} are on their way to the end state; resume ${id} looks again.`;
  return [toned('dim', text)];
}

export function nextLines({ id, state }: Pick<BatchStatus, 'id' | 'state'>): Line[] {
  const open = state === 'stopped' || state === 'unsettled';
  return [
    ...(open ? [`  Go on:   paydesk batch resume ${id}`] : []),
    `  Report:  paydesk batch report ${id}`,
  ];
}
