import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Client } from '../../src/client/client.js';
import { createListSplitter } from '../../src/client/list-splitter.js';
import { growthInOneArray, growthInPages, queryOf, range } from './many-customers.js';
import { caught, clientFor, httpServer, json, type Seen, virtualClock } from '../helpers/servers.js';

async function list(client: Client, params?: Record<string, string>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { fields } of client.listCustomers(params)) ids.push(fields.customerId ?? '?');
  return ids;
}

const all = (count: number) => range(0, count).map(({ customerId }) => customerId);

describe('paging styles', () => {
  it('{ items, nextCursor }', async () => {
    const server = await httpServer((seen, response) => {
      const from = Number(queryOf(seen).cursor ?? 0);
      json(response, 200, {
        items: range(from, Math.min(25, from + 10)),
        nextCursor: from < 20 ? `${from + 10}` : null,
      });
    });
    expect(await list(clientFor(server.url), { q: 'x y' })).toEqual(all(25));
    expect(server.requests.map(queryOf)).toEqual([
      { q: 'x y' },
      { q: 'x y', cursor: '10' },
      { q: 'x y', cursor: '20' },
    ]);
  });

  it('{ items } without a cursor is all there is', async () => {
    const server = await httpServer((_seen, response) => json(response, 200, { items: range(0, 3) }));
    expect(await list(clientFor(server.url))).toEqual(all(3));
    expect(server.requests).toHaveLength(1);
  });

  it.each([20, 25])('{ data, total, page, pageSize } with %s', async (total) => {
    const server = await httpServer((seen, response) => {
      const page = Number(queryOf(seen).page ?? 1);
      const data = range((page - 1) * 10, Math.min(total, page * 10));
      json(response, 200, { total, data, page, pageSize: 10 });
    });
    expect(await list(clientFor(server.url))).toEqual(all(total));
    expect(server.requests).toHaveLength(Math.ceil(total / 10));
    expect(queryOf(server.requests[1]!)).toEqual({ page: '2', pageSize: '10' });
  });

  it('pages from where the person says', async () => {
    const server = await httpServer((seen, response) => {
      const page = Number(queryOf(seen).page ?? 1);
      json(response, 200, { data: range((page - 1) * 10, page * 10), total: 30, page, pageSize: 10 });
    });
    expect(await list(clientFor(server.url), { page: '2' })).toEqual(all(30).slice(10));
    expect(server.requests).toHaveLength(2);
  });

  const shapes: [string, (customers: object[]) => unknown][] = [
    ['a bare array', (customers) => customers],
    ['{ customers }', (customers) => ({ customers })],
  ];
  it.each(shapes)('%s from a service that does not page', async (_name, shape) => {
    const server = await httpServer((_seen, response) => json(response, 200, shape(range(0, 30))));
    expect(await list(clientFor(server.url))).toEqual(all(30));
    expect(server.requests.map(queryOf)).toEqual([{}, { page: '2' }]);
  });

  it.each(shapes)('%s from a service that refuses to be asked for a page', async (_name, shape) => {
    const server = await httpServer((seen, response) =>
      queryOf(seen).page
        ? json(response, 400, { message: 'page?' })
        : json(response, 200, shape(range(0, 30))),
    );
    expect(await list(clientFor(server.url))).toEqual(all(30));
  });

  it.each(shapes)('%s from a service that pages', async (_name, shape) => {
    const server = await httpServer((seen, response) => {
      const page = Number(queryOf(seen).page ?? 1);
      json(response, 200, shape(range((page - 1) * 10, Math.min(25, page * 10))));
    });
    expect(await list(clientFor(server.url))).toEqual(all(25));
  });

  it('asks for no further page when the person pages by hand', async () => {
    const server = await httpServer((_seen, response) => json(response, 200, range(10, 20)));
    expect(await list(clientFor(server.url), { offset: '10' })).toHaveLength(10);
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    '[]',
    '{"items":[],"nextCursor":null}',
    '{"data":[],"total":0,"page":1,"pageSize":10}',
    '{"customers":[]}',
  ])('an empty list: %s', async (body) => {
    const server = await httpServer((_seen, response) => json(response, 200, body));
    expect(await list(clientFor(server.url))).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });

  it('reads no further than it is asked to', async () => {
    const server = await httpServer((_seen, response) =>
      json(response, 200, { items: range(0, 10), nextCursor: 'n' }),
    );
    for await (const { fields } of clientFor(server.url).listCustomers())
      if (fields.customerId === 'c5') break;
    expect(server.requests).toHaveLength(1);
  });
});

