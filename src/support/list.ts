// Known payments, sorted by what needs attention. The service has no list of its own.

import type { Client } from '../client/client.js';
import {
  type SettleOperation,
  stateNames,
  states as contractStates,
  statesAwaitingProvider,
} from '../contract/states.js';
import { madeTime } from '../ledger/known/also-paid.js';
import { readUnsettledIds, type Span, spanQuery, statesQuery } from '../ledger/known/list.js';
import type { AppRef } from '../ledger/payment-ref.js';
import { type PaymentRecord, readPaymentRecords } from '../ledger/moves/payment-record.js';
import type { DeskTables, KnownPaymentRow } from '../ledger/schema.js';
import type { Store } from '../store/store.js';
import { unknownStateName } from '../payments/unknown-state-name.js';
import { type Action, commandsFor, onlyReads } from './action.js';
import { actionsFor } from './actions.js';
import { conditionOf, type PaymentCondition } from './condition.js';
import { gatherKnown, type GatherOptions } from './gather.js';
import { OVERDUE_AFTER_MS, overdueStates } from './overdue.js';
import type { Situation } from './situation.js';
import { severities, type Verdict, verdictOf } from './verdict.js';

export interface ListFilter {
  /** Our names where we have one. */
  states?: readonly string[] | undefined;
  /** Only what is overdue, was not carried out, or has an unknown outcome. */
  stuck?: boolean;
  /** Seen in their state for at least this long. */
  olderThanMs?: number | undefined;
  customer?: string | undefined;
  since?: number | undefined;
}

export interface ListedPayment {
  row: KnownPaymentRow;
  situation: Situation;
  verdict: Verdict;
  recommended: Action | undefined;
}

interface ListOptions extends GatherOptions {
  store: Store<DeskTables>;
  app: AppRef;
  /** Knows the names of states. */
  client: Pick<Client, 'canonicalState'>;
  /** `--profile` as given, for the commands. */
  profile: string | undefined;
  /** Nothing may be changed at the service, so that only reads are recommended. */
  readOnly?: boolean;
}

/** Our names of the states that were typed; a name that no known payment has either is an error. */
export async function findStates(
  { store, app, client }: Pick<ListOptions, 'store' | 'app' | 'client'>,
  typed: readonly string[],
): Promise<string[]> {
  const { rows } = await statesQuery(app).execute(store.db);
  const names = [...new Set([...stateNames, ...rows.map(({ state }) => state).filter(Boolean)])];
  return typed.map((name) => {
    const plain = name.toLowerCase();
    const state =
      client.canonicalState(name) ??
      names.find((one) => one === name) ??
      names.find((one) => one.toLowerCase() === plain);
    if (state === undefined) throw unknownStateName(name, names);
    return state;
  });
}

const PAGE_SIZE = 100;

/** What needs attention first, a page at a time. */
async function* listKnown(options: ListOptions, filter: ListFilter): AsyncGenerator<ListedPayment> {
  const { store, app } = options;
  const shown = new Set<string>();
  for (const payment of await unsettled(options, filter)) {
    shown.add(payment.row.payment_id);
    yield payment;
  }
  for (const span of await spansOf(options, filter)) {
    for (let last: KnownPaymentRow | undefined; ;) {
      const rows = await spanQuery(store.db, app, span, PAGE_SIZE, last).execute();
      const fresh = rows.filter(({ payment_id }) => !shown.has(payment_id));
      const ids = fresh.map(({ payment_id }) => payment_id);
      const records = await readPaymentRecords(store.db, app, ids);
      for (const row of fresh) {
        const payment = listed(options, row, records.get(row.payment_id));
        if (!filter.stuck || payment.verdict.stuck) yield payment;
      }
      last = rows.at(-1);
      if (rows.length < PAGE_SIZE) break;
    }
  }
}

/** How many payments are read again for one list at most. */
export const MAX_REFRESHED = 1_000;
/** Where payments normally stay; a failed refund of one is recorded, and listed whatever its state. */
const settled: readonly string[] = stateNames.filter(
  (state) => state === 'Captured' || contractStates[state].final,
);

/**
 * What to read again before payments that need attention are listed: those listed so far, and every other one that may
 * have got stuck since it was last seen, the newest first. `left` says whether some were left out.
 */
export async function takeUnsettled(
  options: ListOptions,
  { customer, since }: ListFilter,
): Promise<{ rows: KnownPaymentRow[]; left: boolean }> {
  const { store, app } = options;
  const { rows: known } = await statesQuery(app).execute(store.db);
  const found: KnownPaymentRow[] = [];
  for (const { state } of known.filter((one) => !settled.includes(one.state))) {
    const span: Span = { state, order: 'newest', customer, since };
    found.push(...(await spanQuery(store.db, app, span, MAX_REFRESHED + 1).execute()));
  }
  found.sort((a, b) => b.since_time - a.since_time);
  const listedNow = (await unsettled(options, { customer, since })).map(({ row }) => row);
  const rows = new Map([...listedNow, ...found].map((row) => [row.payment_id, row]));
  return { rows: [...rows.values()].slice(0, MAX_REFRESHED), left: rows.size > MAX_REFRESHED };
}

/** The first `limit` payments, and whether there are more. */
export async function takeListed(
  options: ListOptions,
  filter: ListFilter,
  limit: number,
): Promise<{ listed: ListedPayment[]; more: boolean }> {
  const taken: ListedPayment[] = [];
  for await (const payment of listKnown(options, filter)) {
    if (taken.length === limit) return { listed: taken, more: true };
    taken.push(payment);
  }
  return { listed: taken, more: false };
}

