// What happened so far, from the service, the ledger and the webhook inbox.

import type { PaymentRead } from '../client/payment-calls.js';
import { NO_ANSWER_YET } from '../ledger/moves/entries.js';
import type { RecordedIntent } from '../ledger/moves/payment-record.js';
import type { OutcomeRow } from '../ledger/schema.js';
import type { Sources } from './records.js';
import type { Situation } from './situation.js';

export type TimelineEntry = {
  /** ISO 8601. */
  time: string;
} & (
  | { event: 'created' }
  /** Something that this desk sent. */
  | {
      event: 'sent';
      operation: string;
      operator: string;
      reason: string | null;
      ticket: string | null;
      batch: string | null;
    }
  /** Its outcome. */
  | {
      event: 'outcome';
      operation: string;
      outcome: string;
      state: string | null;
      why: string | null;
      operator: string;
    }
  | {
      event: 'webhook';
      said: string | null;
      read: string | null;
      forwards: Array<{ to: string; status: number | null }>;
    }
  /** The state was first seen then. */
  | { event: 'seen'; state: string }
  | { event: 'now'; state: string | null }
);

const RECENT_MS = 60_000;

export function timelineOf(
  read: PaymentRead,
  { record, webhooks }: Sources,
  situation: Situation,
): TimelineEntry[] {
  const iso = (time: number) => new Date(time).toISOString();
  const intents = record?.intents ?? [];
  const created: TimelineEntry[] =
    situation.createdTime === undefined ? [] : [{ time: iso(situation.createdTime), event: 'created' }];
  const known = record?.known;
  const entries: TimelineEntry[] = [
    ...intents.flatMap((intent) => ofIntent(intent)),
    ...webhooks.map(({ time, said, read: shown, forwards }): TimelineEntry => ({
      time: iso(time),
      event: 'webhook',
      said: said ?? null,
      read: shown ?? null,
      forwards,
    })),
  ];
  const isStateShown = entries.some((entry) => stateIn(entry) === known?.state);
  // A state that was first seen just now is what the last entry shows.
  const isOlder = known !== undefined && known.state_time < situation.now - RECENT_MS;
  if (isOlder && known.state !== '' && !isStateShown && known.state !== 'Created') {
    entries.push({ time: iso(known.state_time), event: 'seen', state: known.state });
  }
  // The creation is dated by the service, and comes first whatever its clock shows.
  return [
    ...created,
    ...entries.sort((a, b) => a.time.localeCompare(b.time)),
    { time: iso(situation.now), event: 'now', state: read.fields.paymentState ?? null },
  ];
}

function stateIn(entry: TimelineEntry): string | null {
  if (entry.event === 'outcome' || entry.event === 'seen' || entry.event === 'now') return entry.state;
  return entry.event === 'webhook' ? (entry.read ?? entry.said) : null;
}

function ofIntent(intent: RecordedIntent): TimelineEntry[] {
  const { operation, operator, reason, ticket, batch_id: batch, outcomes } = intent;
  return [
    {
      time: new Date(intent.time).toISOString(),
      event: 'sent',
      operation,
      operator,
      reason,
      ticket,
      batch,
    },
    ...outcomes.filter(isShown).map((outcome): TimelineEntry => ({
      time: new Date(outcome.time).toISOString(),
      event: 'outcome',
      operation,
      outcome: outcome.outcome,
      state: outcome.after_state,
      why: outcome.why,
      operator: outcome.operator,
    })),
  ];
}

/** A charge is on record as unknown before it leaves; that means nothing once something newer is known. */
const isShown = ({ why }: OutcomeRow, index: number, all: readonly OutcomeRow[]): boolean =>
  why !== NO_ANSWER_YET || index === all.length - 1;