describe('lists that would never end', () => {
  const stuck = async (reply: (seen: Seen, response: ServerResponse, count: number) => void) => {
    const server = await httpServer(reply);
    expect(await caught(list(clientFor(server.url)))).toMatchObject({
      name: 'ServiceError',
      code: 'list-incomplete',
    });
    expect(server.requests.length).toBeLessThan(30);
  };

  it('a cursor that comes back', async () => {
    await stuck((_seen, response, count) =>
      json(response, 200, { items: range(count, count + 1), nextCursor: 'same' }),
    );
    await stuck((_seen, response, count) => json(response, 200, { items: [], nextCursor: `c${count % 5}` }));
  });

  it('empty pages that always promise more', async () => {
    const server = await httpServer((_seen, response, count) =>
      json(response, 200, { items: [], nextCursor: `c${count}` }),
    );
    expect(await caught(list(clientFor(server.url)))).toMatchObject({
      name: 'ServiceError',
      code: 'list-incomplete',
      message: expect.stringContaining('3 empty pages in a row') as unknown,
    });
    expect(server.requests).toHaveLength(3);
  });

  it('but not a list with a few empty pages in it', async () => {
    const server = await httpServer((seen, response) => {
      const page = Number(queryOf(seen).cursor ?? 0);
      const items = page % 3 === 2 ? range(page, page + 1) : [];
      json(response, 200, { items, nextCursor: page < 8 ? `${page + 1}` : null });
    });
    expect(await list(clientFor(server.url))).toEqual(['c2', 'c5', 'c8']);
  });

  it('a cursor that is ignored', async () => {
    await stuck((_seen, response, count) =>
      json(response, 200, { items: range(0, 3), nextCursor: `c${count}` }),
    );
  });

  it('a page that is ignored', async () => {
    await stuck((_seen, response) =>
      json(response, 200, { data: range(0, 3), total: 9, page: 1, pageSize: 3 }),
    );
    await stuck((_seen, response) => json(response, 200, { data: range(0, 3), total: 9 }));
  });

  it('pages of changing size', async () => {
    await stuck((seen, response) => {
      const page = Number(queryOf(seen).page ?? 1);
      const pageSize = page === 1 ? 10 : 5;
      json(response, 200, { data: range(page * 10, page * 10 + pageSize), total: 99, page, pageSize });
    });
  });
});

describe('a page that breaks off', () => {
  it('is read again, and nobody is listed twice or left out', async () => {
    const body = JSON.stringify({ items: range(0, 1_000), nextCursor: null });
    const server = await httpServer((_seen, response, count) => {
      if (count === 3) return json(response, 200, body);
      response.writeHead(200, { 'content-length': body.length + 100 });
      response.write(body.slice(0, Math.floor((body.length * count) / 3)), () => response.destroy());
    });
    expect(await list(clientFor(server.url))).toEqual(all(1_000));
    expect(server.requests).toHaveLength(3);
  });

  it('is an error when it has changed meanwhile', async () => {
    const server = await httpServer((_seen, response, count) => {
      const body = JSON.stringify({ items: range(count * 100, count * 100 + 50) });
      if (count > 1) return json(response, 200, body);
      response.writeHead(200, { 'content-length': 100_000 });
      response.write(body.slice(0, 500), () => response.destroy());
    });
    expect(await caught(list(clientFor(server.url)))).toMatchObject({
      code: 'list-changed',
      name: 'TemporaryError',
    });
  });

  it.each(['{"items":[{"customerId":"c0"}', '<html>', '{"items":[{bad}]}', ''])(
    'ends as temporary when it never gets better: %s',
    async (body) => {
      const server = await httpServer((_seen, response) => json(response, 200, body));
      expect(await caught(list(clientFor(server.url)))).toMatchObject({ name: 'TemporaryError' });
      expect(server.requests.length).toBeLessThanOrEqual(5);
    },
  );

  it('is read again as often, and after such waits, as the client retries anything', async () => {
    const server = await httpServer((_seen, response) => json(response, 200, '{"items":['));
    const clock = virtualClock();
    const retry = { attempts: 3, baseMs: 100, capMs: 150 };
    await caught(list(clientFor(server.url, { clock, random: () => 1, retry })));
    expect(server.requests).toHaveLength(3);
    expect(clock.slept).toEqual([100, 150]);
  });

  it.each([
    ['{"nothing":1,"other":[]}', 'JSON with the fields nothing, other'],
    ['{}', 'JSON without fields'],
    ['"c1"', 'JSON without fields'],
  ])('%s has no list, and would not have one later', async (body, what) => {
    const server = await httpServer((_seen, response) => json(response, 200, body));
    expect(await caught(list(clientFor(server.url)))).toMatchObject({
      name: 'ServiceError',
      code: 'no-list',
      message: expect.stringContaining(what),
    });
    expect(server.requests).toHaveLength(1);
  });

  it('a refusal is an error as of any read', async () => {
    const server = await httpServer((_seen, response) => json(response, 401, {}));
    expect(await caught(list(clientFor(server.url)))).toMatchObject({ name: 'ProfileError' });
  });
});

describe('memory', () => {
  it('stays flat over 20,000 customers in 200 pages', async () => {
    expect(await growthInPages(20_000)).toBeLessThan(2);
  });

  it('stays flat over 20,000 customers in one array', async () => {
    expect(await growthInOneArray(20_000)).toBeLessThan(2);
  });
});

describe('the splitter', () => {
  it('finds the same elements wherever the text is cut', () => {
    const text =
      ' { "meta" : [1, [2]], "x":"\\"items\\":[", "items" : [ {"a":"],[\\\\"} , [1,[2]], "s,]", 10.10 , null ] , "nextCursor":"z" } ';
    for (let size = 1; size < text.length; size += 1) {
      const splitter = createListSplitter();
      const found: string[] = [];
      for (let at = 0; at < text.length; at += size) found.push(...splitter.push(text.slice(at, at + size)));
      expect(found).toEqual(['{"a":"],[\\\\"}', '[1,[2]]', '"s,]"', '10.10', 'null']);
      expect(splitter.end()).toMatchObject({ items: [], nextCursor: 'z', meta: [1, [2]] });
    }
  });

  it('refuses a part that would fill the memory', () => {
    const splitter = createListSplitter();
    expect(() => {
      for (let n = 0; n < 100; n += 1) splitter.push(n === 0 ? '["' : 'x'.repeat(100_000));
    }).toThrow('too large');
  });
});
