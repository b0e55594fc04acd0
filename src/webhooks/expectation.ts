// What a job waits for: a number of payments in a state, or a number of webhooks. Only what the service itself shows counts.

import { paydesk } from '../next-command.js';
import { counted, countText } from '../contract/amount-format.js';
import { canReach, comesBefore, hasBeen, isStateName, type StateName } from '../contract/states.js';
import { NotReachedError, type PaydeskError, PendingError, ServiceError } from '../errors.js';
import { safeText } from '../output/text.js';
import type { Delivery } from './inbox/delivery.js';
import { type Filter, mayPass, passes } from './forwarding/targets.js';

interface Expected {
  until: StateName | undefined;
  /** Payments that are to be in that state; without a state, webhooks that are no duplicates. */
  count: number | undefined;
  maxDuplicates: number | undefined;
  filter: Filter;
  /** Our name for a state that a webhook claims. */
  nameOf(said: string): string;
}

export interface WebhookExpectation {
  /** Something is waited for at all. */
  readonly waits: boolean;
  /** Payments or webhooks are counted, and the listener ends when there are enough. */
  readonly counts: boolean;
  /** A delivery that is still on its way. */
  noteArrival(delivery: Delivery): void;
  /**
   * A delivery that was read and passed on; says how it ends when it does. `nearly`: the service shows everything that is
   * waited for, and webhooks that say so are still to come.
   */
  noteSettled(delivery: Delivery): 'met' | 'nearly' | PaydeskError | undefined;
  /** The webhooks that were nearly there had their time, and only what the service shows counts. */
  stopWaiting(): 'met' | undefined;
  /** How it ends when the time is up; undefined when that is well. */
  timeUp(): PaydeskError | undefined;
}

export function createWebhookExpectation(expected: Expected): WebhookExpectation {
  const { until, count = 1, maxDuplicates, filter } = expected;
  const counts = until !== undefined || expected.count !== undefined;
  const waits = counts || maxDuplicates !== undefined;
  const payments = createPaymentTally(expected);
  /** Deliveries that a handler has not taken so far, with what it said. */
  const failing = new Map<number, string>();
  /** Deliveries that arrived and are not through. */
  const open = new Set<number>();
  /** Those of them that had arrived when there was enough: the handler has to accept them as well. */
  let last: Set<number> | undefined;
  let webhooks = 0;
  let duplicates = 0;
  let unread: string | undefined;
  let waitsForWebhooks = true;

  const anyPath = { ...filter, paths: [] };
  const concerns = (delivery: Delivery) =>
    delivery.kind === 'received' && passes(anyPath, { path: '', ...delivery });

  const progress = () => (until === undefined ? webhooks : payments.reached());
  const isEnough = () => counts && progress() >= count;

  function ending(): 'met' | 'nearly' | undefined {
    if (!isEnough()) return undefined;
    last ??= new Set(open);
    if (last.size > 0) return undefined;
    return waitsForWebhooks && payments.areWebhooksToCome() ? 'nearly' : 'met';
  }

  return {
    waits,
    counts,
    noteArrival(delivery) {
      if (delivery.kind === 'received' && mayPass(anyPath, { path: '', ...delivery })) open.add(delivery.id);
      const failure = delivery.forwards.find(
        ({ attempts, outcome }) => outcome === 'waiting' && attempts > 0,
      );
      if (failure === undefined) failing.delete(delivery.id);
      else failing.set(delivery.id, failureText(failure));
    },
    noteSettled(delivery) {
      failing.delete(delivery.id);
      open.delete(delivery.id);
      last?.delete(delivery.id);
      if (!concerns(delivery)) return ending();
      // Where the payment was not read, the handler was not asked.
      const refused = delivery.forwards.find(({ outcome, attempts }) => outcome === 'failed' && attempts > 0);
      if (refused !== undefined && waits) return handlerFailed(failureText(refused), delivery.id);
      if (delivery.verdict === 'duplicate') duplicates += 1;
      else webhooks += 1;
      if (maxDuplicates !== undefined && duplicates > maxDuplicates) {
        return tooManyDuplicates(duplicates, maxDuplicates);
      }
      if (!payments.note(delivery)) unread = delivery.why ?? 'it does not name a payment';
      if (isEnough()) return ending();
      return counts && payments.isHopeless(count) ? payments.notThere() : undefined;
    },
    stopWaiting() {
      waitsForWebhooks = false;
      last = new Set(open);
      return ending() === 'met' ? 'met' : undefined;
    },
    timeUp() {
      const [[id, how] = []] = failing;
      if (waits && id !== undefined && how !== undefined) return handlerFailed(how, id);
      if (isEnough()) {
        const [late] = last ?? [];
        return late === undefined ? undefined : notThrough(late);
      }
      if (until !== undefined && payments.isAnyElsewhere()) return payments.notThere();
      const [first] = open;
      if (webhooks + duplicates === 0) return first === undefined ? nothingCame() : notThrough(first);
      if (!counts) return undefined;
      const wanted = until === undefined ? counted(count, 'webhook') : `${countText(count)} in ${until}`;
      return tooFew(`${countText(progress())} of ${wanted}`, unread);
    },
  };
}

