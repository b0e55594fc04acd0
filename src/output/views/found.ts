import type { ListedPayment } from '../../support/list.js';
import { parseSpokenAmount } from '../../contract/spoken-amount.js';
import type { Match } from '../../support/find/find-payments.js';
import { FRESH_MS, MAX_COUNTED, type NothingFound } from '../../support/find/nothing-found.js';
import type { KnownPaymentRow } from '../../ledger/schema.js';
import { type Command, paydesk } from '../../next-command.js';
import { amountCell, counted, countText, formatAmount } from '../../contract/amount-format.js';
import { commandPiece, joinPieces, type Line } from '../lines.js';
import type { ListView } from '../rows.js';
import { choiceHint, choiceLines } from '../choices.js';
import { safeText } from '../text.js';
import { localTime } from '../time.js';
import { statePiece } from '../values.js';
import { asLastSeen, knownJson, recommendedCommand } from './known.js';

export interface FoundItem extends ListedPayment {
  match: Match;
}

/** The shop knows better than the provider who bought something. */
const nameIn = (row: KnownPaymentRow): string => row.order_name ?? row.payer_name ?? '';
const emailIn = (row: KnownPaymentRow): string => row.order_email ?? row.payer_email ?? '';

const createdText = ({ created_time }: KnownPaymentRow): string =>
  created_time === null ? '' : new Date(created_time).toISOString();

const createdMinute = ({ created_time }: KnownPaymentRow): string =>
  created_time === null ? '' : localTime(new Date(created_time)).slice(0, 16);

const whoIn = (row: KnownPaymentRow): string => nameIn(row) || emailIn(row) || row.customer_id || '';

/** As `--json` prints it. */
export function foundJson(item: FoundItem): Record<string, unknown> {
  const { row } = item;
  return {
    ...knownJson(item),
    orderId: row.order_id,
    name: nameIn(row) || null,
    email: emailIn(row) || null,
    brand: row.brand,
    providerReferenceId: row.provider_reference,
    note: row.order_note,
    match: item.match,
  };
}

export const foundList: ListView<FoundItem> = {
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
      key: 'amount',
      align: 'right',
      number: true,
      value: ({ row }) => (row.amount === null ? '' : amountCell(row.amount, row.currency ?? undefined)),
      shown: ({ row }) => amountIn(row),
    },
    { key: 'currency', extra: 'terminal', value: ({ row }) => row.currency ?? '' },
    {
      key: 'created',
      whole: true,
      // It tells the payments of one person apart.
      spare: 2,
      value: ({ row }) => createdText(row),
      shown: ({ row }) => createdMinute(row),
    },
    {
      key: 'who',
      spare: 1,
      value: ({ row }) => whoIn(row),
      shown: ({ row }) => safeText(whoIn(row)),
    },
    { key: 'customer', extra: 'terminal', value: ({ row }) => row.customer_id ?? '' },
    { key: 'email', extra: 'terminal', value: ({ row }) => emailIn(row) },
    { key: 'order', extra: 'terminal', value: ({ row }) => row.order_id ?? '' },
    { key: 'brand', extra: true, value: ({ row }) => row.brand ?? '' },
    { key: 'provider', extra: true, value: ({ row }) => row.provider_reference ?? '' },
    { key: 'note', extra: true, value: ({ row }) => row.order_note ?? '' },
    { key: 'match', extra: true, value: ({ match }) => match },
    { key: 'verdict', extra: true, value: ({ verdict }) => verdict.text },
    { key: 'next', extra: true, value: recommendedCommand },
  ],
};

const amountIn = ({ amount, currency }: KnownPaymentRow): string =>
  amount === null ? '' : formatAmount(amount, currency ?? undefined);

/**
 * The list that a person walks through, with what is not in a line as a hint below it. The time tells payments of one day
 * apart, and people know the reference: on a narrow terminal the ID gives way to them.
 */
