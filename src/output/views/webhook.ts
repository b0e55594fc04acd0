// Deliveries as lines, rows and JSON.

import { paydesk } from '../../next-command.js';
import { counted } from '../../contract/amount-format.js';
import { numberJson } from '../../contract/json.js';
import type { Delivery, ForwardRecord } from '../../webhooks/inbox/delivery.js';
import type { ListenEvent } from '../../webhooks/start-listener.js';
import {
  commandPiece,
  joinPieces,
  type Line,
  lineWidth,
  type ViewContext,
  type Piece,
  TAB,
  toned,
} from '../lines.js';
import type { ListView } from '../rows.js';
import { pad, safeText } from '../text.js';
import { localTime, tookTime } from '../time.js';
import { statePiece } from '../values.js';

/** Webhooks that wait for targets of earlier listeners. */
export function waitingElsewhereLines(waiting: ReadonlyArray<{ target: string; count: number }>): Line[] {
  const [first, ...others] = waiting;
  if (first === undefined) return [];
  const count = waiting.reduce((sum, each) => sum + each.count, 0);
  const where = others.length === 0 ? first.target : `${waiting.length} targets`;
  return [
    `${counted(count, 'webhook is', 'webhooks are')} waiting for ${where}, not among the targets of this listener. ` +
      'Add --forward-to to forward them there, or send one elsewhere:',
    joinPieces('  ', commandPiece(paydesk('webhook', 'replay', 'ID', '--to', 'URL'))),
  ];
}

const remarks: Readonly<Record<string, string>> = {
  several: 'several steps',
  duplicate: 'duplicate',
  stale: 'stale',
  missed: 'missed',
  made: 'made here',
};

const withoutState: Readonly<Record<string, string>> = {
  unknown: 'unknown payment',
  unread: 'not read',
  none: 'no payment named',
};

/** Where the webhook says another state than the service shows, that state is in the remark. */
function remarkOf(verdict: string, saidState: string | null): string | undefined {
  if (verdict === 'unconfirmed') return `says ${saidState ?? ''}`;
  return verdict === 'stale' && saidState !== null ? `stale: ${saidState}` : remarks[verdict];
}

/** `Capturing → Captured`, `Captured (duplicate)`, `Captured (stale: Capturing)`. */
export function changeLine({ verdict, state, previousState, saidState }: Delivery): Line {
  if (verdict === null) return toned('dim', saidState === null ? '…' : `${saidState}?`);
  if (state === null) return toned('bad', `? (${withoutState[verdict] ?? verdict})`);
  const moved = previousState !== null && previousState !== state;
  const remark = remarkOf(verdict, saidState);
  return joinPieces(
    ...(moved ? [previousState, ' → '] : []),
    statePiece(state === '' ? '?' : state),
    ...(remark === undefined ? [] : [toned(verdict === 'unconfirmed' ? 'bad' : 'dim', ` (${remark})`)]),
  );
}

const changeText = ({ state, previousState }: Delivery): string =>
  previousState !== null && state !== null && previousState !== state
    ? `${previousState} → ${state}`
    : (state ?? '');

function forwardPiece({ status, ms, outcome, attempts, chaos }: ForwardRecord, long: boolean): Piece[] {
  if (outcome === 'dropped') return [toned('dim', 'dropped by chaos')];
  if (outcome === 'failed' && attempts === 0) return [toned('bad', 'not sent')];
  if (attempts === 0) return [toned('dim', chaos === null ? '…' : `… (${chaos})`)];
  const tone = outcome === 'delivered' ? 'good' : outcome === 'failed' ? 'bad' : 'waiting';
  const code = toned(tone, status === null ? '---' : String(status));
  if (!long) return [code];
  const time = ms === null ? '' : tookTime(ms).padStart(7);
  const after = outcome === 'waiting' ? '  will retry' : outcome === 'failed' ? '  failed' : '';
  return [code, time, toned(tone === 'good' ? undefined : tone, after)];
}

/** Replays that failed at a place that has not accepted the webhook and had no forward of it: the last of each. */
function failedReplays(forwards: readonly ForwardRecord[]): ForwardRecord[] {
  const others = forwards.filter(({ replay, outcome }) => !replay || outcome === 'delivered');
  const known = new Set(others.map(({ place }) => place));
  const failed = forwards.filter(({ place, outcome }) => outcome === 'failed' && !known.has(place));
  return [...new Map(failed.map((forward) => [forward.place, forward])).values()];
}

/** What the targets answered: in full for one, by status for several. */
export function handlerLine({ forwards }: Delivery): Line {
  const own = [...forwards.filter(({ replay }) => !replay), ...failedReplays(forwards)];
  const shown = own.length === 0 ? forwards.slice(-1) : own;
  if (shown.length === 1) return forwardPiece(shown[0] as ForwardRecord, true);
  return joinPieces(
    ...shown.flatMap((forward, index) => [index > 0 ? ' ' : '', ...forwardPiece(forward, false)]),
  );
}

const handlerText = ({ forwards }: Delivery): string =>
  forwards
    .filter(({ outcome }) => outcome !== 'dropped')
    .map(({ status, outcome, error }) => (status === null ? (error ?? outcome) : String(status)))
    .join(' ');

export const clockTime = (time: number): string => localTime(new Date(time)).slice(11);

