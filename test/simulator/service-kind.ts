// What kind of service a seed has: how far its replicas lag, what it calls its states, and what its recheck is good for.

import type { StateName } from '../../src/contract/states.js';
import type { Hostility } from './faults.ts';
import type { Random } from './random.ts';

/** The profile's promise about the service: what it did is shown within this time. */
export const QUIET_MS = 600_000;
/** A request spends this much at most between its first byte and the service, when it is not delayed. */
const LATENCY_MS = 1_000;

export type RecheckKind =
  /** Answers with the payment as it is. */
  | 'payment'
  /** Answers with the payment as a replica has it. */
  | 'lagging'
  /** 204, or 200 with no payment in it. */
  | 'empty'
  /** 404, 405 or 501; nothing is rechecked. */
  | 'unsupported';

export interface ServiceKind {
  /** How far the replicas lag, in milliseconds; each read is answered by one of them. */
  readonly lags: readonly number[];
  /** A payment is always read from the same replica. */
  readonly sticky: boolean;
  readonly recheck: RecheckKind;
  /** The service's own names, where they are not ours. */
  readonly names: Readonly<Partial<Record<StateName, string>>>;
  /** Those of them that the profile maps to ours. */
  readonly aliases: Readonly<Record<string, StateName>>;
  /** A request that is delayed arrives within this time: with the longest lag it is less than the quiet period. */
  readonly longestDelayMs: number;
}

const foreignNames: Readonly<Partial<Record<StateName, string>>> = {
  Held: 'OnHold',
  Authorised: 'Approved',
  Capturing: 'Settling',
  Captured: 'Settled',
  Refunding: 'RefundPending',
  Refunded: 'Reimbursed',
  Cancelling: 'VoidPending',
  Cancelled: 'Voided',
};

const lagSets: ReadonlyArray<readonly number[]> = [
  [0],
  [0],
  [4_000],
  [0, 500, 10_000],
  [0, 60_000],
  [150_000],
  [0, 3_000, 550_000],
  [595_000],
];

export function chooseServiceKind(random: Random): ServiceKind {
  const lags = random.pick(lagSets);
  const { names, aliases } = chooseNames(random);
  return {
    lags,
    sticky: random.chance(0.5),
    recheck: random.pick(['payment', 'payment', 'lagging', 'lagging', 'empty', 'unsupported'] as const),
    names,
    aliases,
    longestDelayMs: Math.min(450_000, QUIET_MS - Math.max(...lags) - LATENCY_MS),
  };
}

/** The same service, without what is not asked for. */
export function limited(kind: ServiceKind, only: readonly Hostility[]): ServiceKind {
  return {
    ...kind,
    ...(!only.includes('lag') && { lags: [0] }),
    ...(!only.includes('rechecks') && { recheck: 'payment' }),
    ...(!only.includes('names') && { names: {}, aliases: {} }),
  };
}

/** Half of the services use our names; of the others some are mapped whole, some in part, and some not at all. */
function chooseNames(random: Random): Pick<ServiceKind, 'names' | 'aliases'> {
  if (random.chance(0.5)) return { names: {}, aliases: {} };
  const share = random.pick([0.3, 1]);
  const mapped = random.pick([0, 0.5, 1]);
  const names: Partial<Record<StateName, string>> = {};
  const aliases: Record<string, StateName> = {};
  for (const [ours, theirs] of Object.entries(foreignNames) as Array<[StateName, string]>) {
    if (!random.chance(share)) continue;
    names[ours] = theirs;
    if (random.chance(mapped)) aliases[theirs] = ours;
  }
  return { names, aliases };
}

/** Whether the desk can recognise a state of this service. */
export function isKnown({ names, aliases }: ServiceKind, state: StateName): boolean {
  const theirs = names[state];
  return theirs === undefined || aliases[theirs] === state;
}
