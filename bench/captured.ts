// Captured payments by the million: one that the sandbox made, copied in its database.
import { DatabaseSync } from 'node:sqlite';
import { startServer, type Server } from './measure.ts';

/** Makes one captured payment over HTTP. */
export async function capturedPayment(server: Server, reference: string): Promise<string> {
  const post = async (path: string, body: object, key: string) => {
    const answer = await fetch(server.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as { paymentId: number };
  };
  const { paymentId } = await post(
    `/api/apps/${server.appId}/payments`,
    {
      referenceId: reference,
      amount: 10,
      currency: 'EUR',
      autoCapture: true,
      customerOrder: { customer: { customerId: 'c_bench' } },
    },
    server.apiKey,
  );
  await post(`/_sandbox/payments/${paymentId}/pay`, { card: 'approved' }, server.controlToken);
  return String(paymentId);
}

/** Fills a new database file with `count` captured payments; resolves to the first of their ids, which follow in order. */
export async function fillCaptured(file: string, count: number): Promise<number> {
  const server = await startServer('sandbox', file);
  const first = Number(await capturedPayment(server, 'model'));
  await server.stop();
  const db = new DatabaseSync(file);
  db.exec('pragma journal_mode = wal; pragma synchronous = off');
  // What a refund looks at: the payment, and what the provider was told of it.
  for (const table of ['payments', 'exchanges']) {
    const columns = (db.prepare(`pragma table_info(${table})`).all() as Array<{ name: string }>)
      .map(({ name }) => name)
      .filter((name) => table === 'payments' || name !== 'id');
    const values = columns.map((name) => {
      if (name === 'payment_id') return 'model.payment_id + n';
      return name === 'reference_id' ? "'copy-' || n" : `model.${name}`;
    });
    db.exec(
      `with recursive copies (n) as (select 1 union all select n + 1 from copies where n < ${count})
      insert into ${table} (${columns.join(', ')})
      select ${values.join(', ')} from copies, ${table} as model where model.payment_id = ${first}`,
    );
  }
  db.exec('pragma wal_checkpoint(truncate)');
  db.close();
  return first + 1;
}
