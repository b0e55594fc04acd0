import { numberJson } from '../../contract/json.js';
import { commandText, paydesk } from '../../next-command.js';
import { type ListedPayment, MAX_REFRESHED } from '../../support/list.js';
import type { Refreshed } from '../../support/refresh.js';
import { amountCell, counted, countText, formatAmount } from '../../contract/amount-format.js';
import { commandPiece, joinPieces, type Line } from '../lines.js';
import type { ListView } from '../rows.js';
import { age as agoText, roughDuration } from '../time.js';
import { statePiece } from '../values.js';
import { ageText, severityPiece } from './severity.js';

/** `2 h`, `10 min`: a line of the list fits 80 columns. */
const shortUnits = (text: string): string =>
  text
    .replace(/hours?/, 'h')
    .replace(/minutes?/, 'min')
    .replace(/seconds?/, 's');

const iso = (time: number | null): string => (time === null ? '' : new Date(time).toISOString());

/** As `--json` prints it. */
export function knownJson({ row, situation, verdict, recommended }: ListedPayment): Record<string, unknown> {
  const { age, last } = situation;
  const isOpen = last?.outcome === 'accepted' || last?.outcome === 'unknown';
  return {
    paymentId: numberJson(row.payment_id),
    referenceId: row.reference_id,
    customerId: row.customer_id,
    state: row.state,
    amount: numberJson(row.amount),
    currency: row.currency,
    age: age ?? null,
    severity: verdict.severity,
    stuck: verdict.stuck,
    verdict: verdict.text,
    recommended: recommended ? commandText(recommended.command) : null,
    open: isOpen ? { operation: last.operation, outcome: last.outcome } : null,
    source: row.source,
    createdTime: row.created_time === null ? null : iso(row.created_time),
    stateTime: iso(row.state_time),
    seenTime: iso(row.seen_time),
  };
}

export const recommendedCommand = ({ recommended }: ListedPayment): string =>
  recommended ? commandText(recommended.command) : '';

export const knownList: ListView<ListedPayment> = {
  empty: 'No matching payments.',
  columns: [
    { key: 'payment', value: ({ row }) => row.payment_id },
    {
      key: 'reference',
      mayCut: ({ row }) => row.payment_id !== '',
      value: ({ row }) => row.reference_id ?? '',
    },
    { key: 'state', value: ({ row }) => row.state, shown: ({ row }) => statePiece(row.state || '?') },
    {
      key: 'age',
      spare: 1,
      value: ({ situation }) => ageText(situation.age),
      shown: ({ situation }) => shortUnits(ageText(situation.age)),
    },
    {
      key: 'amount',
      align: 'right',
      number: true,
      value: ({ row }) => (row.amount === null ? '' : amountCell(row.amount, row.currency ?? undefined)),
      shown: ({ row }) => (row.amount === null ? '' : formatAmount(row.amount, row.currency ?? undefined)),
    },
    { key: 'currency', extra: 'terminal', value: ({ row }) => row.currency ?? '' },
    {
      key: 'severity',
      value: ({ verdict }) => verdict.severity,
      shown: ({ verdict }) => severityPiece(verdict.severity),
    },
    { key: 'customer', extra: 'terminal', value: ({ row }) => row.customer_id ?? '' },
    { key: 'next', extra: 'terminal', value: recommendedCommand },
    { key: 'verdict', extra: true, value: ({ verdict }) => verdict.text },
    { key: 'source', extra: true, value: ({ row }) => row.source },
    { key: 'created', extra: true, value: ({ row }) => iso(row.created_time) },
    {
      key: 'seen',
      extra: 'terminal',
      value: ({ row }) => iso(row.seen_time),
      shown: ({ row }, { now }) => agoText(new Date(row.seen_time), now),
    },
  ],
};

/** `as last seen up to 3 hours ago`. */
export function asLastSeen(listed: readonly ListedPayment[], now: number): string {
  const oldest = listed.reduce((ms, { row }) => Math.max(ms, now - row.seen_time), 0);
  return `as last seen ${oldest < 1_000 ? 'just now' : `up to ${roughDuration(oldest)} ago`}`;
}

/** What the list shows and how fresh it is. */
export function aboutList(
  listed: readonly ListedPayment[],
  {
    more,
    refreshed,
    left,
  }: { more: boolean; refreshed: (Refreshed & { forgotten: number }) | undefined; left: boolean },
  now: number,
): Line[] {
  const limit = more ? ['There are more. Use --all to show all, or --limit N.'] : [];
  if (refreshed === undefined || refreshed.unavailable) {
    const about =
      listed.length === 0
        ? 'Only payments that this desk knows are listed.'
        : `Known payments, ${asLastSeen(listed, now)}.`;
    const hint = refreshed ? '' : ' --refresh reads them again.';
    return [...limit, `${about}${hint}`];
  }
  const read = refreshed.payments.filter(({ error }) => error === undefined).length;
  const changed = refreshed.payments.filter((payment) => payment.changed).length;
  const changes = `${countText(changed)} of ${counted(read, 'payment')} had changed`;
  const notRead = left
    ? [`There are more that are not settled. Only ${countText(MAX_REFRESHED)} were read again.`]
    : [];
  const { forgotten } = refreshed;
  const kept =
    forgotten === 0
      ? []
      : [
          `Not read: ${counted(forgotten, 'payment')} of customers who were forgotten. A read would make them known again.`,
        ];
  return [...limit, `Known payments, read just now: ${changes}.`, ...notRead, ...kept];
}

/** A list of what needs attention is the start of a guided session. */
export const resolveLines = (profile: string | undefined): Line[] => [
  joinPieces('Resolve them one by one: ', commandPiece(paydesk('payments', 'resolve', '--stuck'), profile)),
];

const MAX_UNSEEN_NAMED = 5;

/** Charges that no list of payments can show. */
export function unseenChargeLines(references: readonly string[], profile: string | undefined): Line[] {
  if (references.length === 0) return [];
  const more = references.length - MAX_UNSEEN_NAMED;
  return [
    references.length === 1
      ? 'A charge has an unknown outcome, and its payment was not seen yet. Check it with:'
      : `${references.length} charges have an unknown outcome, and their payments were not seen yet. Check them with:`,
    ...references
      .slice(0, MAX_UNSEEN_NAMED)
      .map((reference) =>
        joinPieces('  ', commandPiece(paydesk('payments', 'check', `ref:${reference}`), profile)),
      ),
    ...(more > 0
      ? [joinPieces(`  … ${more} more: `, commandPiece(paydesk('history', '--outcome', 'unknown'), profile))]
      : []),
  ];
}
