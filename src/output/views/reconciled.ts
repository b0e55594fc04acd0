// What a provider's file came to: totals that balance, and the lines that need attention with what to do about each.

import type { PlanRow, PlanSummary } from '../../batch/plan/plan-row.js';
import { numberJson } from '../../contract/json.js';
import { addWords, commandText, paydesk } from '../../next-command.js';
import type { Exception } from '../../reconcile/exception.js';
import type { Reconciled } from '../../reconcile/reconcile.js';
import type { TotalRow } from '../../reconcile/tally.js';
import type { ExceptionName } from '../../reconcile/verdict.js';
import {
  amountCell,
  amountDigits,
  counted,
  countText,
  formatAmount,
  groupDigits,
  totalsText,
} from '../../contract/amount-format.js';
import { commandLines } from '../fit.js';
import { commandPiece, joinPieces, type Line, toned, type View, wrapLine } from '../lines.js';
import type { ListView } from '../rows.js';
import { safeJson, safeText } from '../text.js';
import type { Tone } from '../theme.js';
import { NEEDS_AGAIN } from './batch-plan.js';

const money = (amount: string, currency: string): string => groupDigits(amountDigits(amount, currency));

/** Everything that needs attention: lines, and payments that the file lacks or may lack. */
export const openCount = (result: Reconciled): number =>
  result.exceptions + missingCount(result) + result.unreadable;

const missingCount = ({ missing }: Reconciled): number =>
  missing.reduce((sum, { file }) => sum + file.lines, 0);

const day = (time: number): string => new Date(time).toISOString().slice(0, 10);

function daysText(days: Reconciled['days']): string {
  if (days === undefined) return '';
  const [since, until] = [day(days.since), day(days.until)];
  return since === until ? ` of ${since}` : ` from ${since} to ${until}`;
}

/** `12 lines from 2026-11-01 to 2026-11-14: 9 match, 3 need attention.` */
export function reconciledLines(result: Reconciled): Line[] {
  const { lines, matched, exceptions, unrelated, missing } = result;
  const parts = [counted(matched, 'matches', 'match')];
  if (exceptions > 0) parts.push(`${counted(exceptions, 'needs', 'need')} attention`);
  if (unrelated > 0) parts.push(`${counted(unrelated, 'names', 'name')} no payment`);
  const lacking = [
    { count: missingCount(result), word: 'missing' },
    { count: result.unreadable, word: 'unreadable' },
  ].flatMap(({ count, word }) => (count > 0 ? [`${countText(count)} ${word}`] : []));
  const all =
    lacking.length > 0 ? `, and ${lacking.join(', ')}: ${counted(openCount(result), 'exception')}` : '';
  const summary = `${counted(lines, 'line')}${daysText(result.days)}: ${parts.join(', ')}${all}.`;
  return [
    toned(openCount(result) > 0 ? 'waiting' : 'good', summary),
    ...missing.map(({ currency, kind, file }) => {
      const amount = formatAmount(file.amount.replace('-', ''), currency);
      return toned('waiting', `The file lacks ${counted(file.lines, kind)}: ${amount}.`);
    }),
  ];
}

/** What the result rests on. */
export function balanceLines({ unrelated, days, period }: Reconciled): Line[] {
  const parts = unrelated > 0 ? 'matched + exceptions + no payment' : 'matched + exceptions';
  return [
    toned('good', `The totals balance to the last cent: file = ${parts}.`),
    ...(period === undefined
      ? [toned('dim', 'The file has no dates: add --since and --until to find payments that it lacks.')]
      : daysText(period) === daysText(days)
        ? []
        : [toned('dim', `paydesk looked for missing payments${daysText(period)}.`)]),
  ];
}

