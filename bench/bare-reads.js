// What an import reads for each row, and nothing else: the payment by its reference, over a pool.
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';

const [file = '', url = '', appId = '', apiKey = '', concurrency = ''] = process.argv.slice(2);
const references = readFileSync(file, 'utf8').trim().split('\n').slice(1);
const headers = {
  authorization: `Bearer ${apiKey}`,
  accept: 'application/json',
  'accept-encoding': 'identity',
  'user-agent': 'bench',
};
const pool = new Pool(url, { allowH2: false, pipelining: 1, connections: Number(concurrency) });

let next = 0;
await Promise.all(
  Array.from({ length: Number(concurrency) }, async () => {
    while (next < references.length) {
      const reference = references[next++];
      const answer = await pool.request({
        method: 'GET',
        path: `/api/apps/${appId}/payments/referenceId:${reference}`,
        headers,
      });
      const text = await answer.body.text();
      if (answer.statusCode >= 300) throw new Error(`${answer.statusCode} ${text}`);
      JSON.parse(text);
    }
  }),
);
await pool.close();
