// Where a payment stands, for a person with a customer on the phone: the verdict first, the next step last.

import { type JsonNumber, numberJson } from '../../contract/json.js';
import { commandText } from '../../next-command.js';
import type { Action } from '../../support/action.js';
import type { Explained, Explanation } from '../../support/explain.js';
import type { NotPossible } from '../../support/warnings.js';
import { joinPieces, type Line, type ViewContext, TAB, toned, type View, wrapLine } from '../lines.js';
import { commandLines } from '../fit.js';
import { describeError } from '../report.js';
import { textAt, valueAt } from '../values.js';
import { cardText, type FailedRead } from './payment.js';
import { severityPiece } from './severity.js';
import { timelineLines } from './timeline.js';

/** As `--json` prints it: commands are text. */
interface ExplanationJson extends Pick<
  Explanation,
  'payment' | 'verdict' | 'severity' | 'stuck' | 'timeline' | 'mustNot'
> {
  actions: Array<Omit<Action, 'command'> & { command: string }>;
  notPossible: Array<Omit<NotPossible, 'instead'> & { instead?: string }>;
  age: Explanation['age'] | null;
  order: Record<'orderId' | 'name' | 'email' | 'note', string | null> | null;
  alsoPaid: Array<Record<string, unknown>>;
  batches: Array<Record<'batchId' | 'action' | 'operator' | 'time' | 'text' | 'command', string>>;
}

function explanationJson(explanation: Explanation): ExplanationJson {
  const { payment, verdict, severity, stuck, age, timeline, actions, notPossible, mustNot, order } =
    explanation;
  const alsoPaid = explanation.alsoPaid.map(({ paymentId, amount, createdTime, commands, ...other }) => ({
    paymentId: numberJson(paymentId),
    ...other,
    commands: commands.map((command) => commandText(command)),
    amount: numberJson(amount),
    createdTime: createdTime === null ? null : new Date(createdTime).toISOString(),
  }));
  return {
    payment,
    verdict,
    severity,
    stuck,
    age: age ?? null,
    timeline,
    actions: actions.map((action) => ({ ...action, command: commandText(action.command) })),
    notPossible: notPossible.map(({ instead, ...entry }) =>
      instead ? { ...entry, instead: commandText(instead) } : entry,
    ),
    mustNot,
    order: order
      ? {
          orderId: order.orderId ?? null,
          name: order.name ?? null,
          email: order.email ?? null,
          note: order.note ?? null,
        }
      : null,
    alsoPaid,
    batches: explanation.batches.map(({ time, command, ...batch }) => ({
      ...batch,
      time: new Date(time).toISOString(),
      command: commandText(command),
    })),
  };
}

/** One of several as `--json` prints it. */
export function explainedJson(entry: Explained, profile: string | undefined): ExplanationJson | FailedRead {
  if ('explanation' in entry) return explanationJson(entry.explanation);
  return failedJson(entry, profile);
}

const failedJson = (
  { typed, error }: Extract<Explained, { error: unknown }>,
  profile: string | undefined,
): FailedRead => ({ payment: typed, error: describeError(error, profile) });

/** Without the possible actions, which the guided session offers as a list. */
export const standingView: View<Explanation> = (explanation, context) => [
  ...standingLines(explanation, context),
  ...warningLines(explanation, context),
];

export const explanationView: View<Explanation> = (explanation, context) =>
  context.terminal ? forPerson(explanation, context) : forPipe(explanation);

function standingLines(explanation: Explanation, context: ViewContext): Line[] {
  const { verdict, severity, timeline, alsoPaid, batches } = explanation;
  return [
    ...wrapLine(severityPiece(severity, verdict), context.width),
    ...alsoPaid.flatMap(({ text, commands }) => [
      ...wrapLine(toned('waiting', text), context.width),
      ...commands.flatMap((command) => commandLines(`  ${commandText(command)}`, context.width)),
    ]),
    ...batches.flatMap(({ text, command }) => [
      ...wrapLine(toned('waiting', text), context.width),
      ...commandLines(`  ${commandText(command)}`, context.width),
    ]),
    '',
    ...identityRows(explanation).flatMap(([label, ...parts]) => identityLines(label, parts, context)),
    '',
    ...timelineLines(timeline, context),
    '',
  ];
}

type IdentityRow = [label: string, ...parts: string[]];

/** What identifies the payment, verifies the caller and is quoted to the provider; only what is known. */
function identityRows({ situation, payment, order }: Explanation): IdentityRow[] {
  const payer = valueAt(payment, 'payInfo', 'payer');
  const rows: IdentityRow[] = [
    ['Payment', situation.paymentId, situation.referenceId ?? '', situation.amount],
    ['Customer', textAt(payment, 'customerId'), textAt(payer, 'fullName'), textAt(payer, 'email')],
    ['Order', order?.orderId ?? '', order?.name ?? '', order?.email ?? ''],
    ['Note', order?.note ?? ''],
    ['Card', cardText(valueAt(payer, 'card'))],
    [
      'Provider',
      textAt(payment, 'payInfo', 'paymentProfile', 'paymentProfileName'),
      textAt(payment, 'payInfo', 'providerReferenceId'),
    ],
  ];
  return rows
    .map(([label, ...parts]): IdentityRow => [label, ...parts.filter((part) => part !== '')])
    .filter(([, ...parts]) => parts.length > 0);
}

