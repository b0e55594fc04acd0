import { counted } from '../../contract/amount-format.js';
import { isLoopbackUrl } from '../../loopback.js';
import type { ForwardRecord } from '../../webhooks/inbox/delivery.js';
import { machineOf } from '../../webhooks/inbox/target-place.js';
import type { Replayed } from '../../webhooks/forwarding/replay.js';
import { type Line, toned } from '../lines.js';
import type { ListView } from '../rows.js';
import { tookTime } from '../time.js';

const tone = ({ attempt: { status } }: Replayed) =>
  status !== null && status >= 200 && status < 300 ? 'good' : 'bad';

/** What was sent, and what came back. */
export const replayList: ListView<Replayed> = {
  empty: 'No matching webhooks.',
  columns: [
    { key: 'id', align: 'right', number: true, value: ({ delivery }) => String(delivery.id) },
    { key: 'payment', value: ({ delivery }) => delivery.paymentId ?? '' },
    { key: 'state', value: ({ delivery }) => delivery.state ?? '' },
    { key: 'to', value: ({ to }) => to },
    {
      key: 'status',
      value: ({ attempt }) => (attempt.status === null ? (attempt.error ?? '') : String(attempt.status)),
      shown: (replayed) => toned(tone(replayed), String(replayed.attempt.status ?? replayed.attempt.error)),
    },
    {
      key: 'ms',
      title: 'time',
      align: 'right',
      number: true,
      value: ({ attempt }) => String(attempt.ms),
      shown: ({ attempt }) => tookTime(attempt.ms),
    },
    { key: 'answer', extra: true, value: ({ attempt }) => attempt.answer ?? '' },
  ],
};

export function replayedJson({ delivery, to, attempt }: Replayed): Record<string, unknown> {
  const { status, ms, error, answer } = attempt;
  return { id: delivery.id, to, status, ms, error, answer };
}

/** Webhooks of a live app that go to another machine are pointed out. */
export function targetNote(kind: 'sandbox' | 'live' | undefined, url: string): Line[] {
  if (isLoopbackUrl(url)) return [];
  const { host } = new URL(url);
  return [`${kind === 'live' ? 'Of a live app: this' : 'This'} goes to ${host}, not to this machine.`];
}

/** A local address of another machine cannot be reached from here. */
export const elsewhereNote = (forward: ForwardRecord, count: number): Line =>
  `${counted(count, 'webhook was', 'webhooks were')} not sent to ${forward.to} on ${machineOf(forward)}. ` +
  'Run the command there, or choose a target with --to.';

export const stoppedNote = (unsent: number): Line =>
  `Stopped before the end: ${counted(unsent, 'webhook was', 'webhooks were')} not sent.`;