/** Which payments have reached the state, and where the others are. */
function createPaymentTally({ until, filter, nameOf }: Expected) {
  const reached = new Set<string>();
  const elsewhere = new Map<string, string>();
  /** Payments that are there, of which only webhooks about earlier states came. */
  const unsaid = new Set<string>();

  /** The service shows the state, or one that a payment gets to through it alone, and the webhook says that it was there. */
  function isThere({ state, saidState }: Delivery): boolean {
    if (state === null || until === undefined) return false;
    if (state === until) return true;
    if (saidState === null || nameOf(saidState) !== until) return false;
    return isStateName(state) && hasBeen(until, state);
  }

  /** A webhook about an earlier state is followed by one about the state itself. */
  function isAboutEarlier({ saidState }: Delivery): boolean {
    const said = saidState === null ? undefined : nameOf(saidState);
    return until !== undefined && said !== undefined && isStateName(said) && comesBefore(said, until);
  }

  function where(): string {
    const shown = [...elsewhere].slice(0, 3).map(([payment, state]) => `${payment} is ${safeText(state)}`);
    return (
      shown.join(', ') + (elsewhere.size > 3 ? ` and ${elsewhere.size - 3} more are in other states` : '')
    );
  }

  return {
    reached: () => reached.size,
    isAnyElsewhere: () => elsewhere.size > 0,
    areWebhooksToCome: () => unsaid.size > 0,
    /** False when the delivery shows no payment. */
    note(delivery: Delivery): boolean {
      const payment = delivery.paymentId ?? delivery.referenceId;
      if (payment === null || delivery.state === null) return false;
      const isFirst = !reached.has(payment);
      if (isThere(delivery)) reached.add(payment);
      if (!isAboutEarlier(delivery)) unsaid.delete(payment);
      else if (isFirst && reached.has(payment)) unsaid.add(payment);
      if (reached.has(payment)) elsewhere.delete(payment);
      else elsewhere.set(payment, delivery.state);
      return true;
    },
    /** Of the payments that were named on the command line, too few can still reach the state. */
    isHopeless(count: number): boolean {
      if (until === undefined || filter.payments.length === 0) return false;
      const lost = [...elsewhere.values()].filter((state) => isStateName(state) && !canReach(state, until));
      return filter.payments.length - lost.length < count;
    },
    notThere: () =>
      new NotReachedError(`A webhook arrived, but the service does not show ${until}: payment ${where()}.`, {
        code: 'other-state',
        next: [...elsewhere.keys()].slice(0, 3).map((id) => paydesk('payments', 'get', id)),
      }),
  };
}

/** What is wrong where a handler was asked and has not accepted one of these. */
export function handlerRefusal(deliveries: readonly Delivery[]): ServiceError | undefined {
  const refused = undelivered(deliveries).find(({ forward }) => forward.attempts > 0);
  return refused && handlerFailed(failureText(refused.forward), refused.id);
}

/** What is wrong where a handler has not accepted every one of these. */
export function notAccepted(deliveries: readonly Delivery[]): PaydeskError | undefined {
  const [late] = undelivered(deliveries);
  return handlerRefusal(deliveries) ?? (late && notThrough(late.id));
}

const undelivered = (deliveries: readonly Delivery[]) =>
  deliveries.flatMap(({ id, forwards }) =>
    forwards.filter(({ outcome }) => outcome !== 'delivered').map((forward) => ({ id, forward })),
  );

const tooManyDuplicates = (duplicates: number, allowed: number): NotReachedError =>
  new NotReachedError(`${counted(duplicates, 'duplicate')} arrived, but --max-duplicates is ${allowed}.`, {
    code: 'too-many-duplicates',
    next: [paydesk('webhook', 'events')],
  });

const nothingCame = (): PendingError =>
  new PendingError('No webhook arrived before the time limit.', { code: 'nothing-came' });

/** `unread` is why one of them could not be read. */
function tooFew(reached: string, unread: string | undefined): PendingError {
  const more = unread === undefined ? '' : ` One could not be read: ${unread}.`;
  return new PendingError(`The time limit was reached after ${reached}.${more}`, {
    code: 'time-up',
    next: [paydesk('webhook', 'events')],
  });
}

const notThrough = (id: number): PendingError =>
  new PendingError(`Webhook ${id} was not read and forwarded in time.`, {
    code: 'time-up',
    next: [paydesk('webhook', 'show', id)],
  });

const failureText = ({ to, status, error }: Delivery['forwards'][number]): string =>
  status === null ? `${to}: ${error ?? 'no answer'}` : `${to} answered ${status}`;

const handlerFailed = (how: string, id: number): ServiceError =>
  new ServiceError(`The handler did not accept a webhook: ${how}.`, {
    code: 'handler-failed',
    next: [paydesk('webhook', 'show', id), paydesk('webhook', 'replay', id)],
  });