/** What the person should know about the whole file before they act on a line. */
export function cautionLines({ leftOut, ...result }: Reconciled): Line[] {
  const { hidesRefunds, ignoredStatus, hasMatch, exceptions } = result;
  const { 'not-booked': notBooked, status, total } = leftOut;
  return [
    ...(notBooked > 0
      ? [`${counted(notBooked, 'entry is', 'entries are')} not booked yet, and left out.`]
      : []),
    ...(status > 0
      ? [`${counted(status, 'line is', 'lines are')} left out by ${status === 1 ? 'its' : 'their'} status.`]
      : []),
    ...(total > 0 ? ['The last line has the total of the file, and is left out.'] : []),
    ...exchangedLines(result.exchanged),
    ...(hidesRefunds
      ? [
          'The mapping does not tell refunds from captures, so paydesk recommends no refund. Add kind or direction to it.',
        ]
      : []),
    ...(ignoredStatus === undefined
      ? []
      : [
          `The mapping ignores the column ${safeText(ignoredStatus)}, so paydesk recommends no refund: a charge may have failed. Add status and statuses to it.`,
        ]),
    ...(!hasMatch && exceptions > 0
      ? ['None of the lines matches a payment of this app. Is it the right one? Check --profile.']
      : []),
  ].map((text) => toned('waiting', text));
}

function exchangedLines(exchanged: Reconciled['exchanged']): string[] {
  if (exchanged.length === 0) return [];
  const lines = exchanged.reduce((sum, row) => sum + row.lines, 0);
  const booked = exchanged.map(({ amount, currency }) => formatAmount(amount, currency)).join(' and ');
  return [
    `${counted(lines, 'line was', 'lines were')} paid in another currency than booked. ` +
      `The totals have what was paid; ${booked} was booked.`,
  ];
}

const sum = (key: 'file' | 'matched' | 'exceptions' | 'unrelated', title: string) => ({
  key,
  title,
  align: 'right' as const,
  number: true,
  value: (row: TotalRow) => row[key].amount,
  shown: (row: TotalRow) => (row[key].lines === 0 ? '' : money(row[key].amount, row.currency)),
});

export const totalsList: ListView<TotalRow> = {
  empty: '',
  columns: [
    { key: 'currency', title: '', value: ({ currency }) => currency },
    { key: 'kind', value: ({ kind }) => kind },
    {
      key: 'lines',
      align: 'right',
      number: true,
      value: ({ file }) => String(file.lines),
      shown: ({ file }) => countText(file.lines),
    },
    sum('file', 'file'),
    sum('matched', 'matched'),
    sum('exceptions', 'exceptions'),
  ],
};

const labels: Readonly<Record<ExceptionName, string>> = {
  'not-captured': 'not captured',
  'refunded-at-provider': 'refunded',
  'captured-twice': 'captured twice',
  'duplicate-line': 'duplicate line',
  'refunded-twice': 'refunded twice',
  'amount-differs': 'amount differs',
  'currency-differs': 'currency differs',
  'fee-differs': 'fee differs',
  'capture-id-differs': 'capture ID differs',
  chargeback: 'chargeback',
  'other-kind': 'other kind',
  'not-at-service': 'not at service',
  'not-known': 'not known',
  'not-in-file': 'not in file',
  unreadable: 'unreadable',
};

const tones: Partial<Record<ExceptionName, Tone>> = {
  'fee-differs': 'waiting',
  'duplicate-line': 'waiting',
  'other-kind': 'waiting',
  unreadable: 'waiting',
};

export const exceptionLabel = ({ exception, kind }: Exception): string =>
  exception === 'other-kind' ? kind : labels[exception];

/** What is wrong, with the payment that may be meant. */
export function whatText({ text, suggestion }: Exception): string {
  if (suggestion === null) return text;
  const name = suggestion.reference === null ? '' : ` (${suggestion.reference})`;
  return `${text} Suggestion only: payment ${suggestion.payment}${name}, ${suggestion.state}, has the same amount and date.`;
}

export const nextCommand = ({ next }: Exception): string => (next === null ? '' : commandText(next.command));

const texts = (
  ...keys: Array<'providerReference' | 'operationId' | 'reference' | 'at' | 'kind' | 'state' | 'matchedBy'>
) => keys.map((key) => ({ key, extra: 'terminal' as const, value: (row: Exception) => row[key] ?? '' }));

const numbers = (...keys: Array<'fee' | 'serviceAmount' | 'serviceFee'>) =>
  keys.map((key) => ({
    key,
    extra: 'terminal' as const,
    number: true,
    value: (row: Exception) => amountCell(row[key] ?? '', currencyOf(row, key)),
  }));

/** A fee is in the currency of the line, on both sides. */
const currencyOf = (row: Exception, key: 'fee' | 'serviceAmount' | 'serviceFee'): string =>
  key === 'serviceAmount' ? (row.serviceCurrency ?? '') : row.currency;

