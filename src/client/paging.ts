// How services page: one row for each shape that is common. The first row that recognises an answer decides.

import { isJsonNumber, isJsonObject, type JsonObject, type JsonValue } from '../contract/json.js';

/** A page that was read, and how it was asked for. */
export interface Page {
  /** The answer with its list left empty. */
  envelope: JsonValue;
  headers: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
  /** How many were on it. */
  count: number;
  /** How many there were up to its end, those included that the person skipped. */
  passed: number;
  lastId: string | undefined;
}

type NextPage =
  | { kind: 'end' }
  | { kind: 'next'; query: Record<string, string> }
  /** There is more, and no way to get it. */
  | { kind: 'lost'; why: string }
  /** Nothing says whether there is more: only asking for another page can show it. */
  | { kind: 'unsaid' };

type Read = (page: Page, facts: Facts) => NextPage | undefined;

const shapes: Readonly<Record<string, Read>> = {
  'Link header': ({ headers }) => {
    const { link } = headers;
    if (link === undefined || !/rel="?(next|prev|first|last)\b/i.test(link)) return undefined;
    const target = /<([^>]*)>(?=[^<]*;\s*rel="?next\b)/i.exec(link)?.[1];
    return target === undefined ? end : following(target);
  },
  'next link': (_page, { envelope }) => {
    const found = linkHolders(envelope).find(([holder, name]) => Object.hasOwn(holder, name));
    if (!found) return undefined;
    const link = found[0][found[1]] ?? null;
    if (link === null || link === '') return end;
    const target = isJsonObject(link) ? link.href : link;
    if (isJsonNumber(target)) return { kind: 'next', query: { page: String(target) } };
    if (typeof target !== 'string') return undefined;
    return /[/?]/.test(target) ? following(target) : { kind: 'next', query: { cursor: target } };
  },
  'next page': ({ headers }, { find }) => {
    const next = [find('nextPage'), find('next_page'), headers['x-next-page']].find(
      (one) => one !== undefined,
    );
    if (next === undefined) return undefined;
    const text = typeof next === 'string' || isJsonNumber(next) ? String(next) : '';
    return text === '' ? end : { kind: 'next', query: { page: text } };
  },
  cursor: (_page, { find }) => {
    for (const [name, parameter] of Object.entries(cursorNames)) {
      const cursor = find(name);
      if (cursor === undefined) continue;
      const text = typeof cursor === 'string' || isJsonNumber(cursor) ? String(cursor) : '';
      return text === '' ? end : { kind: 'next', query: { [parameter]: text } };
    }
    return undefined;
  },
  offset: ({ query, count }, { number, hasMore, total }) => {
    const [name, offset] = number(Object.keys(offsetNames));
    if (name === undefined || offset === undefined) return undefined;
    if (query[name] !== undefined && Number(query[name]) !== offset) return ignored(`requested ${name}`);
    const next = offset + count;
    const [limitName, limit] = number(['limit', 'itemsPerPage', 'pageSize', 'size']);
    const isLast =
      total === undefined
        ? hasMore === undefined && limit !== undefined && count < limit
        : next - (offsetNames[name] ?? 0) >= total;
    if (count === 0 || hasMore === false || isLast) return end;
    const onward = { [name]: String(next) };
    return { kind: 'next', query: limitName === 'limit' ? { ...onward, limit: String(limit) } : onward };
  },
  'page number': ({ query, count, passed }, { number, hasMore, total }) => {
    const [name, page] = number(Object.keys(pageNames));
    const [, pages] = number([
      'totalPages',
      'total_pages',
      'pageCount',
      'page_count',
      'lastPage',
      'last_page',
    ]);
    if (page === undefined && pages === undefined && total === undefined) return undefined;
    const { parameter, first } = pageNames[name ?? 'page'] ?? { parameter: 'page', first: 1 };
    const [sizeName, size] = number(['pageSize', 'page_size', 'perPage', 'per_page', 'size', 'limit']);
    const asked = Number(query[parameter] ?? page ?? first);
    if (page !== undefined && query[parameter] !== undefined && page !== asked)
      return ignored('requested page');
    if (sizeName !== undefined && query[sizeName] !== undefined && Number(query[sizeName]) !== size) {
      return { kind: 'lost', why: 'it changes its page size between pages' };
    }
    const isLast =
      (pages !== undefined && asked - first + 1 >= pages) ||
      (total !== undefined && passed >= total) ||
      (total === undefined &&
        pages === undefined &&
        hasMore === undefined &&
        size !== undefined &&
        count < size);
    if (count === 0 || hasMore === false || isLast) return end;
    const sized = sizeName === undefined || size === undefined ? {} : { [sizeName]: String(size) };
    return { kind: 'next', query: { [parameter]: String(asked + 1), ...sized } };
  },
  'has more': ({ lastId }, { hasMore, find }) => {
    if (hasMore === undefined) return undefined;
    if (!hasMore) return end;
    // As Stripe does; other services that send only this do not say how to get the next page.
    const isKnown = find('has_more') !== undefined && lastId !== undefined;
    return isKnown ? { kind: 'next', query: { starting_after: lastId } } : { kind: 'lost', why: NO_WAY };
  },
  'items alone': (_page, { envelope }) =>
    [envelope, envelope.data].some((holder) => isJsonObject(holder) && Object.hasOwn(holder, 'items'))
      ? end
      : undefined,
};

const end: NextPage = { kind: 'end' };
const NO_WAY = 'it says that there are more, but not how to ask for them';

/** The field that carries a cursor, and the parameter that takes it. */
const cursorNames: Readonly<Record<string, string>> = {
  nextCursor: 'cursor',
  next_cursor: 'cursor',
  nextPageToken: 'pageToken',
  next_page_token: 'page_token',
  nextToken: 'nextToken',
  continuationToken: 'continuationToken',
};

/** With one of these the person says where to begin. */
export const cursorParameters = [...new Set(Object.values(cursorNames)), 'starting_after'];

/** The field and parameter of an offset, and what it counts from. */
const offsetNames: Readonly<Record<string, number>> = { offset: 0, skip: 0, startIndex: 1 };

const pageNames: Readonly<Record<string, { parameter: string; first: number }>> = {
  page: { parameter: 'page', first: 1 },
  currentPage: { parameter: 'page', first: 1 },
  current_page: { parameter: 'page', first: 1 },
  pageNumber: { parameter: 'pageNumber', first: 1 },
  page_number: { parameter: 'page_number', first: 1 },
  pageIndex: { parameter: 'pageIndex', first: 0 },
  // Spring counts from 0.
  number: { parameter: 'page', first: 0 },
};

interface Facts {
  envelope: JsonObject;
  /** A field of the envelope, or of what describes the page in it. */
  find(name: string): JsonValue | undefined;
  /** The first of these fields that is a number, with its name. */
  number(names: string[]): [name?: string, value?: number];
  hasMore: boolean | undefined;
  total: number | undefined;
}

function factsOf({ envelope: given, headers }: Page): Facts {
  const envelope = isJsonObject(given) ? given : {};
  const { data, meta, pagination, paging, page, pageInfo } = envelope;
  const holders = [envelope, data, meta, pagination, paging, page, pageInfo].filter(isJsonObject);
  // Some nest once more: `meta.pagination`.
  holders.push(...holders.slice(1).flatMap(({ pagination: inner }) => (isJsonObject(inner) ? [inner] : [])));
  const find = (name: string) => holders.find((holder) => Object.hasOwn(holder, name))?.[name];
  const number = (names: string[]): [string?, number?] => {
    for (const name of names) {
      const value = find(name);
      if (isJsonNumber(value)) return [name, Number(value)];
    }
    return [];
  };
  const more = ['hasMore', 'has_more', 'hasNext', 'has_next', 'hasNextPage', 'truncated', 'isTruncated'].map(
    find,
  );
  const last = [find('last'), find('isLast')].find((value) => typeof value === 'boolean');
  const hasMore =
    more.find((value) => typeof value === 'boolean') ?? (last === undefined ? undefined : !last);
  // With links beside it, a count is of everything: Django has it so.
  const counts = Object.hasOwn(envelope, 'next') ? [...totalNames, 'count'] : totalNames;
  return { envelope, find, number, hasMore, total: number(counts)[1] ?? totalOfHeaders(headers) };
}

const totalNames = ['total', 'totalCount', 'total_count', 'totalItems', 'totalElements', 'totalResults'];

function totalOfHeaders(headers: Readonly<Record<string, string>>): number | undefined {
  const text = headers['x-total-count'] ?? headers['x-total'] ?? headers['content-range']?.split('/')[1];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

function linkHolders(envelope: JsonObject): Array<[JsonObject, string]> {
  const { links, _links, paging, pagination, meta } = envelope;
  const named = [links, _links, paging, pagination, meta].filter(isJsonObject);
  return [
    [envelope, 'next'],
    [envelope, 'next_page_url'],
    [envelope, '@odata.nextLink'],
    ...named.map((holder): [JsonObject, string] => [holder, 'next']),
  ];
}

/** Only the query of a link is followed: the key goes to no other address. */
function following(link: string): NextPage {
  const base = 'http://service.invalid/customers';
  if (!URL.canParse(link, base)) return { kind: 'lost', why: `its next link cannot be read: ${link}` };
  const { pathname, searchParams } = new URL(link, base);
  if (!/\/customers\/?$/.test(pathname)) {
    return { kind: 'lost', why: `its next link leads to another path: ${pathname}` };
  }
  return { kind: 'next', query: Object.fromEntries(searchParams) };
}

const ignored = (what: string): NextPage => ({ kind: 'lost', why: `it ignores the ${what}` });

/** What to ask for after a page. An end is believed only where nothing else in the answer contradicts it. */
export function nextPage(page: Page): NextPage {
  const facts = factsOf(page);
  let next: NextPage | undefined;
  for (const read of Object.values(shapes)) next ??= read(page, facts);
  if (next?.kind !== 'end') return next ?? { kind: 'unsaid' };
  const { total, hasMore } = facts;
  if (total !== undefined && page.passed < total) {
    return { kind: 'lost', why: `it has ${total} customers and answered with ${page.passed} of them` };
  }
  return hasMore === true ? { kind: 'lost', why: NO_WAY } : next;
}
