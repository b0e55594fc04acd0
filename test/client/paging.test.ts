import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { caught, clientFor, httpServer, json, type Seen } from '../helpers/servers.js';

// Services as people know them, with 25 customers in pages of 10.

const TOTAL = 25;
const SIZE = 10;
const customers = Array.from({ length: TOTAL }, (_, n) => ({ customerId: `c${n}` }));
const ids = customers.map(({ customerId }) => customerId);

type Query = Record<string, string>;
type Service = (query: Query, answer: (body: unknown, headers?: Query) => void, url: string) => void;

/** What a page by its number holds; the first is 1. */
const byPage = (query: Query, first = 1, name = 'page') => {
  const page = Number(query[name] ?? first);
  const from = (page - first) * SIZE;
  return { page, rows: customers.slice(from, from + SIZE), isLast: from + SIZE >= TOTAL };
};
const byOffset = (query: Query, name = 'offset', first = 0) => {
  const offset = Number(query[name] ?? first);
  const from = offset - first;
  return { offset, rows: customers.slice(from, from + SIZE), isLast: from + SIZE >= TOTAL };
};
/** What follows a cursor, which is opaque but for this service. */
const byCursor = (query: Query, name: string) => {
  const from = Number(query[name]?.slice(1) ?? 0);
  return {
    rows: customers.slice(from, from + SIZE),
    next: from + SIZE < TOTAL ? `x${from + SIZE}` : undefined,
  };
};

const services: Record<string, Service> = {
  'a cursor': (query, answer) => {
    const { rows, next } = byCursor(query, 'cursor');
    answer({ items: rows, nextCursor: next ?? null });
  },
  'a cursor beside the data (Slack)': (query, answer) => {
    const { rows, next } = byCursor(query, 'cursor');
    answer({ data: rows, meta: { next_cursor: next ?? '' } });
  },
  'nextPageToken (Google)': (query, answer) => {
    const { rows, next } = byCursor(query, 'pageToken');
    answer({ customers: rows, ...(next ? { nextPageToken: next } : { nextPageToken: '' }) });
  },
  'page, pageSize and total': (query, answer) => {
    const { page, rows } = byPage(query);
    answer({ data: rows, page, pageSize: SIZE, total: TOTAL });
  },
  'items with page and total': (query, answer) => {
    const { page, rows } = byPage(query);
    answer({ items: rows, pagination: { page, per_page: SIZE, total_count: TOTAL } });
  },
  'total alone': (query, answer) => answer({ items: byPage(query).rows, total: TOTAL }),
  'offset, limit and total': (query, answer) => {
    const { offset, rows } = byOffset(query);
    answer({ results: rows, offset, limit: SIZE, total: TOTAL });
  },
  'startIndex (SCIM)': (query, answer) => {
    const { offset, rows } = byOffset(query, 'startIndex', 1);
    answer({ totalResults: TOTAL, itemsPerPage: SIZE, startIndex: offset, Resources: rows });
  },
  'has_more (Stripe)': (query, answer) => {
    const from = ids.indexOf(query.starting_after ?? '') + 1;
    answer({ object: 'list', data: customers.slice(from, from + SIZE), has_more: from + SIZE < TOTAL });
  },
  'a Link header (GitHub)': (query, answer, url) => {
    const { page, rows, isLast } = byPage(query);
    const next = `<${url}?page=${page + 1}>; rel="next", `;
    answer(rows, { link: `${isLast ? '' : next}<${url}?page=3>; rel="last"` });
  },
  'X-Total-Count': (query, answer) => answer(byPage(query).rows, { 'x-total-count': String(TOTAL) }),
  'content and number (Spring)': (query, answer) => {
    const { page, rows, isLast } = byPage(query, 0);
    answer({ content: rows, number: page, size: SIZE, totalElements: TOTAL, totalPages: 3, last: isLast });
  },
  'content and page (Spring, PagedModel)': (query, answer) => {
    const { page, rows } = byPage(query, 0);
    answer({ content: rows, page: { size: SIZE, number: page, totalElements: TOTAL, totalPages: 3 } });
  },
  '_embedded and _links (HAL)': (query, answer, url) => {
    const { page, rows, isLast } = byPage(query);
    const links = { self: { href: url }, ...(!isLast && { next: { href: `${url}?page=${page + 1}` } }) };
    answer({ _embedded: { customers: rows }, _links: links, total: TOTAL, page });
  },
  'count and next (Django REST framework)': (query, answer, url) => {
    const { offset, rows, isLast } = byOffset(query);
    const next = isLast ? null : `${url}?limit=${SIZE}&offset=${offset + SIZE}`;
    answer({ count: TOTAL, next, previous: null, results: rows });
  },
  'next_page_url (Laravel)': (query, answer, url) => {
    const { page, rows, isLast } = byPage(query);
    const next_page_url = isLast ? null : `${url}?page=${page + 1}`;
    answer({ current_page: page, data: rows, last_page: 3, next_page_url, per_page: SIZE, total: TOTAL });
  },
  'links and meta (Laravel resources)': (query, answer, url) => {
    const { page, rows, isLast } = byPage(query);
    const links = { first: `${url}?page=1`, next: isLast ? null : `${url}?page=${page + 1}` };
    answer({ data: rows, links, meta: { current_page: page, last_page: 3, total: TOTAL } });
  },
  'current_page and last_page': (query, answer) => {
    const { page, rows } = byPage(query);
    answer({ data: rows, meta: { current_page: page, last_page: 3 } });
  },
  nextPage: (query, answer) => {
    const { page, rows, isLast } = byPage(query);
    answer({ records: rows, nextPage: isLast ? null : page + 1 });
  },
  'page and hasMore': (query, answer) => {
    const { page, rows, isLast } = byPage(query);
    answer({ items: rows, page, hasMore: !isLast });
  },
};

