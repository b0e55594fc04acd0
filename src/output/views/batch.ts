// Batches as people see them: one line each, and one with what it came to.

import { type Command, commandText, paydesk } from '../../next-command.js';
import { resumeStep } from '../../batch/next-steps.js';
import type { Remaining } from '../../batch/rows/remaining.js';
import type { BatchStatus } from '../../batch/rows/status.js';
import { screenCounts, type ScreenGroup, screenGroups } from '../../batch/rows/counts.js';
import { groupNames, groupsShown } from '../../batch/run/ending.js';
import { countText, totalsText } from '../../contract/amount-format.js';
import { commandPiece, joinPieces, type Line, toned, type View } from '../lines.js';
import type { ListView } from '../rows.js';
import type { Tone } from '../theme.js';
import { shortInstant } from '../time.js';
import { pad } from '../text.js';

const tones: Readonly<Record<string, Tone>> = {
  finished: 'good',
  running: 'waiting',
  loading: 'waiting',
  stopped: 'waiting',
  unsettled: 'bad',
};

/** The columns of counts on a terminal, in their order, and in a pipe and in CSV, where all rows are in `groups`. */
const counts = ['rows', ...screenGroups] as const;
const onlyOnTerminal: readonly string[] = ['accepted', 'leftOut'];
/** Not all of them fit into 80 columns. */
const notOnTerminal: readonly string[] = ['rows', 'skipped'];
const countTitles: Readonly<Record<string, string>> = { pending: 'left', leftOut: groupNames.leftOut };
// What was sent and what is left counts most. The summary of a batch has the others.
const countSpares: Readonly<Record<string, number>> = { leftOut: 2, refused: 3, failed: 4, pending: 6 };

const shownCount = (status: BatchStatus, key: (typeof counts)[number]): number =>
  key === 'rows' ? status.rows : screenCounts(status)[key];

export const batchList: ListView<BatchStatus> = {
  empty: `No batches yet: ${commandText(paydesk('batch', 'plan', 'FILE.csv', '--action', 'refund', '--out', 'plan.json'))}`,
  columns: [
    { key: 'id', value: ({ id }) => id },
    { key: 'action', spare: 5, value: ({ action }) => action },
    { key: 'profile', spare: 1, value: ({ profile }) => profile ?? '' },
    ...counts.map((key) => ({
      key,
      ...(notOnTerminal.includes(key) ? { extra: 'terminal' as const } : {}),
      ...(onlyOnTerminal.includes(key) ? { extra: 'pipe' as const } : {}),
      title: countTitles[key] ?? key,
      ...(countSpares[key] === undefined ? {} : { spare: countSpares[key] }),
      align: 'right' as const,
      number: true,
      value: (status: BatchStatus) => String(status[key]),
      shown: (status: BatchStatus) => countText(shownCount(status, key)),
    })),
    { key: 'state', value: ({ state }) => state, shown: ({ state }) => toned(tones[state], state) },
    { key: 'throttled', extra: true, number: true, value: ({ throttled }) => String(throttled) },
    { key: 'app', extra: true, value: ({ appId }) => appId },
    { key: 'operator', extra: true, value: ({ operator }) => operator },
    {
      key: 'time',
      extra: 'terminal',
      value: ({ time }) => time,
      shown: ({ time }, context) => shortInstant(time, context),
    },
  ],
};

const groupTones: Readonly<Partial<Record<ScreenGroup, Tone>>> = {
  done: 'good',
  accepted: 'waiting',
  refused: 'bad',
  failed: 'bad',
  unknown: 'bad',
  pending: 'waiting',
};

/** One line for each kind of row that there is: how many, and how much money. */
export const batchSummary: View<BatchStatus> = (status) => {
  const rows = screenCounts(status);
  const shown = groupsShown(rows);
  const left = Math.max(...shown.map((group) => groupNames[group].length), 10);
  const right = Math.max(...shown.map((group) => countText(rows[group]).length), 5);
  return [
    '',
    ...shown.map((group) => {
      const money = totalsText(status.screenTotals[group]);
      return joinPieces(
        '  ',
        toned(groupTones[group], pad(groupNames[group], left)),
        pad(countText(rows[group]), right + 1, 'right'),
        money === '' ? '' : `   ${money}`,
      );
    }),
    ...remarks(status),
  ];
};

const dim = (text: string): Line => toned('dim', `  ${text}`);
const commandLine = (command: Command): Line => joinPieces('    ', commandPiece(command));

function remarks(status: BatchStatus): Line[] {
  const { throttled, doneBefore, failedBefore } = status;
  const were = (count: number) => `${countText(count)} ${count === 1 ? 'was' : 'were'}`;
  return [
    ...acceptedRemark(status),
    ...(throttled > 0
      ? [
          dim(
            `The service throttled ${countText(throttled)} of those left to do, and they had not changed so far.`,
          ),
        ]
      : []),
    ...(doneBefore > 0 ? [dim(`Of those left out, ${were(doneBefore)} done before the plan.`)] : []),
    ...(failedBefore > 0
      ? [dim(`Of those left out, ${were(failedBefore)} sent before the plan and failed.`)]
      : []),
  ];
}

/** The same command sends what is left, so it is no check as long as something is. */
function acceptedRemark({ id, accepted, pending, unknown }: BatchStatus): Line[] {
  if (accepted === 0) return [];
  const notFinal = `The accepted ${accepted === 1 ? 'row is' : 'rows are'} not final yet.`;
  if (pending > 0)
    return [
      dim(`${notFinal} batch resume checks ${accepted === 1 ? 'it' : 'them'} once nothing is left to do.`),
    ];
  if (unknown > 0) return [dim(notFinal)];
  return [dim(`${notFinal} To check:`), commandLine(paydesk('batch', 'resume', id))];
}

/** What `batch resume` would do, and the command. */
export function resumeLines(status: BatchStatus, remaining: Remaining): Line[] {
  const isOpen = status.state === 'stopped' || status.state === 'unsettled';
  const step = isOpen ? resumeStep(status.id, { counts: status, remaining }) : undefined;
  return step ? [dim(step.text), commandLine(step.command)] : [];
}

export const reportLine = ({ id }: Pick<BatchStatus, 'id'>): Line =>
  joinPieces('  Report:  ', commandPiece(paydesk('batch', 'report', id)));
