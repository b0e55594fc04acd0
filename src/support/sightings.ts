// Since when a payment has been in its state, from all the times that it was seen.

import type { SettleOperation } from '../client/outcome.js';
import { isStateName, operationStates, type StateName } from '../contract/states.js';
import type { PaymentRecord } from '../ledger/payment-record.js';
import type { Age } from './facts.js';
import type { Heard } from './heard.js';
import { isOverdue } from './patience.js';

/** The payment was in this state at this time. */
interface Sighting {
  time: number;
  state: string;
  /** It came to be in it at that time, and not some time before. */
  change: boolean;
}

// Two sightings so close to each other date a change well enough.
const CLOSE_MS = 60_000;

export interface Seen {
  age: Age | undefined;
  /** The instruction that was under way before and came back. */
  bounced: SettleOperation | undefined;
}

export function judgeSightings(
  current: string,
  sources: {
    createdTime: number | undefined;
    record: PaymentRecord | undefined;
    heard: readonly Heard[];
    canonical: (name: string) => string;
  },
  now: number,
): Seen {
  const { createdTime } = sources;
  const seen = [...recorded(sources), ...told(sources)].sort((a, b) => a.time - b.time);
  // By the service's own clock, and before everything else whatever that clock shows.
  if (createdTime !== undefined) seen.unshift({ time: createdTime, state: 'Created', change: true });
  const last = seen.findLastIndex(({ state }) => state !== current);
  const since = seen.slice(last + 1);
  // A webhook that came before may have led to a read of this state already; the one that tells of it dates it.
  const dated = since.find(({ time, change }) => change && time - (since[0]?.time ?? 0) <= CLOSE_MS);
  const first = dated ?? since[0];
  const before = seen[last];
  // The creation itself says nothing of when it was left.
  const close =
    last > 0 && first !== undefined && before !== undefined && first.time - before.time <= CLOSE_MS;
  return {
    age: ageOf(current, { first, exact: first?.change === true || close, before }, now),
    bounced: before && bouncedBy(before.state, current),
  };
}

/** What is known for certain, unless that leaves open whether it has been too long. */
function ageOf(
  current: string,
  { first, exact, before }: { first: Sighting | undefined; exact: boolean; before: Sighting | undefined },
  now: number,
): Age | undefined {
  const since = (time: number) => Math.max(0, now - time);
  const least = first && since(first.time);
  if (least !== undefined && exact) return { ms: least, certainty: 'exact' };
  const most = before && since(before.time);
  const overdue = (ms: number) => isStateName(current) && isOverdue(current, ms);
  if (least !== undefined && (most === undefined || overdue(least) || !overdue(most))) {
    return { ms: least, certainty: 'at-least' };
  }
  return most === undefined ? undefined : { ms: most, certainty: 'up-to' };
}

type Sources = Parameters<typeof judgeSightings>[1];

function recorded({ record, canonical }: Sources): Sighting[] {
  if (record === undefined) return [];
  const { known, intents } = record;
  const read = (time: number, state: string | null): Sighting[] =>
    state === null || state === '' ? [] : [{ time, state: canonical(state), change: false }];
  return [
    ...(known === undefined ? [] : read(known.state_time, known.state)),
    ...intents.flatMap(({ time, before_state, outcomes }) => [
      ...read(time, before_state),
      ...outcomes.flatMap((outcome) => read(outcome.time, outcome.after_state)),
    ]),
  ];
}

/** Anybody can send a webhook, so what counts is the read that it led to; one that the read bears out dates the change. */
function told({ heard, canonical }: Sources): Sighting[] {
  return heard.flatMap(({ time, said, read, late }) => {
    if (read === undefined) return [];
    const state = canonical(read);
    return [{ time, state, change: !late && said !== undefined && canonical(said) === state }];
  });
}

export function bouncedBy(before: string, current: string): SettleOperation | undefined {
  for (const [operation, { during, end }] of Object.entries(operationStates)) {
    if (before === during && current !== during && current !== end && !beyond[end]?.includes(current)) {
      return operation as SettleOperation;
    }
  }
  return undefined;
}

/** What is reached only by way of an end. */
const beyond: Partial<Record<StateName, readonly string[]>> = { Captured: ['Refunding', 'Refunded'] };
