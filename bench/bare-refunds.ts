// What a batch sends for each row, and nothing else: a read over a pool, then a refund over a connection of its own.
import { readFileSync } from 'node:fs';
import { Client, Pool, type Dispatcher } from 'undici';

const [file = '', url = '', appId = '', apiKey = '', concurrency = ''] = process.argv.slice(2);
const ids = readFileSync(file, 'utf8').trim().split('\n').slice(1);
const headers = {
  authorization: `Bearer ${apiKey}`,
  accept: 'application/json',
  'accept-encoding': 'identity',
  'user-agent': 'bench',
};
const connection = { allowH2: false, pipelining: 1 };
const pool = new Pool(url, connection);

async function ask(dispatcher: Dispatcher, method: 'GET' | 'POST', path: string): Promise<void> {
  const answer = await dispatcher.request({
    method,
    path: `/api/apps/${appId}/payments/${path}`,
    headers,
    reset: method === 'POST',
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`${answer.statusCode} ${text}`);
  JSON.parse(text);
}

let next = 0;
await Promise.all(
  Array.from({ length: Number(concurrency) }, async () => {
    while (next < ids.length) {
      const id = ids[next++] as string;
      await ask(pool, 'GET', id);
      const own = new Client(url, connection);
      await ask(own, 'POST', `${id}/refund`);
      await own.destroy();
    }
  }),
);
await pool.close();
