// A plan as a person reviews it: what will happen, what will not and why, and what it comes to.

import type { DryRun } from '../../batch/dry-run.js';
import type { PlanFile } from '../../batch/plan-file.js';
import type { PlanRow, PlanSummary, Verdict } from '../../batch/plan-row.js';
import { amountDigits, formatAmount, groupDigits } from '../amount.js';
import { joinPieces, type Line, toned } from '../lines.js';
import type { ListView } from '../rows.js';
import { pad } from '../text.js';
import type { Tone } from '../theme.js';
import { statePiece } from '../values.js';

export interface PlanShown extends PlanSummary {
  action: string;
  /** Short reasons of the rows with each verdict. */
  notes: Partial<Record<Verdict, string[]>>;
}

const labels: Readonly<Record<Exclude<Verdict, 'act'>, string>> = {
  done: 'already done',
  changed: 'changed',
  'not-possible': 'not possible',
  'not-found': 'not found',
  unreadable: 'unreadable',
};

const tones: Readonly<Record<Verdict, Tone | undefined>> = {
  act: 'good',
  done: undefined,
  changed: 'bad',
  'not-possible': 'bad',
  'not-found': 'bad',
  unreadable: 'bad',
};

const actionText = (action: string): string => (action === 'unhold' ? 'release' : action);

/** `EUR 58,112.40   GBP 1,020.00`. */
export function totalsText(totals: Readonly<Record<string, string>>): string {
  return Object.entries(totals)
    .map(([currency, sum]) => `${currency} ${groupDigits(amountDigits(sum, currency))}`.trimStart())
    .join('   ');
}

/** The count of each verdict that occurs, aligned. */
export function planSummary({ action, counts, totals, notes }: PlanShown): Line[] {
  const rows: Array<[Verdict, string, string]> = [
    ['act', `will ${actionText(action)}`, totalsText(totals)],
    ...Object.entries(labels).flatMap(([verdict, label]): Array<[Verdict, string, string]> => {
      const known = verdict as Verdict;
      return counts[known] === 0 ? [] : [[known, label, noteText(known, notes[known] ?? [])]];
    }),
  ];
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

export const countText = (count: number): string => groupDigits(String(count));

function noteText(verdict: Verdict, notes: readonly string[]): string {
  const text = notes.slice(0, 3).join(', ');
  return verdict === 'done' ? `${text}: skipped` : text;
}

/** Rows that will not be acted on, or every row where all are asked for. */
export const planList: ListView<PlanRow> = {
  empty: 'The plan has no rows.',
  columns: [
    { key: 'line', align: 'right', number: true, value: ({ line }) => String(line) },
    {
      key: 'payment',
      value: ({ payment }) => payment ?? '',
      shown: ({ payment, typed }) => payment ?? typed,
    },
    { key: 'reference', value: ({ reference }) => reference ?? '' },
    { key: 'verdict', extra: 'terminal', value: ({ verdict }) => verdict },
    {
      key: 'state',
      extra: 'terminal',
      value: ({ state }) => state ?? '',
      shown: ({ state }) => statePiece(state ?? ''),
    },
    { key: 'file', value: ({ file }) => formatAmount(file?.amount ?? '', file?.currency) },
    { key: 'service', value: ({ amount, currency }) => formatAmount(amount ?? '', currency) },
    { key: 'why', value: ({ why }) => why ?? '' },
    { key: 'next', extra: true, value: ({ next }) => next ?? '' },
  ],
};

export function planEndLines(plan: {
  out: string | undefined;
  appId: string;
  kind: string;
  profile: string | undefined;
  acts: number;
}): Line[] {
  const of = `app ${plan.appId} (${[plan.kind, plan.profile].filter((part) => part !== undefined).join(', ')})`;
  if (plan.out === undefined) {
    return ['', 'No file was written. To apply it, keep it:', '  paydesk batch plan … --out plan.json'];
  }
  if (plan.acts === 0) return ['', `${plan.out} is for ${of}, and there is nothing to do.`];
  return ['', `${plan.out} is for ${of} and can be applied once:`, `  paydesk batch apply ${plan.out}`];
}

/** What is asked before a plan is applied to a live app. */
export function applyQuestion(
  { header, counts, totals }: PlanFile,
  { reason, ticket }: { reason?: string | undefined; ticket?: string | undefined },
): Line[] {
  const why = [reason, ticket].filter((part) => part !== undefined).join(', ');
  return [
    question(header.action, counts.act, totals),
    ...(why === '' ? [] : [joinPieces(toned('dim', 'Reason: '), why)]),
  ];
}

export function resumeQuestion(
  { id, action }: { id: string; action: string },
  count: number,
  totals: Readonly<Record<string, string>>,
): Line[] {
  return [`Batch ${id} goes on.`, question(action, count, totals)];
}

function question(action: string, count: number, totals: Readonly<Record<string, string>>): Line {
  const verb = actionText(action).replace(/^./, (letter) => letter.toUpperCase());
  const sum = totalsText(totals);
  return `${verb} ${countText(count)} ${count === 1 ? 'payment' : 'payments'}${sum === '' ? '' : `, ${sum} in all`}?`;
}

export function dryRunLines(action: string, { wouldSend, changed, unreadable }: DryRun): Line[] {
  const line = (label: string, count: number) => `  ${pad(label, 16)}${pad(countText(count), 6, 'right')}`;
  return [
    line(`would ${actionText(action)}`, wouldSend),
    ...(changed > 0 ? [line('changed', changed)] : []),
    ...(unreadable > 0 ? [line('unreadable', unreadable)] : []),
  ];
}
