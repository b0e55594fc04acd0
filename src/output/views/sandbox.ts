import type { JsonObject } from '../../contract/json.js';
import type { RenewedProfiles } from '../../profiles/sandbox-profiles.js';
import type { WrittenFile } from '../file.js';
import type { ClockTime } from '../../sandbox/index.js';
import type { Resent } from '../../sandbox-control/resend.js';
import type { Run } from '../../sandbox-control/run.js';
import { counted } from '../../contract/amount-format.js';
import { cardLines } from '../card.js';
import { joinPieces, TAB, toned, type Line, type View } from '../lines.js';
import { instantText, localTime, roughDuration, tookTime } from '../time.js';
import { statePiece, textAt, valueAt } from '../values.js';
import { paymentCard } from './payment.js';
import { hint } from './sandbox-start.js';

/** A payment after the customer has been played, and the state that it was in before. */
export const paidView: View<{ before: string; payment: JsonObject }> = ({ before, payment }, context) => {
  const card = paymentCard(payment, context);
  if (!context.terminal) return card;
  const after = textAt(payment, 'paymentState');
  return [...card, '', joinPieces('  ', toned('dim', before), ' → ', statePiece(after))];
};

const databaseText = (database: string): string => (database === ':memory:' ? 'in memory' : database);

export const statusView: View<JsonObject> = (status, context) => {
  const answers = Object.entries(valueAt(status, 'answers') ?? {}).map(([name, value]) => `${name}=${value}`);
  const clock = valueAt(status, 'clock');
  const stopped = valueAt(clock, 'stopped') === true;
  const waiting = textAt(status, 'webhooksWaiting');
  const card = cardLines(
    {
      kind: 'Sandbox',
      id: textAt(status, 'url'),
      state: toned('good', 'running'),
      fields: [
        { label: 'Console', value: context.terminal ? '' : textAt(status, 'consoleUrl') },
        { label: 'Database', value: databaseText(textAt(status, 'database')) },
        { label: 'Process', value: textAt(status, 'pid') },
        { label: 'Started', value: instantText(textAt(status, 'startedTime'), context) },
        { label: 'Clock', value: clockText(textAt(clock, 'now'), stopped, context.terminal) },
        { label: 'Payments', value: textAt(status, 'payments') },
        { label: 'Customers', value: textAt(status, 'customers') },
        { label: 'Webhooks', value: context.terminal ? `${waiting} waiting` : waiting },
        { label: 'Faults', value: textAt(status, 'faults') },
        { label: 'Answers', value: answers.join(', ') },
      ],
    },
    context,
  );
  return context.terminal ? [...card, '', hint('See:', textAt(status, 'consoleUrl'))] : card;
};

/** Others that are running, and how to choose one of them. */
export function othersNote(shown: Run, all: readonly Run[]): Line[] {
  const others = all.filter(({ url }) => url !== shown.url);
  if (others.length === 0) return [];
  const ports = others.map(({ url }) => new URL(url).port).join(', ');
  return [toned('dim', `Also running, choose with --port: ${ports}`)];
}

export interface StoppedSandbox {
  stopped: boolean;
  url?: string;
  pid?: number;
  database?: string;
}

export const stoppedView: View<StoppedSandbox> = ({ stopped, url = '', database = '' }, context) => {
  if (!stopped) return [];
  return context.terminal ? stoppedLines({ url, database }) : [joinPieces('stopped', TAB, url)];
};

/** That a sandbox has stopped, and what became of its contents. */
export const stoppedLines = ({ url, database }: { url: string; database: string }): Line[] => [
  `Stopped the sandbox at ${url}.`,
  ...(database === ':memory:' ? ['Its contents are gone.'] : ['Its contents are kept in:', `  ${database}`]),
];

function clockText(now: string, stopped: boolean, terminal: boolean): string {
  const at = terminal ? localTime(new Date(now)) : now;
  return `${at}${stopped ? ' (stopped)' : ''}`;
}

const SLACK_MS = 2_000;

export const clockView: View<ClockTime> = ({ now, stopped }, context) => {
  if (!context.terminal) return [joinPieces(now, TAB, stopped ? 'stopped' : 'running')];
  const ahead = new Date(now).getTime() - context.now.getTime();
  // The commands took a moment: two days are not to read as one.
  const size = roughDuration(Math.abs(ahead) * 1.01 + SLACK_MS);
  const offset = Math.abs(ahead) < SLACK_MS ? '' : `  (${size} ${ahead > 0 ? 'ahead' : 'behind'})`;
  return [
    joinPieces(
      localTime(new Date(now)),
      '  ',
      stopped ? toned('waiting', 'stopped') : toned('good', 'running'),
      toned('dim', offset),
    ),
  ];
};

export const resetView: View<{ payments: number }> = ({ payments }, context) =>
  context.terminal
    ? [`Deleted ${counted(payments, 'payment')}. The two apps and their keys are unchanged.`]
    : [joinPieces('reset', TAB, String(payments))];

export const exportedView: View<WrittenFile> = ({ file, bytes }, context) =>
  context.terminal
    ? [`Wrote ${file} (${counted(bytes, 'byte')}). It contains the keys of the apps.`]
    : [joinPieces(file, TAB, String(bytes))];

export interface ImportedSandbox {
  imported: true;
  payments: number;
  customers: number;
  profiles: RenewedProfiles;
}

export function profileNotes({ updated, stale }: RenewedProfiles): Line[] {
  const names = (list: string[]) => `${list.length === 1 ? 'profile' : 'profiles'} ${list.join(', ')}`;
  return [
    ...(updated.length > 0 ? [`Updated the ${names(updated)} to the imported apps.`] : []),
    ...(stale.length > 0 ? [`The sandbox no longer has the apps of your ${names(stale)}.`] : []),
  ];
}

export const importedView: View<ImportedSandbox> = ({ payments, customers }, context) =>
  context.terminal
    ? [`The sandbox now contains ${counted(payments, 'payment')} of ${counted(customers, 'customer')}.`]
    : [joinPieces('imported', TAB, String(payments), TAB, String(customers))];

export const clearedView: View<{ cleared: number }> = ({ cleared }, context) =>
  context.terminal
    ? [cleared === 0 ? 'There were no faults.' : `Cleared ${counted(cleared, 'fault')}.`]
    : [joinPieces('cleared', TAB, String(cleared))];

/** A webhook that was sent again: of what, where to, and what came back. */
export const resentView: View<Resent> = (
  { webhookId, paymentId, state, url, status, error, ms },
  context,
) => {
  const answer = status === null ? (error ?? 'no answer') : String(status);
  if (!context.terminal)
    return [joinPieces(String(webhookId), TAB, paymentId, TAB, state, TAB, url, TAB, answer)];
  const tone = status !== null && status >= 200 && status < 300 ? 'good' : 'bad';
  return [
    joinPieces(
      `  webhook ${webhookId}  ${paymentId}  `,
      statePiece(state),
      '  ',
      toned(tone, answer),
      toned('dim', `  ${tookTime(ms)}`),
    ),
    joinPieces('  ', toned('dim', url)),
  ];
};