export const exceptionList: ListView<Exception> = {
  empty: 'Every line matches. Nothing needs to be done.',
  columns: [
    { key: 'line', align: 'right', number: true, value: ({ line }) => String(line ?? '') },
    {
      key: 'exception',
      value: ({ exception }) => exception,
      shown: (row) => toned(tones[row.exception] ?? 'bad', exceptionLabel(row)),
    },
    {
      key: 'payment',
      value: ({ payment }) => payment ?? '',
      shown: ({ payment, reference }) => payment ?? reference ?? '',
    },
    {
      key: 'amount',
      extra: 'terminal',
      number: true,
      value: ({ amount, currency }) => amountCell(amount, currency),
    },
    { key: 'currency', extra: 'terminal', value: ({ currency }) => currency },
    ...numbers('fee'),
    ...texts('kind', 'at', 'providerReference', 'operationId', 'reference', 'matchedBy', 'state'),
    ...numbers('serviceAmount', 'serviceFee'),
    { key: 'serviceCurrency', extra: 'terminal', value: (row) => row.serviceCurrency ?? '' },
    { key: 'text', title: 'what', value: ({ text }) => text, shown: whatText },
    { key: 'verdict', extra: 'terminal', value: ({ verdict }) => verdict ?? '' },
    { key: 'next', value: nextCommand },
    { key: 'suggestion', extra: 'terminal', value: ({ suggestion }) => suggestion?.payment ?? '' },
  ],
};

/** One block for each: which line and payment, what is wrong, where the payment stands, and what to type. */
export const exceptionsView: View<readonly Exception[]> = (exceptions, { width }) =>
  exceptions.flatMap((row) => {
    const { line, payment, reference, verdict, next } = row;
    const place = line === null ? '' : `line ${countText(line)}`;
    const indented = (text: Line) => wrapLine(text, width - 2).map((part) => joinPieces('  ', part));
    return [
      joinPieces(
        ...[place, payment ?? reference ?? '', payment === null ? '' : (reference ?? '')]
          .filter((part) => part !== '')
          .map((part) => `${part}   `),
        toned(tones[row.exception] ?? 'bad', exceptionLabel(row)),
      ),
      ...indented(whatText(row)),
      ...(verdict === null ? [] : indented(toned('dim', verdict))),
      ...(next === null ? [] : commandLines(`  ${commandText(next.command)}`, width)),
      '',
    ];
  });

export const moreLine = (shown: number, all: number, file: string): Line[] =>
  all <= shown
    ? []
    : [
        toned(
          'dim',
          `  … ${countText(all - shown)} more: ${commandText(paydesk('reconcile', file, '…', '--csv'))}`,
        ),
      ];

const totalJson = ({ currency, kind, file, matched, exceptions, unrelated, fees }: TotalRow) => {
  const part = ({ lines, amount }: TotalRow['file']) => ({ lines, amount: numberJson(amount) });
  return {
    currency,
    kind,
    file: part(file),
    matched: part(matched),
    exceptions: part(exceptions),
    unrelated: part(unrelated),
    fees: numberJson(fees),
  };
};

const exceptionJson = ({ suggestion, ...row }: Exception) => ({
  ...row,
  next: row.next && { ...row.next, command: commandText(row.next.command) },
  amount: numberJson(row.amount),
  fee: numberJson(row.fee),
  payment: numberJson(row.payment),
  serviceAmount: numberJson(row.serviceAmount),
  serviceFee: numberJson(row.serviceFee),
  suggestion: suggestion && { ...suggestion, payment: numberJson(suggestion.payment) },
});

