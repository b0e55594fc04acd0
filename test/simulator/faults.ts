// What may go wrong on the way, decided by the seed alone.

import type { Random } from './random.ts';

export const faultKinds = [
  'refused-connection',
  'lost-before-arrival',
  'late-arrival',
  'answer-lost',
  'error-before-commit',
  'error-after-commit',
  'rate-limited',
  'truncated-body',
  'garbled-body',
  'slow-answer',
  'false-status-after-commit',
  'false-status-before-commit',
  'says-failure-after-commit',
  'says-failure-before-commit',
  'stale-read',
  'stale-recheck',
  'empty-recheck',
  'unsupported-recheck',
  'foreign-state',
  'other-id',
  'other-spelling',
  'paused',
  'clock-jump',
  'restart',
  'takeover',
  'ledger-restored',
  'ledger-replaced',
  'ledger-removed',
  'outage',
  'disk-full',
  'commit-unknown',
  'killed',
  'interrupted',
  'provider-silent',
  'provider-fails',
  'charge-failed',
] as const;
export type FaultKind = (typeof faultKinds)[number];
export type FaultCounts = Record<FaultKind, number>;

export const noFaults = (): FaultCounts =>
  Object.fromEntries(faultKinds.map((kind) => [kind, 0])) as FaultCounts;

/** What makes a world hostile; a run can be limited to some of it to see which part of it a bug needs. */
export const hostilities = [
  'lies',
  'lag',
  'rechecks',
  'names',
  'pauses',
  'clocks',
  'restarts',
  'spellings',
  'ledgers',
  'opposites',
] as const;
export type Hostility = (typeof hostilities)[number];

/** How rough a seed is. */
export interface Weather {
  /** The share of requests that something happens to. */
  network: number;
  /** The share of instructions that are answered with something that is not so. */
  lies: number;
  /** The share of processes that are paused for a while, like a laptop whose lid is closed. */
  pauses: number;
  /** The share of writes to the ledger that fail. */
  disk: number;
  /** The share of processes that are killed. */
  kills: number;
  /** The share of the provider's answers that are lost or bad. */
  provider: number;
  /** When nothing gets through at all, from and to. */
  outages: ReadonlyArray<readonly [number, number]>;
}

export const calm: Weather = { network: 0, lies: 0, pauses: 0, disk: 0, kills: 0, provider: 0, outages: [] };

export function weatherOf(random: Random, from: number, to: number): Weather {
  const rough = random.pick([0.05, 0.15, 0.4]);
  const outages = Array.from({ length: random.pick([0, 0, 1, 2]) }, () => {
    const start = random.between(from, to);
    return [start, start + random.between(5_000, 120_000)] as const;
  });
  return {
    network: rough,
    lies: random.pick([0, 0.2, 0.6]),
    pauses: random.pick([0, 0.15, 0.4]),
    disk: random.pick([0, 0.02, 0.1]),
    kills: random.pick([0.05, 0.2]),
    provider: random.pick([0, 0.05, 0.2]),
    outages,
  };
}

/** Of instructions alone: the service did it, or did not, and answers whatever it likes. */
export const lies = [
  'false-status-after-commit',
  'false-status-before-commit',
  'says-failure-after-commit',
  'says-failure-before-commit',
] as const satisfies readonly FaultKind[];
export type Lie = (typeof lies)[number];

export type RequestFault = Extract<
  FaultKind,
  | 'refused-connection'
  | 'lost-before-arrival'
  | 'late-arrival'
  | 'answer-lost'
  | 'error-before-commit'
  | 'error-after-commit'
  | 'rate-limited'
  | 'truncated-body'
  | 'garbled-body'
  | 'slow-answer'
>;

export const requestFaults: readonly RequestFault[] = [
  'refused-connection',
  'lost-before-arrival',
  'late-arrival',
  'answer-lost',
  'error-before-commit',
  'error-after-commit',
  'rate-limited',
  'truncated-body',
  'garbled-body',
  'slow-answer',
];
