// A plan as a person reviews it: what will happen, what will not and why, and the totals.

import { addWords, commandText, paydesk } from '../../next-command.js';
import type { DryRun } from '../../batch/run/dry-run.js';
import type { PlanRow, PlanSummary, RowVerdict, ToSend } from '../../batch/plan/plan-row.js';
import type { CheckedPlan } from '../../batch/run/check-plan.js';
import { numberJson, totalsJson } from '../../contract/json.js';
import {
  amountCell,
  counted,
  countText,
  formatAmount,
  plainAmount,
  totalsText,
} from '../../contract/amount-format.js';
import { commandPiece, joinPieces, type Line, toned } from '../lines.js';
import type { ListView } from '../rows.js';
import { pad } from '../text.js';
import type { Tone } from '../theme.js';
import { statePiece } from '../values.js';
import { reasonLines, totalQuestion } from './moves.js';
import { linesText } from './sheet.js';

export interface PlanShown extends PlanSummary {
  action: string;
  /** Short reasons of the rows with each verdict. */
  notes: Partial<Record<RowVerdict, string[]>>;
  /** The lines of the first rows that are done already. */
  doneLines: readonly number[];
  /** How many rows that are acted on the totals leave out. */
  withoutAmount: number;
}

const labels: Readonly<Record<Exclude<RowVerdict, 'act'>, string>> = {
  check: 'will check',
  'failed-before': 'failed before',
  done: 'already done',
  changed: 'changed',
  conflict: 'conflict',
  'not-possible': 'not possible',
  'not-found': 'not found',
  unreadable: 'unreadable',
};

const tones: Readonly<Record<RowVerdict, Tone | undefined>> = {
  act: 'good',
  check: 'waiting',
  'failed-before': 'waiting',
  done: undefined,
  changed: 'bad',
  conflict: 'bad',
  'not-possible': 'bad',
  'not-found': 'bad',
  unreadable: 'bad',
};

/** Of rows that were sent before and failed. */
export const NEEDS_AGAIN = 'left out unless you apply with --again';

const actionText = (action: string): string => (action === 'unhold' ? 'approve' : action);

/** `EUR 58,112.40; 2 without a usable amount`. */
const moneyText = (totals: Readonly<Record<string, string>>, withoutAmount: number): string =>
  [totalsText(totals), withoutAmount === 0 ? '' : `${countText(withoutAmount)} without a usable amount`]
    .filter((part) => part !== '')
    .join('; ');

/** Each verdict that occurs, with its name and what there is to say about it. */
export function planCounts(plan: PlanShown): Array<[verdict: RowVerdict, label: string, note: string]> {
  const { action, counts, totals, withoutAmount, failedTotals, notes } = plan;
  const failed =
    action === 'charge'
      ? 'left out: a new attempt needs a new reference'
      : [totalsText(failedTotals), NEEDS_AGAIN].filter(Boolean).join(': ');
  return [
    [
      'act',
      `will ${actionText(action)}`,
      [moneyText(totals, withoutAmount), ...firstOf(notes.act)].join('; '),
    ],
    ...Object.entries(labels).flatMap(([verdict, label]): Array<[RowVerdict, string, string]> => {
      const known = verdict as RowVerdict;
      return counts[known] === 0
        ? []
        : [[known, label, known === 'failed-before' ? failed : noteText(known, plan)]];
    }),
  ];
}

/** `2 failed before, 1 already done`. */
export const leftOutText = (counts: PlanSummary['counts']): string =>
  Object.entries(labels)
    .map(([verdict, label]) => ({ label, count: counts[verdict as RowVerdict] }))
    .flatMap(({ label, count }) => (count === 0 ? [] : [`${countText(count)} ${label}`]))
    .join(', ');

/** One aligned line for each verdict that occurs. */
export function planSummary(plan: PlanShown): Line[] {
  const { counts } = plan;
  const rows = planCounts(plan);
  const left = Math.max(...rows.map(([, label]) => label.length), 14);
  const right = Math.max(...rows.map(([verdict]) => countText(counts[verdict]).length), 5);
  return rows.map(([verdict, label, note]) =>
    joinPieces(
      '  ',
      toned(tones[verdict], pad(label, left)),
      pad(countText(counts[verdict]), right + 1, 'right'),
      note === '' ? '' : `   ${note}`,
    ),
  );
}

const firstOf = (notes: readonly string[] = []): readonly string[] => notes.slice(0, 3);

function noteText(verdict: RowVerdict, plan: PlanShown): string {
  const { counts, doneLines } = plan;
  const notes = firstOf(plan.notes[verdict]).map((note) => note.replace(/\.$/, ''));
  const text = notes.join('; ');
  return verdict === 'done' ? `${text}: skipped, ${linesText(doneLines, counts.done)}` : text;
}

/** The payment of a row, or the name that the file has for it. A charge has none before it is made. */
export const paymentNamed = ({ payment, reference, typed }: PlanRow): string =>
  payment ?? (reference === undefined ? typed : '');

/** What the service shows, which is nothing before a charge is made. */
export const amountShown = ({ payment, amount = '', currency }: PlanRow): [string, string?] =>
  payment === undefined ? [''] : currency === undefined ? [amount] : [amount, currency];

