// Where a payment stands, for a person with a customer on the phone: the verdict first, the next step last.

import type { Action } from '../../support/action.js';
import type { Explanation } from '../../support/explain.js';
import type { Age } from '../../support/facts.js';
import type { Severity } from '../../support/severity.js';
import type { Explained } from '../../support/explain-all.js';
import { joinPieces, type Line, type Look, TAB, toned, type View, wrapLine } from '../lines.js';
import { describeError } from '../report.js';
import type { ListView } from '../rows.js';
import type { Tone } from '../theme.js';
import { roughDuration } from '../time.js';
import { statePiece, textAt } from '../values.js';
import { timelineLines } from './timeline.js';

const tones: Readonly<Record<Severity, Tone | undefined>> = {
  urgent: 'bad',
  attention: 'waiting',
  waiting: 'waiting',
  failed: 'bad',
  ok: 'good',
};

export const severityPiece = (severity: Severity) => toned(tones[severity], severity);

/** As `--json` prints it. */
export function explanationJson(explanation: Explanation): Record<string, unknown> {
  const { payment, verdict, severity, stuck, age, timeline, actions, notPossible, mustNot } = explanation;
  return { payment, verdict, severity, stuck, age: age ?? null, timeline, actions, notPossible, mustNot };
}

/** One of several as `--json` prints it. */
export function explainedJson(entry: Explained): Record<string, unknown> {
  if ('explanation' in entry) return explanationJson(entry.explanation);
  return { payment: entry.typed, error: describeError(entry.error) };
}

/** Without what can be done: for where that is chosen from a list. */
export const standingView: View<Explanation> = (explanation, look) => [
  ...standingLines(explanation, look),
  ...warningLines(explanation, look),
];

export const explanationView: View<Explanation> = (explanation, look) =>
  look.terminal ? forPerson(explanation, look) : forPipe(explanation);

function standingLines({ facts, verdict, severity, timeline }: Explanation, look: Look): Line[] {
  const name = [facts.paymentId, facts.referenceId, facts.amount].filter((part) => part !== undefined);
  return [
    ...wrapLine(toned(tones[severity], verdict), look.width),
    toned('dim', `Payment ${name.join('   ')}`),
    '',
    ...timelineLines(timeline, look),
    '',
  ];
}

function forPerson(explanation: Explanation, look: Look): Line[] {
  const { actions } = explanation;
  return [
    ...standingLines(explanation, look),
    ...(actions.length === 0 || actions[0]?.recommended ? [] : ['Nothing needs to be done.']),
    ...(actions.length === 0 ? ['There is nothing to do.'] : ['What you can do']),
    ...actions.flatMap((action, index) => actionLines(action, index + 1, look)),
    ...warningLines(explanation, look),
  ];
}

function actionLines({ title, command, consequence }: Action, number: number, look: Look): Line[] {
  return [
    joinPieces(`  ${number}. ${title.padEnd(18)}`, toned('strong', command)),
    ...wrapLine(consequence, look.width - 5).map((line) => joinPieces('     ', toned('dim', line as string))),
  ];
}

function warningLines({ notPossible, mustNot }: Explanation, { width }: Look): Line[] {
  const reasons = Map.groupBy(notPossible, ({ why }) => why);
  const possible = [...reasons]
    .map(([why, entries]) => `${entries.map(({ operation }) => operation).join(', ')} (${why})`)
    .join(', ');
  return [
    ...mustNot.flatMap(({ what, why }) => wrapLine(toned('bad', `Do not ${what}: ${why}.`), width)),
    ...(possible === '' ? [] : wrapLine(`Not possible: ${possible}.`, width)),
  ];
}

/** What may be sent to customers as it is, one paragraph each. */
export const replyView: View<readonly Explained[]> = (explained, look) =>
  explained.flatMap((entry, index) => [
    ...(index > 0 ? [''] : []),
    ...('explanation' in entry
      ? look.terminal
        ? wrapLine(entry.explanation.reply, look.width)
        : [entry.explanation.reply]
      : []),
  ]);

export function replyJson(entry: Explained): Record<string, unknown> {
  if ('error' in entry) return explainedJson(entry);
  const { paymentId, referenceId } = entry.explanation.facts;
  return { paymentId, referenceId: referenceId ?? null, reply: entry.explanation.reply };
}

/** Tab-separated: what each line is, then what it says. */
function forPipe(explanation: Explanation): Line[] {
  const { facts, verdict, severity, timeline, actions, notPossible, mustNot } = explanation;
  const row = (...cells: Line[]): Line =>
    joinPieces(...cells.flatMap((cell, index) => (index > 0 ? [TAB, cell] : [cell])));
  return [
    row('payment', facts.paymentId, facts.referenceId ?? '', facts.shown),
    row('verdict', severity, verdict),
    ...timelineLines(timeline, { terminal: false, width: 0, now: new Date(facts.now) }),
    ...actions.map(({ command, consequence, recommended }) =>
      row(recommended ? 'recommended' : 'possible', command, consequence),
    ),
    ...mustNot.map(({ what, why }) => row('must-not', what, why)),
    ...notPossible.map(({ operation, why }) => row('not-possible', operation, why)),
  ];
}

/** `3 hours`, `≥ 3 hours`, `≤ 3 hours`. */
export function ageText(age: Age | undefined): string {
  if (age === undefined) return '';
  return `${{ exact: '', 'at-least': '≥ ', 'up-to': '≤ ' }[age.certainty]}${roughDuration(age.ms)}`;
}

const of = <T>(entry: Explained, value: (explanation: Explanation) => T, otherwise: T): T =>
  'explanation' in entry ? value(entry.explanation) : otherwise;

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

export const triageList: ListView<Explained> = {
  empty: 'No payments.',
  columns: [
    { key: 'payment', value: (entry) => of(entry, ({ facts }) => facts.paymentId, entry.typed) },
    {
      key: 'reference',
      extra: 'terminal',
      value: (entry) => of(entry, ({ payment }) => textAt(payment, 'referenceId'), ''),
    },
    {
      key: 'state',
      value: (entry) => of(entry, ({ facts }) => facts.shown, '?'),
      shown: (entry) => statePiece(of(entry, ({ facts }) => facts.shown, '?')),
    },
    { key: 'age', value: (entry) => of(entry, ({ age }) => ageText(age), '') },
    {
      key: 'severity',
      extra: 'terminal',
      value: (entry) => of<string>(entry, ({ severity }) => severity, 'error'),
    },
    {
      key: 'verdict',
      value: (entry) => ('error' in entry ? firstLine(entry.error.message) : entry.explanation.verdict),
      shown: (entry) =>
        'error' in entry
          ? toned('bad', firstLine(entry.error.message))
          : toned(tones[entry.explanation.severity], entry.explanation.verdict),
    },
    {
      key: 'next',
      title: 'recommended',
      value: (entry) => of(entry, recommendedCommand, ''),
    },
    { key: 'reply', extra: true, value: (entry) => of(entry, ({ reply }) => reply, '') },
  ],
};

function recommendedCommand({ actions }: Explanation): string {
  const [first] = actions;
  return first?.recommended ? first.command : '';
}
