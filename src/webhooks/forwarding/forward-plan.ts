import { randomUUID } from 'node:crypto';
import type { PlannedForward } from '../inbox/insert-forward.js';
import type { Chaos } from './chaos.js';
import type { Target } from './targets.js';

interface LaneParts {
  listenerId: number;
  paymentId: string | null;
  referenceId: string | null;
}

/** The forwards of one delivery to one target: one, or what chaos makes of it. */
export function planForwards(
  target: Target,
  { listenerId, paymentId, referenceId }: LaneParts,
  now: number,
  chaos: Chaos | undefined,
): PlannedForward[] {
  const payment = paymentId ?? (referenceId === null ? undefined : `ref:${referenceId}`);
  // One that names no payment need not wait for anything.
  const lane = [listenerId, target.key, payment ?? randomUUID()].join(' ');
  const effect = chaos?.next() ?? { done: [], waitMs: 0 };
  const { done, waitMs } = effect;
  const one: PlannedForward = {
    target,
    // One that is to be overtaken must not hold the others up.
    lane: done.includes('reorder') ? `${lane} ${randomUUID()}` : lane,
    dueTime: now + waitMs,
    chaos: done.length === 0 ? null : done.join(', '),
    dropped: done.includes('drop'),
    replay: false,
  };
  return done.includes('duplicate') ? [one, { ...one, chaos: `${one.chaos} (the second)` }] : [one];
}
