import type { RepeatClass } from '../contract/endpoints.js';
import type { Clock } from './clock.js';

export interface RetryPolicy {
  attempts: number;
  baseMs: number;
  capMs: number;
}

export const retryPolicy: RetryPolicy = { attempts: 5, baseMs: 100, capMs: 5_000 };

/** What the retry needs to know of an attempt; `status` is that of an answer. */
interface Attempted {
  kind: 'answer' | 'open' | 'unsent' | 'lost';
  status?: number;
  failure?: { permanent: boolean };
  headers?: Record<string, string>;
  /** A success that could not be read: worth another try where reading is all there is. */
  unreadable?: boolean;
}

export interface Retried<T> {
  last: T;
  attempts: number;
  /** An attempt before the last one may have been carried out. */
  earlierMayHaveArrived: boolean;
  /** What the last answer asked us to wait. */
  retryAfterMs?: number | undefined;
}

export interface RetryBudget {
  take(): boolean;
  succeeded(): void;
}

/**
 * Retries that one client may spend. Each costs a token, and ten calls that go through earn one back, so that
 * an outage is met with hardly more requests than there are calls.
 */
export function createRetryBudget(capacity = 10, earned = 0.1): RetryBudget {
  let tokens = capacity;
  return {
    take() {
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
    succeeded() {
      tokens = Math.min(capacity, tokens + earned);
    },
  };
}

function isRetriable(repeat: RepeatClass, attempt: Attempted): boolean {
  if (attempt.kind === 'unsent') return !attempt.failure?.permanent;
  if (repeat === 'settle') return false;
  if (attempt.kind === 'lost') return !attempt.failure?.permanent;
  if (attempt.unreadable) return repeat === 'read';
  return isTemporaryStatus(attempt.status ?? 0);
}

export function isTemporaryStatus(status: number): boolean {
  return status >= 500 || status === 408 || status === 425 || status === 429;
}

/** Whether a request may have been carried out although there is no success to show for it. */
function mayHaveArrived(attempt: Attempted): boolean {
  if (attempt.kind === 'unsent') return false;
  if (attempt.kind === 'lost') return true;
  const status = attempt.status ?? 0;
  return status < 400 || status >= 500 || status === 408;
}

/** How long to wait after an attempt, of which the first is 1: at random, so that clients do not come back together. */
export function backoffMs({ baseMs, capMs }: RetryPolicy, attempt: number, random: () => number): number {
  return random() * Math.min(capMs, baseMs * 2 ** (attempt - 1));
}

export async function withRetry<T extends Attempted>(
  repeat: RepeatClass,
  attempt: (number: number, remainingMs: number) => Promise<T>,
  tools: {
    clock: Clock;
    random: () => number;
    budget: RetryBudget;
    policy?: RetryPolicy;
    overallMs: number;
    signal?: AbortSignal;
    /** Asked before a request is repeated that was sent, whatever its answer says. */
    mayRepeat?: () => Promise<boolean>;
    onRetry?: (event: { attempt: number; waitMs: number }) => void;
  },
): Promise<Retried<T>> {
  const { clock, random, budget, signal } = tools;
  const policy = tools.policy ?? retryPolicy;
  const deadline = clock.monotonic() + tools.overallMs;
  let earlierMayHaveArrived = false;
  for (let number = 1; ; number += 1) {
    const last = await attempt(number, Math.max(1, deadline - clock.monotonic()));
    const again = isRetriable(repeat, last);
    if ((last.kind === 'answer' || last.kind === 'open') && !again) budget.succeeded();
    const retryAfterMs = retryAfter(last.headers, clock.now());
    const result = { last, attempts: number, earlierMayHaveArrived, retryAfterMs };
    if (!again || number >= policy.attempts || signal?.aborted) return result;
    const waitMs = Math.ceil(Math.max(backoffMs(policy, number, random), retryAfterMs ?? 0));
    if (clock.monotonic() + waitMs >= deadline || !budget.take()) return result;
    tools.onRetry?.({ attempt: number, waitMs });
    await clock.sleep(waitMs, signal);
    const isOpen: boolean = earlierMayHaveArrived || mayHaveArrived(last);
    const wasSent = isOpen || last.kind !== 'unsent';
    if (wasSent && tools.mayRepeat && !(await tools.mayRepeat())) return result;
    if (signal?.aborted || clock.monotonic() >= deadline) return result;
    earlierMayHaveArrived = isOpen;
  }
}

/** Retry-After in seconds or as a date; a date is measured by the server's own clock where it tells it. */
export function retryAfter(headers: Record<string, string> | undefined, now: number): number | undefined {
  const value = headers?.['retry-after']?.trim();
  if (!value) return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  const until = Date.parse(value);
  if (Number.isNaN(until)) return undefined;
  const theirs = Date.parse(headers?.['date'] ?? '');
  return Math.max(0, until - (Number.isNaN(theirs) ? now : theirs));
}
