import type { AnswerChoices } from '../answers.js';
import { readCustomers, showCustomer } from '../domain/customers.js';
import { invalidField } from '../domain/refusal.js';
import type { ServiceCall, Handlers } from './call.js';

const PAGE_SIZE = 50;

type CustomerList = ServiceCall<'listCustomers'>;
type CustomerPage = (call: CustomerList) => ReturnType<Handlers['listCustomers']>;

/** A list of customers, in each way that it may be divided into pages. */
export const customerPages: Readonly<Record<AnswerChoices['customer-list'], CustomerPage>> = {
  async cursor(call) {
    const limit = call.query.limit ?? PAGE_SIZE;
    const after = readCursor(call.query.cursor);
    const rows = await page(call, after, limit + 1);
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    return {
      status: 200,
      body: {
        items: items.map((row) => showCustomer(row, call.app)),
        nextCursor: rows.length > limit && last ? Buffer.from(`c${last.id}`).toString('base64url') : null,
      },
    };
  },
  async array(call) {
    return {
      status: 200,
      variant: (await page(call, 0, 1_000_000)).map((row) => showCustomer(row, call.app)),
    };
  },
  async customers(call) {
    const customers = (await page(call, 0, 1_000_000)).map((row) => showCustomer(row, call.app));
    return { status: 200, variant: { customers } };
  },
  async pages(call) {
    const pageSize = pageNumber(call.search, 'pageSize', PAGE_SIZE);
    const number = pageNumber(call.search, 'page', 1);
    const { total } = await call.engine.store.db
      .selectFrom('customers')
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .where('app_id', '=', call.app.app_id)
      .executeTakeFirstOrThrow();
    const rows = await call.engine.store.db
      .selectFrom('customers')
      .selectAll()
      .where('app_id', '=', call.app.app_id)
      .orderBy('id')
      .limit(pageSize)
      .offset((number - 1) * pageSize)
      .execute();
    const data = rows.map((row) => showCustomer(row, call.app));
    return { status: 200, variant: { data, total, page: number, pageSize } };
  },
};

function page(call: CustomerList, after: number, limit: number) {
  return call.engine.read((work) => readCustomers(work, call.app.app_id, { after, limit }));
}

function pageNumber(search: URLSearchParams, name: string, usual: number): number {
  const text = search.get(name) ?? String(usual);
  if (!/^[1-9]\d{0,8}$/.test(text)) throw invalidField(name, 'must be a whole number, at least 1');
  return Number(text);
}

function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const match = /^c(\d+)$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'));
  const id = Number(match?.[1]);
  if (!Number.isSafeInteger(id)) throw invalidField('cursor', 'is not one that this service gave out');
  return id;
}
