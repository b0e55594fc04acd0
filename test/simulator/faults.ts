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
  'stale-read',
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

/** How rough a seed is. */
export interface Weather {
  /** The share of requests that something happens to. */
  network: number;
  /** The share of reads that a replica answers which lags behind. */
  stale: number;
  /** The share of writes to the ledger that fail. */
  disk: number;
  /** The share of processes that are killed. */
  kills: number;
  /** The share of the provider's answers that are lost or bad. */
  provider: number;
  /** When nothing gets through at all, from and to. */
  outages: ReadonlyArray<readonly [number, number]>;
}

export const calm: Weather = { network: 0, stale: 0, disk: 0, kills: 0, provider: 0, outages: [] };

export function weatherOf(random: Random, from: number, to: number): Weather {
  const rough = random.pick([0.05, 0.15, 0.4]);
  const outages = Array.from({ length: random.pick([0, 0, 1, 2]) }, () => {
    const start = random.between(from, to);
    return [start, start + random.between(5_000, 120_000)] as const;
  });
  return {
    network: rough,
    stale: random.pick([0, 0.1, 0.5]),
    disk: random.pick([0, 0.02, 0.1]),
    kills: random.pick([0.05, 0.2]),
    provider: random.pick([0, 0.05, 0.2]),
    outages,
  };
}

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
