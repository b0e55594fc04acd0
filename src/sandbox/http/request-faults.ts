// Faults of a request: before it is carried out, and in its answer.

import { problems } from '../../contract/problem-codes.js';
import type { EndpointName } from '../../contract/endpoints.js';
import type { FaultKind } from '../domain/fault-kinds.js';
import type { TakenFault } from '../domain/faults.js';
import type { SandboxEngine } from '../engine.js';

const requestFaults: readonly FaultKind[] = [
  'latency',
  'rate-limit',
  'error-before-commit',
  'drop-before-commit',
  'error-after-commit',
  'drop-after-commit',
  'truncate',
  'stale-read',
];

/** What a fault answers with, on purpose. */
export class ServerFault extends Error {
  readonly status: number;

  constructor(status: number = problems.internal.status) {
    super('An internal error, made by a fault of the sandbox.');
    this.status = status;
  }
}

/** The faults that hit this request, used up by it. */
export async function takeFaults(engine: SandboxEngine, name: EndpointName): Promise<TakenFault[]> {
  if (!(await engine.faults.may(requestFaults, name))) return [];
  return engine.store.transaction((tx) => engine.faults.take(tx, requestFaults, name));
}

export const isHitBy = (faults: readonly TakenFault[], kind: FaultKind): boolean =>
  faults.some((fault) => fault.kind === kind);

/** Throws what a fault answers with in place of carrying the request out. */
export async function applyBefore(
  faults: readonly TakenFault[],
  rateLimited: (seconds: number) => Error,
  pause: Pause = pauseReally,
): Promise<void> {
  for (const fault of faults) {
    if (fault.kind === 'latency' && !fault.afterCommit) await pause(fault.delayMs ?? LATENCY_MS);
  }
  for (const fault of faults) {
    if (fault.kind === 'rate-limit') throw rateLimited(fault.retryAfterS ?? 1);
    if (fault.kind === 'error-before-commit') throw new ServerFault(fault.status);
  }
}

/** A refusal is an answer too: faults after the commit hit it just the same. */
export async function applyAfter<Answer extends { cut?: 'drop' | 'truncate' }>(
  faults: readonly TakenFault[],
  outcome: Answer,
  failed: (error: ServerFault) => Answer,
  pause: Pause = pauseReally,
): Promise<Answer> {
  let shaped = outcome;
  for (const fault of faults) {
    if (fault.kind === 'latency' && fault.afterCommit) await pause(fault.delayMs ?? LATENCY_MS);
    if (fault.kind === 'error-after-commit') shaped = failed(new ServerFault(fault.status));
    if (fault.kind === 'truncate') shaped = { ...shaped, cut: 'truncate' };
    if (fault.kind === 'drop-after-commit') shaped = { ...shaped, cut: 'drop' };
  }
  return shaped;
}

type Pause = (ms: number) => Promise<void>;

const LATENCY_MS = 1000;

function pauseReally(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
