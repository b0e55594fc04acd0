import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { describeWithOwnPostgres } from '../../helpers/postgres.js';
import {
  eventually,
  hostedBody,
  sandboxProcess,
  startReceiver,
  startTestSandbox,
  type Client,
} from '../../helpers/sandbox.js';

const HOSTED = '/payments/hosted-page';
const unavailable = {
  status: 503,
  headers: { 'retry-after': '1' },
  body: { code: 'unavailable', detail: expect.stringContaining('nothing was changed') },
};

/** Every payment that was answered is there, whole, and none besides. */
async function expectOnly(client: Client, references: string[]): Promise<void> {
  const { body } = await client.control<{
    tables: {
      payments: Array<{ reference_id: string; payment_id: number; version: number }>;
      events: Array<{ payment_id: number }>;
      customers: Array<{ customer_id: string }>;
    };
  }>('GET', '/export');
  const { payments, events, customers } = body.tables;
  expect(payments.map((payment) => payment.reference_id).toSorted()).toEqual(references.toSorted());
  for (const { payment_id, version } of payments) {
    expect(events.filter((event) => event.payment_id === payment_id)).toHaveLength(version);
  }
  expect(customers.length).toBeLessThanOrEqual(payments.length);
}

describe('a full disk', () => {
  test('answers 503, changes nothing, and works again by itself once there is room', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'paydesk-full-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    // A limit on the size of files stands in for the disk, and can be lifted while the process runs.
    const sandbox = await sandboxProcess({ location: join(folder, 'sandbox.db') }, [
      'prlimit',
      '--fsize=700000:unlimited',
    ]);
    onTestFinished(() => sandbox.kill());
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const kept: string[] = [];
    const create = async () => {
      const body = hostedBody({
        webhookUrl: receiver.url,
        customerOrder: {
          customer: { customerId: `c${kept.length}` },
          description: 'x'.repeat(1000),
          amount: {
            items: Array.from({ length: 20 }, () => ({
              name: 'y'.repeat(500),
              amount: 1,
              quantity: 1,
              category: 'DigitalGoods',
            })),
          },
        },
      });
      const answer = await sandbox.call<{ paymentId: number }>('POST', HOSTED, body);
      if (answer.status === 201) kept.push(body.referenceId as string);
      return answer;
    };
    const first = (await create()).body.paymentId;
    let answer = await create();
    for (let n = 0; n < 300 && answer.status === 201; n++) answer = await create();
    expect(answer).toMatchObject(unavailable);
    expect(await sandbox.call('POST', `/payments/${first}/cancel`)).toMatchObject(unavailable);
    // What is there can still be read.
    expect((await sandbox.call('GET', `/payments/${first}`)).body).toMatchObject({ paymentState: 'Created' });

    execFileSync('prlimit', ['--pid', String(sandbox.process.pid), '--fsize=unlimited']);
    expect((await create()).status).toBe(201);
    expect((await sandbox.call('POST', `/payments/${first}/cancel`)).status).toBe(200);
    await eventually(async () => expect((await sandbox.read(first)).paymentState).toBe('Cancelled'));
    await expectOnly(sandbox, kept);
    // At least once: each payment that was answered is told of.
    await eventually(() => {
      const told = new Set(receiver.requests.map(({ body }) => body.referenceId));
      expect(told).toEqual(new Set(kept));
    });
  });
});

describeWithOwnPostgres('a PostgreSQL that goes away', (postgres) => {
  test('answers 503, changes nothing, and is used again by itself once it is back', async (context) => {
    context.skip(!postgres().ours, 'the server is not ours to stop');
    const sandbox = await startTestSandbox({ location: await postgres().createDatabase() });
    onTestFinished(() => sandbox.close());
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const kept: string[] = [];
    const uncertain: string[] = [];
    const create = async () => {
      const body = hostedBody({ webhookUrl: receiver.url });
      const { status } = await sandbox.call('POST', HOSTED, body);
      (status === 201 ? kept : uncertain).push(body.referenceId as string);
      return status;
    };
    const { paymentId, referenceId, redirectUrl } = await sandbox.create({ webhookUrl: receiver.url });
    kept.push(referenceId);

    let busy = true;
    const seen = new Set<number>();
    const load = Array.from({ length: 8 }, async () => {
      while (busy) seen.add(await create());
    });
    await eventually(() => expect(kept.length).toBeGreaterThan(20));
    await postgres().crash();
    await eventually(() => expect(seen).toContain(503));
    const down = [
      await sandbox.call('GET', `/payments/${paymentId}`),
      await sandbox.call('POST', `/payments/${paymentId}/cancel`),
      await sandbox.call('GET', '/customers'),
      await sandbox.control('GET', `/payments/${paymentId}/story`),
      await sandbox.control('POST', '/seed'),
    ];
    for (const answer of down) expect(answer).toMatchObject(unavailable);
    const page = await fetch(redirectUrl);
    await page.text();
    expect(page.status).toBe(503);

    await postgres().start();
    busy = false;
    await Promise.all(load);
    expect(seen).toEqual(new Set([201, 503]));
    expect(await create()).toBe(201);
    expect((await sandbox.call('POST', `/payments/${paymentId}/cancel`)).status).toBe(200);
    await eventually(async () => expect((await sandbox.read(paymentId)).paymentState).toBe('Cancelled'));

    // A create that was cut off may have been carried out, if the answer of the COMMIT was what was lost.
    const { body } = await sandbox.control<{ tables: { payments: Array<{ reference_id: string }> } }>(
      'GET',
      '/export',
    );
    const there = body.tables.payments.map((payment) => payment.reference_id);
    expect(there).toEqual(expect.arrayContaining(kept));
    for (const reference of there) expect([...kept, ...uncertain]).toContain(reference);
    await expectOnly(sandbox, there);
    await eventually(() => {
      const told = new Set(receiver.requests.map(({ body: told }) => told.referenceId));
      expect(told.size).toBe(there.length);
    });
  });
});
