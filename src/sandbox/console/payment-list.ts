import type { ExpressionBuilder } from 'kysely';
import { stateNames, type StateName } from '../../contract/states.js';
import type { Engine } from '../engine.js';
import type { PaymentRow, SandboxTables } from '../schema.js';
import {
  byBytes,
  compareBytes,
  endOfPrefix,
  mergeRanges,
  newestOf,
  pageOf,
  readKey,
  readNumberKey,
  writeKey,
  type Page,
  type Range,
} from './ranges.js';

const columns = [
  'payment_id',
  'app_id',
  'reference_id',
  'state',
  'amount',
  'currency',
  'customer_id',
  'created_time',
  'changed_time',
  'provider_knows',
] as const satisfies ReadonlyArray<keyof PaymentRow>;

export type ListedPayment = Pick<PaymentRow, (typeof columns)[number]>;

export const searchKinds = ['id', 'reference', 'customer'] as const;
export type SearchKind = (typeof searchKinds)[number];

export interface PaymentSearch {
  by: SearchKind;
  text: string;
}

export interface PaymentFilter {
  state?: StateName | undefined;
  app?: string | undefined;
  search?: PaymentSearch | undefined;
}

export interface PaymentPage extends Page<ListedPayment> {
  /** How many payments were looked at to find these, where no index knows the state as well. */
  looked?: number;
}

export const PAGE_SIZE = 30;
/** How far one page looks for payments in a state among those that a search found. */
const WINDOW = 500;

/** A page of payments: the newest first, or in the order of their references where those are searched. */
export async function listPayments(
  engine: Engine,
  filter: PaymentFilter,
  key: string | undefined,
  size = PAGE_SIZE,
): Promise<PaymentPage> {
  const { search } = filter;
  if (search?.by === 'id') return { rows: await withId(engine, filter, search.text) };
  if (search?.by === 'reference') return byReference(engine, filter, search.text, key, size);
  const before = readNumberKey(key);
  const keyOf = (row: ListedPayment) => [row.payment_id];
  if (search?.by === 'customer') {
    const ranges = (await appsOf(engine, filter)).map((app) =>
      newestWhere(engine, before, (eb) => eb.and({ app_id: app, customer_id: search.text })),
    );
    return inState(ranges, newerFirst, filter, size, keyOf);
  }
  const found = await mergeRanges(await rangesOf(engine, filter, before), newerFirst, size + 1);
  return pageOf(found, size, keyOf);
}

const newerFirst = (a: ListedPayment, b: ListedPayment) => b.payment_id - a.payment_id;

/** All payments are one range; each app and state is another, of an index. */
async function rangesOf(
  engine: Engine,
  filter: PaymentFilter,
  before: number,
): Promise<Array<Range<ListedPayment>>> {
  if (filter.app === undefined && filter.state === undefined) return [newestFirst(engine, before)];
  const apps = await appsOf(engine, filter);
  const states = filter.state === undefined ? stateNames : [filter.state];
  return apps.flatMap((app) =>
    states.map((state) => newestWhere(engine, before, (eb) => eb.and({ app_id: app, state }))),
  );
}

type Condition = (eb: ExpressionBuilder<SandboxTables, 'payments'>) => ReturnType<typeof eb.and>;

/** Of all payments, the order of the primary key is the right one. */
function newestFirst(engine: Engine, before: number): Range<ListedPayment> {
  return (limit) =>
    engine.store.db
      .selectFrom('payments')
      .select(columns)
      .where('payment_id', '<', before)
      .orderBy('payment_id', 'desc')
      .limit(limit)
      .execute();
}

function newestWhere(engine: Engine, before: number, where: Condition): Range<ListedPayment> {
  const newest = newestOf(engine.store.engine, 'payment_id');
  return (limit) =>
    engine.store.db
      .selectFrom('payments')
      .select(columns)
      .where(where)
      .where(newest.before(before))
      .orderBy(newest.order, newest.direction)
      .limit(limit)
      .execute();
}

async function byReference(
  engine: Engine,
  filter: PaymentFilter,
  prefix: string,
  key: string | undefined,
  size: number,
): Promise<PaymentPage> {
  const [afterReference, afterApp] = (readKey(key, ['string', 'string']) ?? []) as [string?, string?];
  const order = byBytes(engine.store.engine, 'reference_id');
  const ranges = (await appsOf(engine, filter)).map((app): Range<ListedPayment> => (limit) => {
    // The same reference in two apps: they come in the order of the apps.
    const inclusive = afterApp === undefined || app > afterApp;
    return engine.store.db
      .selectFrom('payments')
      .select(columns)
      .where('app_id', '=', app)
      .where(order, inclusive ? '>=' : '>', afterReference ?? prefix)
      .where(order, '<', endOfPrefix(prefix))
      .orderBy(order)
      .limit(limit)
      .execute();
  });
  const compare = (a: ListedPayment, b: ListedPayment) =>
    compareBytes(a.reference_id, b.reference_id) || (a.app_id < b.app_id ? -1 : 1);
  return inState(ranges, compare, filter, size, (row) => [row.reference_id, row.app_id]);
}

/** Those of a search that are in the state, found by looking at a bounded number of them. */
async function inState(
  ranges: ReadonlyArray<Range<ListedPayment>>,
  compare: (a: ListedPayment, b: ListedPayment) => number,
  { state }: PaymentFilter,
  size: number,
  keyOf: (row: ListedPayment) => Array<string | number>,
): Promise<PaymentPage> {
  if (state === undefined) return pageOf(await mergeRanges(ranges, compare, size + 1), size, keyOf);
  const found = await mergeRanges(ranges, compare, WINDOW + 1);
  const window = found.slice(0, WINDOW);
  const rows = window.filter((row) => row.state === state).slice(0, size);
  const last = rows.length === size ? rows.at(-1) : window.at(-1);
  const looked = last === undefined ? 0 : window.indexOf(last) + 1;
  const isMore = looked < found.length && last !== undefined;
  return { rows, looked, ...(isMore && { next: writeKey(keyOf(last)) }) };
}

async function withId(engine: Engine, { app, state }: PaymentFilter, text: string): Promise<ListedPayment[]> {
  const id = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(id)) return [];
  const found = await engine.store.db
    .selectFrom('payments')
    .select(columns)
    .where('payment_id', '=', id)
    .execute();
  return found.filter((row) => (app ?? row.app_id) === row.app_id && (state ?? row.state) === row.state);
}

/** What a text that was typed is likely to be: an id, the beginning of a reference, a customer. */
export async function guessSearch(engine: Engine, text: string, app?: string): Promise<PaymentSearch> {
  const [, prefix, rest] = /^(id|ref|customer):([\s\S]+)$/.exec(text) ?? [];
  if (rest !== undefined) {
    return { by: prefix === 'ref' ? 'reference' : (prefix as SearchKind), text: rest };
  }
  for (const by of searchKinds) {
    const search = { by, text };
    const { rows } = await listPayments(engine, { app, search }, undefined, 1);
    if (rows.length > 0) return search;
  }
  return { by: 'reference', text };
}

async function appsOf(engine: Engine, { app }: PaymentFilter): Promise<string[]> {
  return app === undefined ? (await engine.apps.all()).map((each) => each.app_id) : [app];
}
