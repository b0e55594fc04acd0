// The payments that this desk knows, sorted by what needs attention. The service has no list of its own.

import { stateNames } from '../contract/states.js';
import {
  type AppPlace,
  type OpenIntent,
  readKnown,
  readOpenIntents,
  type Span,
  spanQuery,
  statesQuery,
} from '../ledger/known-list.js';
import type { DeskTables, KnownPaymentRow } from '../ledger/schema.js';
import type { Store } from '../store/store.js';
import { type Action, commandsFor } from './action.js';
import { actionsFor } from './actions.js';
import type { Facts } from './facts.js';
import { knownFacts } from './known-facts.js';
import { patience, stuckStates } from './patience.js';
import type { Verdict } from './severity.js';
import { verdictOf } from './verdict.js';

export interface ListFilter {
  /** Our names where we have one. */
  states?: readonly string[] | undefined;
  stuck?: boolean;
  /** In their state for at least so long. */
  olderThanMs?: number | undefined;
  customer?: string | undefined;
  since?: number | undefined;
}

export interface ListedPayment {
  row: KnownPaymentRow;
  facts: Facts;
  verdict: Verdict;
  recommended: Action | undefined;
}

export interface ListOptions {
  store: Store<DeskTables>;
  place: AppPlace;
  now: number;
  quietMs: number;
  /** `--profile` as given, for the commands. */
  profile: string | undefined;
}

const PAGE = 100;

/** What needs attention first, a page at a time. */
export async function* listKnown(options: ListOptions, filter: ListFilter): AsyncGenerator<ListedPayment> {
  const { store, place } = options;
  const told = new Set<string>();
  for (const payment of await openAndStuck(options, filter)) {
    told.add(payment.row.payment_id);
    yield payment;
  }
  for (const span of await spansOf(options, filter)) {
    for (let last: KnownPaymentRow | undefined; ;) {
      const rows = await spanQuery(store.db, place, span, PAGE, last).execute();
      const fresh = rows.filter(({ payment_id }) => !told.has(payment_id));
      const open = await readOpenIntents(
        store.db,
        place,
        fresh.map(({ payment_id }) => payment_id),
      );
      yield* fresh.map((row) => listed(options, row, open));
      last = rows.at(-1);
      if (rows.length < PAGE) break;
    }
  }
}

/** The first so many, and whether there are more. */
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

function listed(options: ListOptions, row: KnownPaymentRow, intents: readonly OpenIntent[]): ListedPayment {
  const open = intents.find(({ payment_id }) => payment_id === row.payment_id);
  const facts = knownFacts(row, open, options);
  const [first] = actionsFor(facts, commandsFor(row.payment_id, options.profile));
  return { row, facts, verdict: verdictOf(facts), recommended: first?.recommended ? first : undefined };
}

/** Instructions of this desk whose outcome nobody knows, or which take too long, come before everything else. */
async function openAndStuck(options: ListOptions, filter: ListFilter): Promise<ListedPayment[]> {
  const { store, place } = options;
  const open = await readOpenIntents(store.db, place);
  const rows = await readKnown(
    store.db,
    place,
    open.map(({ payment_id }) => payment_id),
  );
  const order = new Map(open.map(({ payment_id, id }) => [payment_id, id]));
  return rows
    .map((row) => listed(options, row, open))
    .filter(({ verdict, row }) => verdict.stuck && passes(row, filter, options.now))
    .sort((a, b) => (order.get(a.row.payment_id) ?? 0) - (order.get(b.row.payment_id) ?? 0));
}

function passes(row: KnownPaymentRow, filter: ListFilter, now: number): boolean {
  const { states, olderThanMs, customer, since } = filter;
  return (
    (states === undefined || states.includes(row.state)) &&
    (olderThanMs === undefined || now - row.state_time >= olderThanMs) &&
    (customer === undefined || row.customer_id === customer) &&
    (since === undefined || (row.created_time ?? row.known_time) >= since)
  );
}

const waiting = ['Processing', 'Capturing', 'Refunding', 'Cancelling', 'ActionRequired', 'Created'];
const decisions = ['Authorised', 'Held'];
const over = ['Declined', 'Failed', 'Expired', 'Captured', 'Cancelled', 'Refunded'];

/** What to look through, the most pressing first; only states that there are. */
async function spansOf({ store, place, now }: ListOptions, filter: ListFilter): Promise<Span[]> {
  const { customer, since, olderThanMs } = filter;
  const { rows } = await statesQuery(place).execute(store.db);
  const known = rows.map(({ state }) => state);
  const wanted = known.filter((state) => filter.states === undefined || filter.states.includes(state));
  const unknown = wanted.filter((state) => !(stateNames as string[]).includes(state));
  const latest = olderThanMs === undefined ? undefined : now - olderThanMs;
  const overdue = (state: string) => now - ((patience as Record<string, number>)[state] ?? 0);
  const spans = (states: readonly string[], more: (state: string) => Partial<Span>): Span[] =>
    states
      .filter((state) => wanted.includes(state))
      .map((state) => ({ state, order: 'oldest', customer, since, to: latest, ...more(state) }));
  const least = (a: number, b: number | undefined) => (b === undefined ? a : Math.min(a, b));
  const stuck = spans(stuckStates, (state) => ({ to: least(overdue(state), latest) }));
  if (filter.stuck) return stuck;
  const notYet = (state: string): Partial<Span> => (state in patience ? { after: overdue(state) } : {});
  return [
    ...stuck,
    ...spans(decisions, notYet),
    ...spans(unknown, () => ({})),
    ...spans(waiting, notYet),
    ...spans(over, () => ({ order: 'newest' })),
  ];
}