export function foundChoices(
  items: readonly FoundItem[],
  width: number,
): Array<{ name: string; description: string | undefined }> {
  const rows = items.map(({ row }) => [
    row.payment_id,
    createdMinute(row),
    row.state,
    amountIn(row),
    row.reference_id ?? '',
    whoIn(row),
  ]);
  const full = choiceLines(rows, width);
  const references = items.map(({ row }) => safeText(row.reference_id ?? ''));
  const isCut = references.some((reference, at) => !full[at]?.includes(reference));
  const lines =
    isCut && references.every(Boolean)
      ? choiceLines(
          rows.map(([, ...rest]) => rest),
          width,
        )
      : full;
  return items.map(({ row }, at) => {
    const name = lines[at] ?? '';
    const details = [row.payment_id, row.reference_id ?? '', whoIn(row)].map(safeText).filter(Boolean);
    const isAll = details.every((detail) => name.includes(detail));
    return { name, description: isAll ? undefined : choiceHint(details.join('   '), width) };
  });
}

/** What is only similar to the words must not look as if it had them. */
export function aboutFound(items: readonly FoundItem[]): Line[] {
  const isSimilar = items.length > 0 && items.every(({ match }) => match === 'similar');
  return isSimilar ? ['No known payment has exactly these words. Similar ones:'] : [];
}

/** Nobody should take an older state for a fact while they walk through the list. */
const MOMENT_MS = 1_000;

/** How old the states are, where some may have changed since. A person who walks through the list opens one instead. */
export function aboutSeen(
  items: readonly FoundItem[],
  { now, walks, profile }: { now: number; walks: boolean; profile: string | undefined },
): Line[] {
  const old = items.filter(({ row }) => now - row.seen_time >= (walks ? MOMENT_MS : FRESH_MS));
  if (old.length === 0) return [];
  const seen = `Known payments, ${asLastSeen(old, now)}.`;
  if (walks) return [`${seen} Opening one reads it again.`];
  const command = readCommand(old.map(({ row }) => row.payment_id));
  return [`${seen} Read them again with:`, joinPieces('  ', commandPiece(command, profile))];
}

/** More IDs make no command that anybody types. */
const MAX_NAMED = 5;

const readCommand = (paymentIds: readonly string[]): Command =>
  paymentIds.length > MAX_NAMED
    ? paydesk('payments', 'list', '--refresh', '--all')
    : paydesk('payments', 'get', ...paymentIds);

/** What was searched when nothing was found, and where else to look. */
export function aboutNothingFound(
  { words, customer }: { words: readonly string[]; customer: string | undefined },
  { known, notKnown, withoutPayer }: NothingFound,
  profile: string | undefined,
): Line[] {
  const searched =
    known === 0
      ? 'This desk has no known payments yet.'
      : `Searched ${known >= MAX_COUNTED ? 'more than ' : ''}${counted(known, 'known payment')}.`;
  const [only = ''] = words.length === 1 ? words : [];
  const isReference = /^[^\s@]*\d[^\s@]*$/.test(only) && parseSpokenAmount(only) === undefined;
  return [
    searched,
    ...(notKnown.length > 0 ? [`None of them matches ${notKnown.join(' or ')}.`] : []),
    ...aboutWithoutPayer(withoutPayer, profile),
    ...(customer === undefined
      ? []
      : [
          joinPieces(
            'Find the ID of a customer with: ',
            commandPiece(paydesk('customers', 'find', customer), profile),
          ),
        ]),
    joinPieces(
      'Import the orders of your shop with: ',
      commandPiece(paydesk('payments', 'import', 'orders.csv'), profile),
    ),
    joinPieces(
      'Read a payment from the service with: ',
      commandPiece(paydesk('payments', 'get', isReference ? only : 'REFERENCE'), profile),
    ),
  ];
}

function aboutWithoutPayer(paymentIds: readonly string[], profile: string | undefined): Line[] {
  if (paymentIds.length === 0) return [];
  return [
    `The payer and the card of ${countText(paymentIds.length)} of them are not known yet. Read ${paymentIds.length === 1 ? 'it' : 'them'} with:`,
    joinPieces('  ', commandPiece(readCommand(paymentIds), profile)),
  ];
}
