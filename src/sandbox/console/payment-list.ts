import type { ExpressionBuilder } from 'kysely';
import { amountProblem, fromHundredths, toHundredths } from '../../contract/money.js';
import type { StateName } from '../../contract/states.js';
import type { SandboxEngine } from '../engine.js';
import type { PaymentRow, SandboxTables } from '../schema.js';
import {
  byBytes,
  MAX_COUNT,
  compareBytes,
  endOfPrefix,
  mergeRanges,
  newestOf,
  pageOf,
  readAhead,
  readKey,
  readNumberKey,
  writeKey,
  type RangePage,
  type Range,
} from './ranges.js';
import { DAY_MS } from '../../day.js';

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

export type ConsolePayment = Pick<PaymentRow, (typeof columns)[number]>;

export const searchKinds = ['id', 'reference', 'customer', 'amount', 'date'] as const;
type SearchKind = (typeof searchKinds)[number];

export interface PaymentSearch {
  by: SearchKind;
  text: string;
}

export interface PaymentFilter {
  state?: StateName | undefined;
  app?: string | undefined;
  search?: PaymentSearch | undefined;
}

export interface PaymentListPage extends RangePage<ConsolePayment> {
  /** How many payments were looked at to find these, where no index knows the state as well. */
  looked?: number;
}

export const PAGE_SIZE = 30;
/** How far one page looks for payments in a state among those that a search found. */
const WINDOW_SIZE = 500;

/** A page of payments: the newest first, or in the order of their references where those are searched. */
export async function listPayments(
  engine: SandboxEngine,
  filter: PaymentFilter,
  key: string | undefined,
  size = PAGE_SIZE,
): Promise<PaymentListPage> {
  const { search } = filter;
  if (search?.by === 'id') {
    const rows = await withId(engine, filter, search.text);
    return { rows, total: rows.length };
  }
  if (search?.by === 'reference') return byReference(engine, filter, search.text, key, size);
  const before = readNumberKey(key);
  const keyOf = (row: ConsolePayment) => [row.payment_id];
  if (search?.by === 'customer') {
    const ranges = (await appsOf(engine, filter)).map((app) =>
      newestWhere(engine, before, (eb) => eb.and({ app_id: app, customer_id: search.text })),
    );
    return among(ranges, newerFirst, inState(filter), key, size, keyOf);
  }
  if (search?.by === 'amount') return byAmount(engine, filter, search.text, key, size);
  if (search?.by === 'date') {
    const days = readDays(search.text);
    return days ? byTime(engine, filter, days, key, size) : { rows: [], total: 0 };
  }
  // No index has an app's payments in the order of their ids; that of their creation is the same.
  if (filter.app !== undefined && filter.state === undefined) {
    return byTime(engine, filter, { start: 0, end: Number.MAX_SAFE_INTEGER }, key, size);
  }
  const ranges = await rangesOf(engine, filter, before);
  return pageOf(await mergeRanges(ranges, newerFirst, readAhead(key, size)), size, keyOf, key);
}

/** However the amount was written when it was stored: 149.9, 149.90. */
async function byAmount(
  engine: SandboxEngine,
  filter: PaymentFilter,
  text: string,
  key: string | undefined,
  size: number,
): Promise<PaymentListPage> {
  const wanted = readAmount(text);
  if (!wanted) return { rows: [], total: 0 };
  const ranges = (await appsOf(engine, filter)).flatMap((app) =>
    wanted.spellings.map((amount) =>
      newestWhere(engine, readNumberKey(key), (eb) => eb.and({ app_id: app, amount })),
    ),
  );
  const { currency } = wanted;
  const fits =
    currency === undefined
      ? inState(filter)
      : (row: ConsolePayment) => row.currency === currency && (filter.state ?? row.state) === row.state;
  return among(ranges, newerFirst, fits, key, size, (row) => [row.payment_id]);
}

/** `149.90`, `EUR 149.90`, `1,249.9`. */
function readAmount(text: string): { currency: string | undefined; spellings: string[] } | undefined {
  const [, currency, typed = ''] = /^(?:([A-Z]{3})\s*)?(\d[\d,]*(?:\.\d{1,2})?)$/.exec(text) ?? [];
  const amount = typed.replaceAll(',', '');
  if (amountProblem(amount) !== undefined) return undefined;
  const exact = fromHundredths(toHundredths(amount));
  const spellings = [exact, exact.replace(/0$/, ''), exact.replace(/\.00$/, '')];
  return { currency, spellings: [...new Set(spellings)] };
}

/** Created at a time of the sandbox's clock, the last one first. */
async function byTime(
  engine: SandboxEngine,
  filter: PaymentFilter,
  { start, end }: TimeSpan,
  key: string | undefined,
  size: number,
): Promise<PaymentListPage> {
  const [time, id] = readKey(key, ['number', 'number']) ?? [end, 0];
  const ranges = (await appsOf(engine, filter)).map(
    (app): Range<ConsolePayment> =>
      (limit) =>
        engine.store.db
          .selectFrom('payments')
          .select(columns)
          .where('app_id', '=', app)
          .where('created_time', '>=', start)
          .where((eb) => eb(eb.refTuple('created_time', 'payment_id'), '<', eb.tuple(time, id)))
          .orderBy('created_time', 'desc')
          .orderBy('payment_id', 'desc')
          .limit(limit)
          .execute(),
  );
  const compare = (a: ConsolePayment, b: ConsolePayment) =>
    b.created_time - a.created_time || b.payment_id - a.payment_id;
  return among(ranges, compare, inState(filter), key, size, (row) => [row.created_time, row.payment_id]);
}

