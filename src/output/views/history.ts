import { numberJson } from '../../contract/json.js';
import type { HistoryRecord } from '../../ledger/moves/history.js';
import { amountCell, formatAmount } from '../../contract/amount-format.js';
import type { ListView } from '../rows.js';
import { localTime } from '../time.js';
import { statePiece } from '../values.js';
import { outcomePiece } from './operation.js';

/** `11-14 09:12`, so that a line fits 80 columns. */
const dayAndMinute = (time: string): string => localTime(new Date(time)).slice(5, 16);

const joined = (...parts: Array<string | null>): string => parts.filter(Boolean).join('  ');

/** As `--json` prints it. */
export const historyJson = (record: HistoryRecord) => ({
  ...record,
  paymentId: numberJson(record.paymentId),
  amount: numberJson(record.amount),
});

export const historyList: ListView<HistoryRecord> = {
  empty: 'No matching entries.',
  columns: [
    { key: 'time', whole: true, value: ({ time }) => time, shown: ({ time }) => dayAndMinute(time) },
    { key: 'operation', value: ({ operation }) => operation },
    { key: 'payment', extra: 'terminal', value: ({ paymentId }) => paymentId ?? '' },
    { key: 'reference', extra: 'terminal', value: ({ referenceId }) => referenceId ?? '' },
    {
      key: 'subject',
      title: 'payment',
      extra: 'pipe',
      // Without an id, the reference is what the next command needs.
      mayCut: ({ paymentId }) => paymentId !== null,
      value: ({ paymentId, referenceId, customerId }) =>
        paymentId === null && referenceId === null
          ? joined('customer', customerId)
          : joined(paymentId, referenceId),
    },
    { key: 'customer', extra: 'terminal', value: ({ customerId }) => customerId ?? '' },
    {
      key: 'amount',
      align: 'right',
      number: true,
      value: ({ amount, currency }) => amountCell(amount ?? '', currency ?? undefined),
      shown: ({ amount, currency }) => (amount === null ? '' : formatAmount(amount, currency ?? '')),
    },
    { key: 'currency', extra: 'terminal', value: ({ currency }) => currency ?? '' },
    { key: 'before', extra: 'terminal', value: ({ before }) => before ?? '' },
    {
      key: 'after',
      title: 'state',
      spare: 1,
      value: ({ after }) => after ?? '',
      // A change to a customer leaves no payment in any state.
      shown: ({ after, paymentId, referenceId }) =>
        statePiece(after ?? (paymentId === null && referenceId === null ? '' : '?')),
    },
    { key: 'outcome', value: ({ outcome }) => outcome, shown: ({ outcome }) => outcomePiece(outcome) },
    { key: 'operator', extra: 'terminal', value: ({ operator }) => operator },
    { key: 'ticket', extra: 'terminal', value: ({ ticket }) => ticket ?? '' },
    { key: 'reason', extra: 'terminal', value: ({ reason }) => reason ?? '' },
    {
      key: 'note',
      title: 'by',
      spare: 2,
      extra: 'pipe',
      value: ({ operator, ticket, reason }) => joined(operator, ticket, reason),
    },
    { key: 'profile', extra: 'terminal', value: ({ profile }) => profile ?? '' },
    { key: 'app', extra: 'terminal', value: ({ appId }) => appId },
    { key: 'why', extra: 'terminal', value: ({ why }) => why ?? '' },
    { key: 'batch', extra: true, value: ({ batch }) => batch ?? '' },
  ],
};