export const webhookList: ListView<Delivery> = {
  empty: 'No matching webhooks.',
  columns: [
    { key: 'id', align: 'right', number: true, value: ({ id }) => String(id) },
    {
      key: 'time',
      value: ({ time }) => new Date(time).toISOString(),
      shown: ({ time }, { now }) =>
        now.getTime() - time < 43_200_000 ? clockTime(time) : localTime(new Date(time)).slice(5, 16),
    },
    { key: 'payment', value: ({ paymentId }) => paymentId ?? '' },
    { key: 'reference', value: ({ referenceId }) => referenceId ?? '' },
    { key: 'state', value: changeText, shown: changeLine },
    { key: 'verdict', extra: 'terminal', value: ({ verdict }) => verdict ?? '' },
    { key: 'handler', value: handlerText, shown: handlerLine },
    { key: 'said', extra: true, value: ({ saidState }) => saidState ?? '' },
    { key: 'named', extra: true, value: ({ namedBy }) => namedBy ?? '' },
    { key: 'kind', extra: true, value: ({ kind }) => kind },
    { key: 'why', extra: true, value: ({ why }) => why ?? '' },
  ],
};

/** Most changes fit; one that does not moves what follows it. */
const STATE_WIDTH = 26;

/** One delivery in a log: aligned where a person looks at it, tabs in a pipe. */
export function deliveryLine(delivery: Delivery, context: ViewContext): Line {
  if (!context.terminal) {
    const values = webhookList.columns
      .filter(({ extra }) => extra !== true)
      .map(({ value }) => value(delivery));
    return joinPieces(...values.flatMap((value, index) => (index === 0 ? [value] : [TAB, value])));
  }
  return joinPieces(
    `  ${clockTime(delivery.time)}  `,
    pad(safeText(delivery.paymentId ?? '-'), 8),
    ' ',
    pad(safeText(delivery.referenceId ?? ''), 12),
    ' ',
    changeLine(delivery),
    ' '.repeat(Math.max(2, STATE_WIDTH - lineWidth(changeLine(delivery)))),
    handlerLine(delivery),
  );
}

/** One line of `webhook listen --json`: all that `webhook events --json` has of it. */
function deliveryJson(delivery: Delivery): Record<string, unknown> {
  return { event: 'delivery', ...keptJson(delivery) };
}

/** A delivery with all that is known of it, but for its bytes. */
export function keptJson(delivery: Delivery): Record<string, unknown> {
  const { id, kind, referenceId, namedBy, saidState, state, previousState, verdict, why } = delivery;
  const isoTime = (time: number | null) => (time === null ? null : new Date(time).toISOString());
  return {
    id,
    time: isoTime(delivery.time),
    kind,
    paymentId: numberJson(delivery.paymentId),
    referenceId,
    namedBy,
    saidState,
    state,
    previousState,
    verdict,
    duplicate: verdict === 'duplicate',
    why,
    readTime: isoTime(delivery.readTime),
    forwards: delivery.forwards.map(forwardJson),
  };
}

export function forwardJson(forward: ForwardRecord): Record<string, unknown> {
  const { to, status, ms, error, attempts, outcome, replay, chaos } = forward;
  return { to, status, ms, error, attempts, outcome, replay, chaos };
}

/** What happens besides deliveries, as a line of JSON; undefined for what is not shown. */
export function eventJson(event: ListenEvent): Record<string, unknown> | undefined {
  switch (event.type) {
    case 'settled':
    case 'left':
      return deliveryJson(event.delivery);
    case 'missed': {
      const { forwards: _, duplicate: __, ...rest } = deliveryJson(event.delivery);
      return { ...rest, event: 'missed' };
    }
    case 'down':
      return { event: 'down', why: event.why };
    case 'up':
      return { event: 'up', downMs: event.downMs };
    case 'url-changed':
      return { event: 'url-changed', url: event.url, previous: event.previous, payments: event.pointing };
    default:
      return undefined;
  }
}

/** The same for a person. */
export function eventLines(event: ListenEvent, secret: string): Line[] {
  switch (event.type) {
    case 'missed':
      return [
        joinPieces(
          'Missed: no webhook arrived for this change. To forward it: ',
          commandPiece(paydesk('webhook', 'replay', event.delivery.id, '--to', 'URL')),
        ),
      ];
    case 'down':
      return [joinPieces(toned('bad', 'Down'), `  ${shortened(event.why, secret)}`)];
    case 'up':
      return [joinPieces(toned('good', 'Up again'), `  after ${tookTime(event.downMs)}`)];
    case 'url-changed':
      return [
        joinPieces(toned('waiting', 'New address'), `  ${shortened(event.url, secret)}`),
        ...(event.pointing.length === 0
          ? []
          : [`${event.pointing.length} open payments still use the old address: ${someOf(event.pointing)}`]),
      ];
    default:
      return [];
  }
}

function someOf(ids: readonly string[]): string {
  return ids.slice(0, 5).join(', ') + (ids.length > 5 ? ', …' : '');
}

/** An address that can be shown: anyone with the whole of it can send anything here. */
export function shortened(text: string, secret: string): string {
  return text.replaceAll(secret, `${secret.slice(0, 2)}…${secret.slice(-2)}`);
}

export interface ReadyFacts {
  url: string;
  localUrl: string;
  secret: string;
  targets: readonly string[];
  chaos: string | undefined;
  chaosSeed: number | undefined;
  /** The command that makes a sandbox of this machine send its webhooks to an address. */
  connect?: ((url: string) => string) | undefined;
}

export function readyLines({ url, secret, targets, chaos }: ReadyFacts): Line[] {
  const to = targets.map((target) => target.replace(/^http:\/\//, ''));
  const [first, ...others] = to;
  return [
    joinPieces(
      toned('good', 'Ready'),
      `  ${shortened(url, secret)}`,
      ...(first === undefined ? [] : [toned('dim', '   →  '), first]),
    ),
    ...others.map((target) => `       and  ${target}`),
    ...(chaos === undefined ? [] : [toned('waiting', `Chaos: ${chaos}`)]),
  ];
}

export const thirdPartyLine = ({ name }: { name: string }): Line =>
  `The tunnel ${name} is run by a third party, who can read every webhook.`;