function listed(
  options: ListOptions,
  row: KnownPaymentRow,
  record: PaymentRecord | undefined,
): ListedPayment {
  const situation = gatherKnown(row, record, options.client, options);
  const [first] = actionsFor(situation, commandsFor(row.payment_id, options.profile));
  return {
    row,
    situation,
    verdict: verdictOf(situation),
    recommended: first?.recommended && (!options.readOnly || onlyReads(first)) ? first : undefined,
  };
}

/** Instructions that failed, were not carried out or have an unknown outcome come before everything else. */
async function unsettled(options: ListOptions, filter: ListFilter): Promise<ListedPayment[]> {
  const { store, app } = options;
  const ids = await readUnsettledIds(store.db, app);
  const found: ListedPayment[] = [];
  for (let start = 0; start < ids.length; start += PAGE_SIZE) {
    const records = await readPaymentRecords(store.db, app, ids.slice(start, start + PAGE_SIZE));
    for (const record of records.values()) {
      if (record.known && passes(record.known, filter, options.now)) {
        found.push(listed(options, record.known, record));
      }
    }
  }
  const order = ({ verdict, situation }: ListedPayment): [number, number] => [
    severities.indexOf(verdict.severity),
    situation.last?.time ?? 0,
  ];
  return found
    .filter(({ verdict }) => verdict.stuck)
    .sort((a, b) => order(a)[0] - order(b)[0] || order(a)[1] - order(b)[1]);
}

function passes(row: KnownPaymentRow, filter: ListFilter, now: number): boolean {
  const { states, olderThanMs, customer, since } = filter;
  return (
    (states === undefined || states.includes(row.state)) &&
    (olderThanMs === undefined || now - row.state_time >= olderThanMs) &&
    (customer === undefined || row.customer_id === customer) &&
    (since === undefined || madeTime(row) >= since)
  );
}

const waiting = [...statesAwaitingProvider, 'ActionRequired', 'Created'];
const decisions = ['Authorised', 'Held'];
const finished = ['Declined', 'Failed', 'Expired', 'Captured', 'Cancelled', 'Refunded'];

/** What to look through, the most pressing first; only states that known payments are in. */
async function spansOf({ store, app, now }: ListOptions, filter: ListFilter): Promise<Span[]> {
  const { customer, since, olderThanMs } = filter;
  const { rows } = await statesQuery(app).execute(store.db);
  const known = rows.map(({ state }) => state);
  const wanted = known.filter((state) => filter.states === undefined || filter.states.includes(state));
  const unknown = wanted.filter((state) => !(stateNames as string[]).includes(state));
  const seenBy = olderThanMs === undefined ? undefined : now - olderThanMs;
  const overdueSince = (state: string) => now - ((OVERDUE_AFTER_MS as Record<string, number>)[state] ?? 0);
  const spans = (states: readonly string[], more: (state: string) => Partial<Span>): Span[] =>
    states
      .filter((state) => wanted.includes(state))
      .map((state) => ({ state, order: 'oldest', customer, since, to: seenBy, seenBy, ...more(state) }));
  const overdue = spans(overdueStates, (state) => ({
    to: Math.min(overdueSince(state), seenBy ?? Infinity),
  }));
  if (filter.stuck) return overdue;
  const notYet = (state: string): Partial<Span> =>
    state in OVERDUE_AFTER_MS ? { after: overdueSince(state) } : {};
  return [
    ...overdue,
    ...spans(decisions, notYet),
    ...spans(unknown, () => ({})),
    ...spans(waiting, notYet),
    ...spans(finished, () => ({ order: 'newest' })),
  ];
}

/** Payments that were found, each with its verdict. */
export async function assessFound<T extends { row: KnownPaymentRow }>(
  options: ListOptions,
  found: readonly T[],
): Promise<Array<T & ListedPayment>> {
  const ids = found.map(({ row }) => row.payment_id);
  const records = await readPaymentRecords(options.store.db, options.app, ids);
  return found.map((item) => ({ ...item, ...listed(options, item.row, records.get(item.row.payment_id)) }));
}

/** A payment of a list, as this desk knows it by now. */
export async function assessAgain<T extends ListedPayment>(options: ListOptions, item: T): Promise<T> {
  const { payment_id } = item.row;
  const record = (await readPaymentRecords(options.store.db, options.app, [payment_id])).get(payment_id);
  return { ...item, ...listed(options, record?.known ?? item.row, record) };
}

export interface FailedOperation {
  operation: SettleOperation;
  verdict: string;
}

/** The payments whose last instruction was not carried out, as this desk just saw them. */
export async function findFailed(
  options: ListOptions,
  paymentIds: readonly string[],
): Promise<Map<string, FailedOperation>> {
  const failed = new Map<string, FailedOperation>();
  const records = await readPaymentRecords(options.store.db, options.app, paymentIds);
  for (const [paymentId, record] of records) {
    if (!record.known) continue;
    const { situation, verdict } = listed(options, record.known, record);
    const condition = conditionOf(situation);
    if ('operation' in condition && failing.includes(condition.kind))
      failed.set(paymentId, { operation: condition.operation, verdict: verdict.text });
  }
  return failed;
}

const failing: ReadonlyArray<PaymentCondition['kind']> = [
  'came-back',
  'not-done',
  'charged-anyway',
  'seen-failing',
];
