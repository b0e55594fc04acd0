import { counted, countText } from '../../contract/amount-format.js';
import { paydesk } from '../../next-command.js';
import type { ResolveItemRow } from '../../ledger/resolve-schema.js';
import type { ResolveSession } from '../../support/sessions.js';
import { commandPiece, joinPieces, type Line } from '../lines.js';
import type { ListView } from '../rows.js';
import { statePiece } from '../values.js';

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
    { key: 'done', value: ({ actions }) => actions },
    { key: 'status', value: ({ status }) => status },
  ],
};

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