/** `plans` are there where a plan was asked for. */
export async function* reconciledJson(
  result: Reconciled,
  plans: readonly WrittenPlan[] | undefined,
): AsyncGenerator<string> {
  const { lines, matched, unrelated, period } = result;
  const head = {
    lines,
    matched,
    unrelated,
    open: openCount(result),
    balanced: true,
    period: period
      ? { since: new Date(period.since).toISOString(), until: new Date(period.until).toISOString() }
      : null,
    totals: result.totals.map(totalJson),
    exchanged: result.exchanged.map(({ amount, ...row }) => ({ ...row, amount: numberJson(amount) })),
    missing: result.missing.map(({ currency, kind, file }) => ({
      currency,
      kind,
      payments: file.lines,
      amount: numberJson(file.amount),
    })),
    ...(plans && {
      plans: plans.map(({ file, action, toSend, notSent }) => ({ file, action, toSend, notSent })),
    }),
  };
  yield `${safeJson(head).slice(0, -1)},"exceptions":[`;
  let first = true;
  for await (const row of result.all()) {
    yield `${first ? '' : ','}\n${safeJson(exceptionJson(row))}`;
    first = false;
  }
  yield '\n]}\n';
}

export interface WrittenPlan {
  file: string;
  action: string;
  /** Payments that `batch apply` will send. */
  toSend: number;
  /** Payments that it will only check, because the outcome of what was sent before is open. */
  toCheck: number;
  /** Payments that it will not send, those to check among them. */
  notSent: number;
  /** The first of those, with the reason. */
  firstNotSent: readonly PlanRow[];
  /** Payments that it will send with `--again` alone. */
  failedBefore: number;
  failedTotals: PlanSummary['failedTotals'];
}

export interface WrittenPlans {
  /** The file that was asked for. */
  out: string;
  written: readonly WrittenPlan[];
  /** What became of a file of that name, where it was not replaced. */
  earlier: 'removed' | 'not-a-plan' | undefined;
}

/** Which plans were written, and how to look at and apply them. */
export function savedPlanLines({ out, written, earlier }: WrittenPlans): Line[] {
  return [
    ...(written.length === 0 ? ['No plan was written: no next step moves money.'] : planLinesOf(written)),
    ...(earlier === 'removed' ? [`Removed ${out}: it was the plan of an earlier run.`] : []),
    ...(earlier === 'not-a-plan' ? [`${out} was left as it is: it is not a plan.`] : []),
  ];
}

const planLinesOf = (plans: readonly WrittenPlan[]): Line[] =>
  plans.flatMap((plan) => [
    plan.toSend === 0
      ? `Saved a plan to ${plan.file} that will ${plan.action} nothing. Nothing was sent.`
      : `Saved a plan to ${plan.action} ${counted(plan.toSend, 'payment')} to ${plan.file}. Nothing was sent.`,
    ...notSentLines(plan),
    ...failedBeforeLines(plan),
    ...reviewLines(plan),
  ]);

function notSentLines({ toSend, notSent, firstNotSent }: WrittenPlan): Line[] {
  if (notSent === 0) return [];
  const more = notSent - firstNotSent.length;
  return [
    `${counted(notSent, toSend === 0 ? 'payment' : 'other payment')} will not be sent:`,
    ...firstNotSent.map(({ payment, typed, verdict, why }) => `  ${payment ?? typed}: ${why ?? verdict}`),
    ...(more > 0 ? [`  … ${countText(more)} more`] : []),
  ];
}

function failedBeforeLines({ failedBefore, failedTotals }: WrittenPlan): Line[] {
  if (failedBefore === 0) return [];
  const parts = [`${counted(failedBefore, 'payment')} failed before`, totalsText(failedTotals)];
  return [`${parts.filter((part) => part !== '').join(', ')}: ${NEEDS_AGAIN}.`];
}

/** A plan of nothing but payments that failed before is worth reviewing with `--again` alone. */
function reviewLines({ file, toSend, toCheck, failedBefore }: WrittenPlan): Line[] {
  const apply = paydesk('batch', 'apply', file);
  const again = failedBefore > 0 ? [addWords(apply, '--again')] : [];
  const reviews = toSend + toCheck > 0 || again.length === 0 ? [apply, ...again] : again;
  return reviews.map((command, at) =>
    joinPieces(
      at === 0 ? 'Review it with: ' : '      or with: ',
      commandPiece(addWords(command, '--dry-run')),
    ),
  );
}

/** `Comparing  12,000 lines  4,000/s  18 checked at the service`. */
export function comparingLine(lines: number, looked: number, rate: number): string {
  const checked = looked === 0 ? '' : `  ${countText(looked)} checked at the service`;
  return `Comparing  ${counted(lines, 'line')}  ${countText(Math.round(rate))}/s${checked}`;
}