const serve = (service: Service) =>
  httpServer((seen: Seen, response: ServerResponse) => {
    const address = new URL(seen.url, 'http://service.internal');
    const answer = (body: unknown, headers: Query = {}) => {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      json(response, 200, body);
    };
    // As behind a proxy: the service calls itself by another name.
    service(Object.fromEntries(address.searchParams), answer, `${address.origin}${address.pathname}`);
  });

async function listed(url: string, params: Query = {}): Promise<string[]> {
  const found: string[] = [];
  for await (const { fields } of clientFor(url).listCustomers(params)) found.push(fields.customerId ?? '?');
  return found;
}

describe('every customer is listed, whatever says where the next page is', () => {
  it.each(Object.keys(services))('%s', async (name) => {
    const server = await serve(services[name]!);
    expect(await listed(server.url)).toEqual(ids);
    expect(server.requests).toHaveLength(3);
  });
});

describe('a list that says there is more is never cut in silence', () => {
  const first = customers.slice(0, SIZE);
  const cut: Array<[name: string, why: string, body: unknown, headers?: Query]> = [
    ['a total that no page reaches', 'it repeats the first page', { items: first, total: TOTAL }],
    ['a total in a header', 'it repeats the first page', first, { 'x-total-count': '25' }],
    [
      'a total against an end',
      'it has 25 customers and answered with 10',
      { data: first, nextCursor: null, total: TOTAL },
    ],
    ['hasMore alone', 'but not how to ask for them', { items: first, hasMore: true }],
    ['hasMore against an end', 'but not how to ask for them', { data: first, next: null, hasMore: true }],
    [
      'a Spring slice that ignores the page',
      'it repeats the first page',
      { content: first, number: 0, last: false },
    ],
    [
      'an offset that is ignored',
      'it repeats the first page',
      { data: first, offset: 0, limit: 10, total: TOTAL },
    ],
    [
      'a link to another path',
      'leads to another path: /next/abc',
      { data: first, next: 'https://elsewhere.example/next/abc' },
    ],
    ['has_more that is ignored', 'it repeats the first page', { data: first, has_more: true }],
  ];
  it.each(cut)('%s', async (_name, why, body, headers) => {
    const server = await serve((_query, answer) => answer(body, headers));
    expect(await caught(listed(server.url))).toMatchObject({
      name: 'ServiceError',
      code: 'list-incomplete',
      message: expect.stringContaining(why),
    });
  });

  it('a page that is empty too early', async () => {
    const server = await serve((query, answer) => {
      const { page, rows } = byPage(query);
      answer({ data: page === 2 ? [] : rows, page, total: TOTAL });
    });
    expect(await caught(listed(server.url))).toMatchObject({
      message: expect.stringContaining('it has 25 customers and answered with 10 of them'),
    });
  });
});

it('a key is sent to no other address, whatever a link says', async () => {
  const elsewhere = await httpServer((_seen, response) => json(response, 200, []));
  const server = await serve((query, answer) => {
    const { page, rows, isLast } = byPage(query);
    answer({ data: rows, next: isLast ? null : `${elsewhere.url}/customers?page=${page + 1}` });
  });
  expect(await listed(server.url)).toEqual(ids);
  expect(elsewhere.requests).toEqual([]);
});

it.each<Query>([{ page: '2' }, { offset: '10' }])('from where the person begins: %j', async (params) => {
  const server = await serve((query, answer) => {
    const offset = Number(query.offset ?? (Number(query.page ?? 1) - 1) * SIZE);
    const rows = customers.slice(offset, offset + SIZE);
    if (query.offset === undefined) answer({ data: rows, page: Number(query.page ?? 1), total: TOTAL });
    else answer({ data: rows, offset, total: TOTAL });
  });
  expect(await listed(server.url, params)).toEqual(ids.slice(SIZE));
});
