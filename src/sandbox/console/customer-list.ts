import type { Engine } from '../engine.js';
import type { CustomerRow } from '../schema.js';
import {
  byBytes,
  compareBytes,
  endOfPrefix,
  mergeRanges,
  newestOf,
  pageOf,
  readKey,
  readNumberKey,
  type Page,
  type Range,
} from './ranges.js';

const PAGE_SIZE = 25;

export interface CustomerFilter {
  app?: string | undefined;
  /** How the customer's id begins. */
  prefix?: string | undefined;
}

/** A page of customers: the newest first, or in the order of their ids where those are searched. */
export async function listAllCustomers(
  engine: Engine,
  { app, prefix }: CustomerFilter,
  key: string | undefined,
  size = PAGE_SIZE,
): Promise<Page<CustomerRow>> {
  if (prefix !== undefined) return withPrefix(engine, app, prefix, key, size);
  const before = readNumberKey(key);
  const customers = engine.store.db
    .selectFrom('customers')
    .selectAll()
    .limit(size + 1);
  const newest = newestOf(engine.store.engine, 'id');
  const rows =
    app === undefined
      ? await customers.where('id', '<', before).orderBy('id', 'desc').execute()
      : await customers
          .where('app_id', '=', app)
          .where(newest.before(before))
          .orderBy(newest.order, newest.direction)
          .execute();
  return pageOf(rows, size, (row) => [row.id]);
}

async function withPrefix(
  engine: Engine,
  app: string | undefined,
  prefix: string,
  key: string | undefined,
  size: number,
): Promise<Page<CustomerRow>> {
  const [afterId, afterApp] = (readKey(key, ['string', 'string']) ?? []) as [string?, string?];
  const order = byBytes(engine.store.engine, 'customer_id');
  const apps = app === undefined ? (await engine.apps.all()).map((each) => each.app_id) : [app];
  const ranges = apps.map((appId): Range<CustomerRow> => (limit) => {
    const inclusive = afterApp === undefined || appId > afterApp;
    return engine.store.db
      .selectFrom('customers')
      .selectAll()
      .where('app_id', '=', appId)
      .where(order, inclusive ? '>=' : '>', afterId ?? prefix)
      .where(order, '<', endOfPrefix(prefix))
      .orderBy(order)
      .limit(limit)
      .execute();
  });
  const compare = (a: CustomerRow, b: CustomerRow) =>
    compareBytes(a.customer_id, b.customer_id) || (a.app_id < b.app_id ? -1 : 1);
  const found = await mergeRanges(ranges, compare, size + 1);
  return pageOf(found, size, (row) => [row.customer_id, row.app_id]);
}