/** The rows that are left out, or all rows. */
export const planList: ListView<PlanRow> = {
  empty: 'The plan has no rows.',
  columns: [
    { key: 'line', align: 'right', number: true, value: ({ line }) => String(line) },
    {
      key: 'payment',
      value: ({ payment }) => payment ?? '',
      shown: paymentNamed,
    },
    { key: 'reference', value: ({ reference }) => reference ?? '' },
    { key: 'verdict', extra: 'terminal', value: ({ verdict }) => verdict },
    {
      key: 'state',
      extra: 'terminal',
      value: ({ state }) => state ?? '',
      shown: ({ state }) => statePiece(state ?? ''),
    },
    {
      key: 'file',
      value: ({ file }) => plainAmount(file?.amount ?? '', file?.currency),
      shown: ({ file }) => formatAmount(file?.amount ?? '', file?.currency),
    },
    {
      key: 'service',
      value: (row) => plainAmount(...amountShown(row)),
      shown: (row) => formatAmount(...amountShown(row)),
    },
    { key: 'why', value: ({ why }) => why ?? '' },
    { key: 'next', extra: true, value: ({ next }) => (next ? commandText(next) : '') },
    { key: 'customer', extra: true, value: ({ customer }) => customer ?? '' },
    { key: 'method', extra: true, number: true, value: ({ method }) => method ?? '' },
  ],
};

export function planEndLines(plan: {
  out: string | undefined;
  action: string;
  appId: string;
  kind: string;
  profile: string | undefined;
  counts: PlanSummary['counts'];
  /** What `batch apply` must be given where nobody can be asked. */
  applyFlags: readonly string[];
}): Line[] {
  const { out, counts } = plan;
  const app = `app ${plan.appId} (${[plan.kind, plan.profile].filter((part) => part !== undefined).join(', ')})`;
  if (out === undefined) {
    return [
      '',
      'This plan was not saved. To apply it, save it to a file:',
      joinPieces('  ', commandPiece(paydesk('batch', 'plan', '…', '--out', 'plan.json'))),
    ];
  }
  const again = counts['failed-before'] > 0 && plan.action !== 'charge';
  const applies = counts.act + counts.check > 0;
  if (!applies && !again) return ['', `${out} is for ${app}. There is nothing to do.`];
  const apply = paydesk('batch', 'apply', out, ...plan.applyFlags);
  return [
    '',
    `${out} is for ${app} and can be applied once:`,
    ...(applies ? [joinPieces('  ', commandPiece(apply))] : []),
    ...(again ? [joinPieces('  ', commandPiece(addWords(apply, '--again')))] : []),
    ...(plan.applyFlags.includes('--local-ledger')
      ? [
          'The ledger is a file of this job only: another job would not know what was sent. To share it, set PAYDESK_DATABASE to a PostgreSQL database and plan again.',
        ]
      : []),
  ];
}

/** The question before a plan is applied to a live app. */
export function applyQuestion(
  { header, counts, toSend }: CheckedPlan,
  { reason, ticket, again }: { reason?: string | undefined; ticket?: string | undefined; again: boolean },
): Line[] {
  const failed = again ? counts['failed-before'] : 0;
  return [
    ...question(header.action, toSend),
    ...(failed === 0
      ? []
      : [`${countText(failed)} of these ${failed === 1 ? 'was' : 'were'} sent before and failed.`]),
    ...reasonLines({ reason, ticket }),
  ];
}

export function resumeQuestion({ id, action }: { id: string; action: string }, left: ToSend): Line[] {
  return [`Resume batch ${id}.`, ...question(action, left)];
}

function question(action: string, toSend: ToSend): Line[] {
  const verb = actionText(action).replace(/^./, (letter) => letter.toUpperCase());
  const one = action === 'charge' ? 'stored method' : 'payment';
  return totalQuestion(`${verb} ${counted(toSend.rows, one)}`, toSend);
}

export function dryRunLines(action: string, run: DryRun): Line[] {
  const { wouldSend, totals, withoutAmount, wouldCheck, changed, conflicts, unreadable } = run;
  const line = (label: string, count: number, note = '') =>
    `  ${pad(label, 16)}${pad(countText(count), 6, 'right')}${note === '' ? '' : `   ${note}`}`;
  return [
    line(`would ${actionText(action)}`, wouldSend, moneyText(totals, withoutAmount)),
    ...(wouldCheck > 0 ? [line('would check', wouldCheck, 'sent before: not sent again')] : []),
    ...(changed > 0 ? [line('changed', changed)] : []),
    ...(conflicts > 0 ? [line('conflict', conflicts, 'done before, and the service does not show it')] : []),
    ...(unreadable > 0 ? [line('unreadable', unreadable)] : []),
  ];
}

const { columns: planColumns } = planList;

/** The rows that would be sent. A charge shows the amount that it sends. */
export const wouldSendList: ListView<PlanRow> = {
  empty: '',
  columns: [
    ...planColumns.filter(({ key }) => key === 'line' || key === 'payment' || key === 'reference'),
    {
      key: 'amount',
      align: 'right',
      number: true,
      value: ({ amount = '', currency }) => amountCell(amount, currency),
      shown: ({ amount = '', currency }) => formatAmount(amount, currency),
    },
    { key: 'currency', extra: 'terminal', value: ({ currency }) => currency ?? '' },
  ],
};

export const moreToSendLines = ({ wouldSend, first }: DryRun): Line[] =>
  wouldSend > first.length ? [`  … ${countText(wouldSend - first.length)} more`] : [];

/** As `--json` prints it. */
export function dryRunJson({ totals, first, ...counts }: DryRun) {
  return {
    dryRun: true as const,
    ...counts,
    totals: totalsJson(totals),
    payments: first.map(({ line, payment, reference, amount, currency }) => ({
      line,
      payment: numberJson(payment),
      reference,
      amount: numberJson(amount),
      currency,
    })),
  };
}
