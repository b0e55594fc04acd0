// Lists of customers in any number, and how much memory is taken by whoever reads one to its end.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Client } from '../../src/client/client.js';
import { clientFor, httpServer, json, type Seen } from '../helpers/servers.js';

const customer = (n: number) => ({ customerId: `c${n}`, firstName: `Zoë "${n}" [x], {y}` });

export const range = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => customer(from + index));

export const queryOf = ({ url }: Seen) => Object.fromEntries(new URL(url, 'http://x').searchParams);

/** In MiB, from the 2,000th customer to the last but 1,000. */
async function growth(client: Client, expected: number): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heap = () => {
    collect();
    return process.memoryUsage().heapUsed / 1024 / 1024;
  };
  let count = 0;
  let early = 0;
  let late = 0;
  for await (const { fields } of client.listCustomers()) {
    if (fields.customerId === undefined) throw new Error('a customer without an id');
    count += 1;
    if (count === 2_000) early = heap();
    if (count === expected - 1_000) late = heap();
  }
  if (count !== expected) throw new Error(`${count} customers instead of ${expected}`);
  return late - early;
}

/** The growth over that many customers, 100 to a page. */
export async function growthInPages(total: number): Promise<number> {
  const server = await httpServer((seen, response) => {
    server.requests.length = 0;
    const from = Number(queryOf(seen)['cursor'] ?? 0);
    json(response, 200, {
      items: range(from, from + 100),
      nextCursor: from + 100 < total ? `${from + 100}` : null,
    });
  });
  return growth(clientFor(server.url), total);
}

/** The growth over that many customers in one answer. */
export async function growthInOneArray(total: number): Promise<number> {
  const server = await httpServer((seen, response) => {
    let n = 0;
    const end = queryOf(seen)['page'] ? 1 : total;
    response.write('[');
    const more = () => {
      while (n < end) {
        const text = (n === 0 ? '' : ',') + JSON.stringify(customer(n));
        n += 1;
        if (!response.write(text)) {
          response.once('drain', more);
          return;
        }
      }
      response.end(']');
    };
    more();
  });
  return growth(clientFor(server.url), total);
}
