import type { ListedPayment } from '../../support/list.js';
import type { Refreshed } from '../../support/refresh.js';
import { amountDigits, formatAmount } from '../amount.js';
import type { Line } from '../lines.js';
import type { ListView } from '../rows.js';
import { age as agoText, roughDuration } from '../time.js';
import { statePiece } from '../values.js';
import { ageText, severityPiece } from './explanation.js';

const iso = (time: number | null): string => (time === null ? '' : new Date(time).toISOString());

/** As `--json` prints it. */
export function knownJson({ row, facts, verdict, recommended }: ListedPayment): Record<string, unknown> {
  const { open } = facts;
  return {
    paymentId: row.payment_id,
    referenceId: row.reference_id,
    customerId: row.customer_id,
    state: row.state,
    amount: row.amount,
    currency: row.currency,
    age: facts.age ?? null,
    severity: verdict.severity,
    stuck: verdict.stuck,
    verdict: verdict.text,
    recommended: recommended?.command ?? null,
    open: open === undefined ? null : { operation: open.operation, outcome: open.outcome },
    source: row.source,
    createdTime: row.created_time === null ? null : iso(row.created_time),
    stateTime: iso(row.state_time),
    seenTime: iso(row.seen_time),
  };
}

export const knownList: ListView<ListedPayment> = {
  empty: 'This desk knows no payment that fits.',
  columns: [
    { key: 'payment', value: ({ row }) => row.payment_id },
    { key: 'reference', value: ({ row }) => row.reference_id ?? '' },
    { key: 'state', value: ({ row }) => row.state, shown: ({ row }) => statePiece(row.state || '?') },
    { key: 'age', value: ({ facts }) => ageText(facts.age) },
    {
      key: 'amount',
      align: 'right',
      number: true,
      value: ({ row }) => (row.amount === null ? '' : amountDigits(row.amount, row.currency ?? undefined)),
      shown: ({ row }) => (row.amount === null ? '' : formatAmount(row.amount, row.currency ?? undefined)),
    },
    { key: 'currency', extra: 'terminal', value: ({ row }) => row.currency ?? '' },
    {
      key: 'severity',
      value: ({ verdict }) => verdict.severity,
      shown: ({ verdict }) => severityPiece(verdict.severity),
    },
    { key: 'customer', extra: 'terminal', value: ({ row }) => row.customer_id ?? '' },
    { key: 'next', extra: 'terminal', value: ({ recommended }) => recommended?.command ?? '' },
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

/** What the list is, and what it is not. */
export function aboutList(
  listed: readonly ListedPayment[],
  { more, refreshed }: { more: boolean; refreshed: readonly Refreshed[] | undefined },
  now: number,
): Line[] {
  const limit = more ? ['… more: --all shows everything, --limit N the first N.'] : [];
  const source = 'The service has no list of payments: this is what this desk created, changed or heard of';
  if (refreshed !== undefined) {
    const changed = refreshed.filter((entry) => entry.changed).length;
    const read = refreshed.filter(({ error }) => error === undefined).length;
    return [...limit, `${source}, read just now: ${changed} of ${read} had changed.`];
  }
  const longest = listed.reduce((ms, { row }) => Math.max(ms, now - row.seen_time), 0);
  const seen = longest < 1_000 ? '' : `, up to ${roughDuration(longest)} ago`;
  return [...limit, `${source}, as it was last seen${seen}. --refresh reads it again.`];
}
