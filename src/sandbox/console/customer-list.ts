import { sql } from 'kysely';
import type { SandboxEngine } from '../engine.js';
import { customerTexts } from '../migrations.js';
import type { CustomerRow } from '../schema.js';
import {
  byBytes,
  compareBytes,
  endOfPrefix,
  mergeRanges,
  newestOf,
  pageOf,
  readAhead,
  readKey,
  readNumberKey,
  type RangePage,
  type Range,
} from './ranges.js';

const PAGE_SIZE = 15;

export const customerSearchKinds = ['id', 'email', 'name'] as const;
type CustomerSearchKind = (typeof customerSearchKinds)[number];

export interface CustomerFilter {
  app?: string | undefined;
  /** How the id, the e-mail address, the name or the last name begins. */
  search?: { by: CustomerSearchKind; text: string } | undefined;
}

/** A page of customers: the newest first, or in the order of what is searched. */
export async function listAllCustomers(
  engine: SandboxEngine,
  { app, search }: CustomerFilter,
  key: string | undefined,
  size = PAGE_SIZE,
): Promise<RangePage<CustomerRow>> {
  if (search?.by === 'id') return withPrefix(engine, app, search.text, key, size);
  if (search) return withText(engine, app, textsOf[search.by], search.text.toLowerCase(), key, size);
  const before = readNumberKey(key);
  const customers = engine.store.db.selectFrom('customers').selectAll().limit(readAhead(key, size));
  const newest = newestOf(engine.store.engine, 'id');
  const rows =
    app === undefined
      ? await customers.where('id', '<', before).orderBy('id', 'desc').execute()
      : await customers
          .where('app_id', '=', app)
          .where(newest.before(before))
          .orderBy(newest.order, newest.direction)
          .execute();
  return pageOf(rows, size, (row) => [row.id], key);
}

const textsOf = { email: ['email'], name: ['name', 'surname'] } as const;

type FoundCustomer = CustomerRow & { text: string };

/** In the order of the text that was found, then of the ids; each customer once. */
async function withText(
  engine: SandboxEngine,
  app: string | undefined,
  texts: ReadonlyArray<keyof typeof customerTexts>,
  prefix: string,
  key: string | undefined,
  size: number,
): Promise<RangePage<CustomerRow>> {
  const [afterText, afterId] = readKey(key, ['string', 'number']) ?? [prefix, 0];
  const apps = app === undefined ? (await engine.apps.all()).map((each) => each.app_id) : [app];
  const order = engine.store.engine === 'postgres' ? ' collate "C"' : '';
  const ranges = apps.flatMap((appId) =>
    texts.map((name): Range<FoundCustomer> => {
      const text = sql<string>`${sql.raw(`${customerTexts[name]}${order}`)}`;
      return (limit) =>
        engine.store.db
          .selectFrom('customers')
          .selectAll()
          .select(text.as('text'))
          .where('app_id', '=', appId)
          .where(text, '>=', afterText)
          .where(text, '<', endOfPrefix(prefix))
          // Leaves out only those of the same text that the page before has shown.
          .$if(key !== undefined, (query) =>
            query.where(sql<boolean>`(${text}, id) > (${afterText}, ${afterId})`),
          )
          .orderBy(text)
          .orderBy('id')
          .limit(limit)
          .execute();
    }),
  );
  const compare = (a: FoundCustomer, b: FoundCustomer) => compareBytes(a.text, b.text) || a.id - b.id;
  const found = await mergeRanges(ranges, compare, readAhead(key, size) * texts.length);
  const once = found.filter((row, index) => found.findIndex(({ id }) => id === row.id) === index);
  return pageOf(once, size, (row) => [row.text, row.id], key);
}

/** What a text that was typed is likely to be: the beginning of an id, of an e-mail address, or of a name. */
export async function guessCustomerSearch(
  engine: SandboxEngine,
  text: string,
  app: string | undefined,
): Promise<CustomerFilter['search']> {
  for (const by of customerSearchKinds) {
    const { rows } = await listAllCustomers(engine, { app, search: { by, text } }, undefined, 1);
    if (rows.length > 0) return { by, text };
  }
  return { by: 'id', text };
}

async function withPrefix(
  engine: SandboxEngine,
  app: string | undefined,
  prefix: string,
  key: string | undefined,
  size: number,
): Promise<RangePage<CustomerRow>> {
  const [afterId, afterApp] = readKey(key, ['string', 'string']) ?? [];
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
  const found = await mergeRanges(ranges, compare, readAhead(key, size));
  return pageOf(found, size, (row) => [row.customer_id, row.app_id], key);
}