const LABEL_WIDTH = 10;

function identityLines(label: string, parts: readonly string[], { width }: ViewContext): Line[] {
  return wrapLine(parts.join('   '), Math.max(20, width - LABEL_WIDTH)).map((line, index) =>
    joinPieces(toned('dim', (index === 0 ? label : '').padEnd(LABEL_WIDTH)), line),
  );
}

function forPerson(explanation: Explanation, context: ViewContext): Line[] {
  const { actions, severity } = explanation;
  const refunds = refundsOfRepeats(explanation);
  const isOver = actions[0]?.recommended !== true && (severity === 'ok' || severity === 'failed');
  return [
    ...standingLines(explanation, context),
    ...(isOver && refunds.length === 0 ? ['Nothing needs to be done.'] : []),
    ...(refunds.length === 0
      ? []
      : [
          `If the customer meant to pay once, refund ${refunds.length === 1 ? 'one' : 'all but one'} of the payments:`,
        ]),
    ...refunds.flatMap((command) => indentedCommand(command, '  ', context)),
    ...(actions.length === 0 ? [] : ['What you can do']),
    ...actions.flatMap((action, index) => actionLines(action, index + 1, context)),
    ...warningLines(explanation, context),
  ];
}

/** The commands that refund all payments but the first, where the customer has paid more than once. */
function refundsOfRepeats({ situation, alsoPaid }: Explanation): string[] {
  if (situation.state !== 'Captured') return [];
  const commands = alsoPaid.filter(({ state }) => state === 'Captured').flatMap((other) => other.commands);
  const refunds = commands.filter(({ words }) => words.includes('refund'));
  return [...new Set(refunds.map((command) => commandText(command)))];
}

function actionLines(
  { title, command, consequence, recommended }: Action,
  number: number,
  context: ViewContext,
): Line[] {
  const indent = '     ';
  return [
    joinPieces(`  ${number}. `, toned('strong', title), recommended ? toned('dim', ' (recommended)') : ''),
    ...wrapLine(consequence, context.width - indent.length).map((line) =>
      joinPieces(indent, toned('dim', line as string)),
    ),
    ...indentedCommand(commandText(command), indent, context),
  ];
}

/** A command that can be copied as it is, however narrow the terminal. */
export function indentedCommand(command: string, indent: string, { width }: ViewContext): Line[] {
  return commandLines(command, width - indent.length).map((line) => joinPieces(indent, line));
}

function warningLines({ notPossible, mustNot }: Explanation, { width }: ViewContext): Line[] {
  const reasons = Map.groupBy(notPossible, ({ why }) => why);
  const possible = [...reasons]
    .map(([why, entries]) => `${entries.map(({ operation }) => operation).join(', ')} (${why})`)
    .join(', ');
  return [
    ...mustNot.flatMap(({ what, why }) => wrapLine(toned('bad', `Do not ${what}: ${why}.`), width)),
    ...(possible === '' ? [] : wrapLine(toned('dim', `Not possible: ${possible}.`), width)),
  ];
}

/** Replies that can be sent to customers as they are, with a line between. */
export const replyView: View<readonly Explained[]> = (explained, context) =>
  explained
    .filter((entry) => 'explanation' in entry)
    .flatMap(({ explanation }, index) => [
      ...(index > 0 ? ['', '---', ''] : []),
      ...explanation.reply
        .split('\n')
        .flatMap((line) => (context.terminal ? wrapLine(line, context.width) : [line])),
    ]);

interface ReplyJson {
  paymentId: JsonNumber | string;
  referenceId: string | null;
  reply: Explanation['reply'];
}

export function replyJson(entry: Explained, profile: string | undefined): ReplyJson | FailedRead {
  if ('error' in entry) return failedJson(entry, profile);
  const { paymentId, referenceId } = entry.explanation.situation;
  return {
    paymentId: numberJson(paymentId),
    referenceId: referenceId ?? null,
    reply: entry.explanation.reply,
  };
}

/** Tab-separated: what each line is, then what it says. */
function forPipe(explanation: Explanation): Line[] {
  const { situation, verdict, severity, timeline, actions, notPossible, mustNot } = explanation;
  const row = (...cells: Line[]): Line =>
    joinPieces(...cells.flatMap((cell, index) => (index > 0 ? [TAB, cell] : [cell])));
  return [
    row('payment', situation.paymentId, situation.referenceId ?? '', situation.shown),
    row('verdict', severity, verdict),
    ...explanation.alsoPaid.map(({ text, commands }) =>
      row('also-paid', text, ...commands.map((command) => commandText(command))),
    ),
    ...explanation.batches.map(({ text, command }) => row('in-batch', text, commandText(command))),
    ...identityRows(explanation)
      .slice(1)
      .map(([label, ...parts]) => row(label.toLowerCase(), ...parts)),
    ...timelineLines(timeline, { terminal: false, width: 0, now: new Date(situation.now) }),
    ...actions.map(({ command, consequence, recommended }) =>
      row(recommended ? 'recommended' : 'possible', commandText(command), consequence),
    ),
    ...mustNot.map(({ what, why }) => row('must-not', what, why)),
    ...notPossible.map(({ operation, why }) => row('not-possible', operation, why)),
  ];
}