interface TimeSpan {
  start: number;
  end: number;
}

/** One day or one month: `2026-11-15`, `2026-11`. */
function readDays(text: string): TimeSpan | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})(?:-(\d{2}))?$/.exec(text) ?? [];
  const start = Date.parse(day === undefined ? `${text}-01T00:00:00Z` : `${text}T00:00:00Z`);
  if (year === undefined || Number.isNaN(start)) return undefined;
  const end = day === undefined ? Date.UTC(Number(year), Number(month), 1) : start + DAY_MS;
  return { start, end };
}

const newerFirst = (a: ConsolePayment, b: ConsolePayment) => b.payment_id - a.payment_id;

/** All payments are one range; those of each app in a state are another, of an index. */
async function rangesOf(
  engine: SandboxEngine,
  filter: PaymentFilter,
  before: number,
): Promise<Array<Range<ConsolePayment>>> {
  const { state } = filter;
  if (state === undefined) return [newestFirst(engine, before)];
  const apps = await appsOf(engine, filter);
  return apps.map((app) => newestWhere(engine, before, (eb) => eb.and({ app_id: app, state })));
}

type Condition = (eb: ExpressionBuilder<SandboxTables, 'payments'>) => ReturnType<typeof eb.and>;

/** Of all payments, the order of the primary key is the right one. */
function newestFirst(engine: SandboxEngine, before: number): Range<ConsolePayment> {
  return (limit) =>
    engine.store.db
      .selectFrom('payments')
      .select(columns)
      .where('payment_id', '<', before)
      .orderBy('payment_id', 'desc')
      .limit(limit)
      .execute();
}

function newestWhere(engine: SandboxEngine, before: number, where: Condition): Range<ConsolePayment> {
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
  engine: SandboxEngine,
  filter: PaymentFilter,
  prefix: string,
  key: string | undefined,
  size: number,
): Promise<PaymentListPage> {
  const [afterReference, afterApp] = readKey(key, ['string', 'string']) ?? [];
  const order = byBytes(engine.store.engine, 'reference_id');
  const ranges = (await appsOf(engine, filter)).map((app): Range<ConsolePayment> => (limit) => {
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
  const compare = (a: ConsolePayment, b: ConsolePayment) =>
    compareBytes(a.reference_id, b.reference_id) || (a.app_id < b.app_id ? -1 : 1);
  return among(ranges, compare, inState(filter), key, size, (row) => [row.reference_id, row.app_id]);
}

type Fits = ((row: ConsolePayment) => boolean) | undefined;

const inState = ({ state }: PaymentFilter): Fits =>
  state === undefined ? undefined : (row) => row.state === state;

/** Those of a search that no index knows better, found by looking at a bounded number of them. */
async function among(
  ranges: ReadonlyArray<Range<ConsolePayment>>,
  compare: (a: ConsolePayment, b: ConsolePayment) => number,
  fits: Fits,
  key: string | undefined,
  size: number,
  keyOf: (row: ConsolePayment) => Array<string | number>,
): Promise<PaymentListPage> {
  if (fits === undefined)
    return pageOf(await mergeRanges(ranges, compare, readAhead(key, size)), size, keyOf, key);
  const found = await mergeRanges(ranges, compare, WINDOW_SIZE + 1);
  const window = found.slice(0, WINDOW_SIZE);
  const all = window.filter(fits);
  const rows = all.slice(0, size);
  const last = rows.length === size ? rows.at(-1) : window.at(-1);
  const looked = last === undefined ? 0 : window.indexOf(last) + 1;
  const isMore = looked < found.length && last !== undefined;
  const isAll = key === undefined && found.length <= WINDOW_SIZE;
  return {
    rows,
    looked,
    ...(isAll && { total: Math.min(all.length, MAX_COUNT + 1) }),
    ...(isMore && { next: writeKey(keyOf(last)) }),
  };
}

async function withId(
  engine: SandboxEngine,
  { app, state }: PaymentFilter,
  text: string,
): Promise<ConsolePayment[]> {
  const id = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(id)) return [];
  const found = await engine.store.db
    .selectFrom('payments')
    .select(columns)
    .where('payment_id', '=', id)
    .execute();
  return found.filter((row) => (app ?? row.app_id) === row.app_id && (state ?? row.state) === row.state);
}

/** What a text that was typed is likely to be: an id, the beginning of a reference, a customer, an amount, a day. */
export async function guessSearch(engine: SandboxEngine, text: string, app?: string): Promise<PaymentSearch> {
  const [, prefix, rest] = /^(id|ref|customer|amount|date):([\s\S]+)$/.exec(text) ?? [];
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

async function appsOf(engine: SandboxEngine, { app }: PaymentFilter): Promise<string[]> {
  return app === undefined ? (await engine.apps.all()).map((each) => each.app_id) : [app];
}
