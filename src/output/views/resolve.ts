import { counted, countText } from '../../contract/amount-format.js';
import { paydesk } from '../../next-command.js';
import type { ItemStatus, ResolveItemRow } from '../../ledger/resolve-schema.js';
import type { ResolveSession } from '../../support/sessions.js';
import { commandPiece, joinPieces, type Line, toned } from '../lines.js';
import type { ListView } from '../rows.js';
import type { Tone } from '../theme.js';
import { statePiece } from '../values.js';

const statuses: Readonly<Record<ItemStatus, { text: string; tone?: Tone }>> = {
  open: { text: 'open' },
  done: { text: 'done', tone: 'good' },
  attention: { text: 'needs attention', tone: 'bad' },
  'in-progress': { text: 'in progress', tone: 'waiting' },
  left: { text: 'left as it is', tone: 'dim' },
  skipped: { text: 'skipped', tone: 'waiting' },
  'not-found': { text: 'not found', tone: 'bad' },
};

export const resolvedList: ListView<ResolveItemRow> = {
  empty: 'No payments.',
  columns: [
    { key: 'payment', value: ({ payment_id, typed }) => payment_id ?? typed },
    { key: 'named', title: 'entered as', value: ({ typed }) => typed },
    { key: 'before', extra: 'terminal', value: ({ before_state }) => before_state ?? '' },
    {
      key: 'after',
      title: 'state',
      value: ({ after_state }) => after_state ?? '',
      shown: ({ before_state, after_state }) =>
        before_state === after_state
          ? statePiece(after_state ?? '?')
          : joinPieces(before_state ?? '?', ' → ', statePiece(after_state ?? '?')),
    },
    { key: 'actions', value: ({ actions }) => actions },
    {
      key: 'status',
      value: ({ status }) => statuses[status].text,
      shown: ({ status }) => toned(statuses[status].tone, statuses[status].text),
    },
  ],
};

const MAX_NAMED = 5;

/** The payments that are not over, by name. */
export function unresolvedLines(items: readonly ResolveItemRow[], profile: string | undefined): Line[] {
  const inStatus = (...wanted: ItemStatus[]) => items.filter(({ status }) => wanted.includes(status));
  const needing = inStatus('attention', 'skipped');
  const ids = needing.map(({ payment_id, typed }) => payment_id ?? typed);
  const lines = [
    ...namedLine('Still needs attention', needing),
    ...(ids.length === 0 || ids.length > MAX_NAMED
      ? []
      : [joinPieces('  ', commandPiece(paydesk('payments', 'resolve', ...ids), profile))]),
    ...namedLine('Still in progress', inStatus('in-progress')),
    ...namedLine('Not found', inStatus('not-found')),
  ];
  return lines.length === 0 ? [] : ['', ...lines];
}

function namedLine(what: string, items: readonly ResolveItemRow[]): Line[] {
  if (items.length === 0) return [];
  const names = items
    .slice(0, MAX_NAMED)
    .map(({ payment_id, typed }) =>
      payment_id === null || payment_id === typed ? typed : `${payment_id} (${typed})`,
    );
  const more = items.length > MAX_NAMED ? ` and ${countText(items.length - MAX_NAMED)} more` : '';
  return [`${what}: ${names.join(', ')}${more}`];
}

/** That another session is kept, and the command that resumes it. */
export function earlierLines({ items }: ResolveSession, profile: string | undefined): Line[] {
  const left = items.filter(({ status }) => status === 'open').length;
  return [
    `An earlier session has ${countText(left)} of ${counted(items.length, 'payment')} left. Resume it later with:`,
    joinPieces('  ', commandPiece(paydesk('payments', 'resolve'), profile)),
  ];
}

/** How many payments are left, and the command that resumes the session. */
export function leftLines({ items }: ResolveSession, profile: string | undefined): Line[] {
  const left = items.filter(({ status }) => status === 'open').length;
  if (left === 0) return [];
  return [
    '',
    `${countText(left)} of ${counted(items.length, 'payment')} left. Resume with:`,
    joinPieces('  ', commandPiece(paydesk('payments', 'resolve'), profile)),
  ];
}
