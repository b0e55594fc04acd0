import { expect, onTestFinished, test } from 'vitest';
import { listAllCustomers } from '../../../src/sandbox/console/customer-list.js';
import { guessSearch, listPayments, type PaymentFilter } from '../../../src/sandbox/console/payment-list.js';
import { readTimeline } from '../../../src/sandbox/console/timeline.js';
import { listWebhooks } from '../../../src/sandbox/console/webhook-list.js';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.js';
import { hostedBody } from '../../helpers/sandbox.js';
import { onEveryStore, type Bench } from '../conformance/stores.js';

interface Filled {
  sandbox: Sandbox;
  create(reference: string, app?: 0 | 1, fields?: object): Promise<number>;
}

async function fill(bench: Bench): Promise<Filled> {
  const sandbox = await startSandbox({ location: await bench.location() });
  onTestFinished(() => sandbox.close());
  const apps = await sandbox.apps();
  return {
    sandbox,
    async create(referenceId, index = 0, fields = {}) {
      const { appId, apiKey } = apps[index]!;
      const answer = await fetch(`${sandbox.url}/api/apps/${appId}/payments/hosted-page`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(hostedBody({ referenceId, ...fields })),
      });
      return ((await answer.json()) as { paymentId: number }).paymentId;
    },
  };
}

const buyer = (customerId: string) => ({ customerOrder: { customer: { customerId } } });

/** Every row of a list, page after page. */
async function walk<Row>(
  page: (key: string | undefined) => Promise<{ rows: Row[]; next?: string }>,
): Promise<{ rows: Row[]; pages: number }> {
  const rows: Row[] = [];
  let key: string | undefined;
  for (let pages = 1; ; pages += 1) {
    const found = await page(key);
    rows.push(...found.rows);
    if (found.next === undefined) return { rows, pages };
    if (pages > 100) throw new Error('the list has no end');
    key = found.next;
  }
}

onEveryStore((bench) => {
  test('payments by every filter, a page at a time: each once, the newest first', async () => {
    const { sandbox, create } = await fill(bench);
    const [shop, live] = (await sandbox.apps()).map(({ appId }) => appId);
    const made: Array<{ id: number; app: string; state: string; customer: string }> = [];
    for (let index = 0; index < 24; index += 1) {
      const app = index % 3 === 0 ? 1 : 0;
      const customer = `c-${index % 4}`;
      const id = await create(`inv-${String(index).padStart(2, '0')}`, app, buyer(customer));
      const card = (['approved', 'declined', 'held', undefined] as const)[index % 4];
      if (card) await sandbox.control.pay(String(id), undefined, { card });
      const state = ['Captured', 'Declined', 'Held', 'Created'][index % 4]!;
      made.push({ id, app: [shop, live][app]!, state, customer });
    }
    const expectPages = async (filter: PaymentFilter, fits: (each: (typeof made)[number]) => boolean) => {
      const { rows, pages } = await walk((key) => listPayments(sandbox.engine, filter, key, 3));
      const expected = made.filter(fits).map(({ id }) => id);
      expect(rows.map((row) => row.payment_id)).toEqual(expected.toReversed());
      expect(pages).toBe(Math.max(1, Math.ceil(expected.length / 3)));
    };
    await expectPages({}, () => true);
    await expectPages({ app: live }, ({ app }) => app === live);
    await expectPages({ state: 'Held' }, ({ state }) => state === 'Held');
    await expectPages(
      { app: shop, state: 'Captured' },
      ({ app, state }) => app === shop && state === 'Captured',
    );
    await expectPages({ state: 'Refunded' }, () => false);
    await expectPages({ app: 'app_nobody' }, () => false);
    await expectPages({ search: { by: 'customer', text: 'c-1' } }, ({ customer }) => customer === 'c-1');
    await expectPages(
      { app: live, search: { by: 'customer', text: 'c-1' } },
      ({ app, customer }) => customer === 'c-1' && app === live,
    );
    const { rows } = await listPayments(
      sandbox.engine,
      { state: 'Declined', search: { by: 'reference', text: 'inv-' } },
      undefined,
    );
    expect(rows.map((row) => row.payment_id)).toEqual(
      made.filter(({ state }) => state === 'Declined').map(({ id }) => id),
    );
  });

  test('references in the order of their bytes, over apps, and nothing that begins otherwise', async () => {
    const { sandbox, create } = await fill(bench);
    const references = ['inv-a', 'inv-B', 'inv-é', 'inv-𝄞', 'inv-_', 'inv-1', 'invoice', 'other', 'inv-'];
    for (const reference of references) await create(reference);
    await create('inv-a', 1);
    const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
    const expected = [...references, 'inv-a'].filter((text) => text.startsWith('inv-')).toSorted(byBytes);
    for (const size of [1, 2, 3, 20]) {
      const { rows } = await walk((key) =>
        listPayments(sandbox.engine, { search: { by: 'reference', text: 'inv-' } }, key, size),
      );
      expect(rows.map((row) => row.reference_id)).toEqual(expected);
      expect(new Set(rows.map((row) => row.payment_id)).size).toBe(expected.length);
    }
  });

  test('a search in a state looks at a bounded number, and goes on from there', async () => {
    const { sandbox, create } = await fill(bench);
    const rare = await create('many-0000');
    await sandbox.control.pay(String(rare), undefined, { card: 'declined' });
    // Copies, since creating so many over HTTP takes its time.
    await sandbox.engine.store.transaction(async (tx) => {
      const { payment_id: _, ...row } = await tx
        .selectFrom('payments')
        .selectAll()
        .where('payment_id', '=', rare)
        .executeTakeFirstOrThrow();
      const copies = Array.from({ length: 1200 }, (_, index) => ({
        ...row,
        state: index === 1150 ? ('Declined' as const) : ('Created' as const),
        reference_id: `many-${String(index + 1).padStart(4, '0')}`,
      }));
      for (let from = 0; from < copies.length; from += 50)
        await tx
          .insertInto('payments')
          .values(copies.slice(from, from + 50))
          .execute();
    });
    const filter: PaymentFilter = { state: 'Declined', search: { by: 'reference', text: 'many-' } };
    const first = await listPayments(sandbox.engine, filter, undefined);
    expect(first).toMatchObject({ rows: [{ payment_id: rare }], looked: 500, next: expect.any(String) });
    const { rows, pages } = await walk((key) => listPayments(sandbox.engine, filter, key));
    expect(rows.map((row) => row.reference_id)).toEqual(['many-0000', 'many-1151']);
    expect(pages).toBe(3);
    const full = await listPayments(sandbox.engine, { ...filter, state: 'Created' }, undefined, 10);
    expect(full).toMatchObject({ looked: 11, next: expect.any(String) });
    const ofCustomer = await walk((key) =>
      listPayments(sandbox.engine, { state: 'Declined', search: { by: 'customer', text: 'c1' } }, key),
    );
    expect(ofCustomer.rows.map((row) => row.reference_id)).toEqual(['many-1151', 'many-0000']);
  });

  test('what is typed is taken for an id, the beginning of a reference or a customer', async () => {
    const { sandbox, create } = await fill(bench);
    const id = await create('2041-a', 0, buyer('4711'));
    await create('100', 0, buyer('inv'));
    const guess = async (text: string) => (await guessSearch(sandbox.engine, text)).by;
    expect(await guess(String(id))).toBe('id');
    expect(await guess('2041')).toBe('reference');
    expect(await guess('4711')).toBe('customer');
    expect(await guess('inv')).toBe('customer');
    expect(await guess('nothing like it')).toBe('reference');
    expect(await guessSearch(sandbox.engine, 'ref:2041')).toEqual({ by: 'reference', text: '2041' });
    expect(await guessSearch(sandbox.engine, 'customer:inv')).toEqual({ by: 'customer', text: 'inv' });
    const none = await listPayments(
      sandbox.engine,
      { search: { by: 'id', text: '9'.repeat(30) } },
      undefined,
    );
    expect(none.rows).toEqual([]);
  });

  test('a key that nobody gave out begins at the beginning', async () => {
    const { sandbox, create } = await fill(bench);
    const id = await create('one');
    for (const key of ['', 'x', 'e30', Buffer.from('["1"]').toString('base64url'), '%00', 'WzFlMzBd']) {
      const { rows } = await listPayments(sandbox.engine, {}, key);
      expect(rows.map((row) => row.payment_id)).toEqual([id]);
    }
  });

  test('customers, newest first and by the beginning of their id', async () => {
    const { sandbox, create } = await fill(bench);
    const [shop] = await sandbox.apps();
    for (const name of ['b', 'a', 'ab', 'B']) await create(`of-${name}`, 0, buyer(name));
    await create('of-a-too', 1, buyer('a'));
    const all = await walk((key) => listAllCustomers(sandbox.engine, {}, key, 2));
    expect(all.rows.map((row) => row.customer_id)).toEqual(['a', 'B', 'ab', 'a', 'b']);
    const ofShop = await walk((key) => listAllCustomers(sandbox.engine, { app: shop!.appId }, key, 2));
    expect(ofShop.rows.map((row) => row.customer_id)).toEqual(['B', 'ab', 'a', 'b']);
    const withA = await walk((key) =>
      listAllCustomers(sandbox.engine, { search: { by: 'id', text: 'a' } }, key, 1),
    );
    expect(withA.rows.map((row) => row.customer_id)).toEqual(['a', 'a', 'ab']);
  });

  test('customers by e-mail and by name, without regard to capitals, each once', async () => {
    const { sandbox, create } = await fill(bench);
    const people = [
      ['c1', 'Ada', 'Byron', 'ada@example.org'],
      ['c2', 'Byron', 'Byron', 'Byron@example.org'],
      ['c3', 'Zoë', 'Adams', 'zoe@example.org'],
    ] as const;
    for (const [customerId, firstName, lastName, email] of people)
      await create(`of-${customerId}`, 0, {
        customerOrder: { customer: { customerId, firstName, lastName, email } },
      });
    const ids = async (by: 'email' | 'name', text: string) => {
      const { rows } = await walk((key) =>
        listAllCustomers(sandbox.engine, { search: { by, text } }, key, 1),
      );
      return [...new Set(rows.map((row) => row.customer_id))].toSorted();
    };
    expect(await ids('email', 'BYRON@')).toEqual(['c2']);
    expect(await ids('name', 'byron')).toEqual(['c1', 'c2']);
    expect(await ids('name', 'ada')).toEqual(['c1', 'c3']);
    expect(await ids('name', 'Ada B')).toEqual(['c1']);
    expect(await ids('name', 'nobody')).toEqual([]);
    const { total } = await listAllCustomers(sandbox.engine, {}, undefined, 1);
    expect(total).toBe(3);
  });

  test('payments by amount and by date, with their number', async () => {
    const { sandbox, create } = await fill(bench);
    await sandbox.control.clock({ action: 'stop' });
    await sandbox.control.clock({ action: 'set', value: Date.UTC(2040, 4, 5, 23) });
    const first = await create('a', 0, { amount: 149.9 });
    const second = await create('b', 1, { amount: 149.9, currency: 'USD' });
    await sandbox.control.clock({ action: 'set', value: Date.UTC(2040, 4, 6) });
    const third = await create('c', 0, { amount: 20 });
    const found = async (by: 'amount' | 'date', text: string) => {
      const { rows } = await walk((key) => listPayments(sandbox.engine, { search: { by, text } }, key, 1));
      return rows.map((row) => row.payment_id);
    };
    expect(await found('amount', '149.90')).toEqual([second, first]);
    expect(await found('amount', '149.9')).toEqual([second, first]);
    expect(await found('amount', 'EUR 149.90')).toEqual([first]);
    expect(await found('amount', '20.00')).toEqual([third]);
    expect(await found('amount', '1e2')).toEqual([]);
    expect(await found('date', '2040-05-05')).toEqual([second, first]);
    expect(await found('date', '2040-05-06')).toEqual([third]);
    expect(await found('date', '2040-05')).toEqual([third, second, first]);
    expect(await found('date', '2040-13-01')).toEqual([]);
    expect((await listPayments(sandbox.engine, {}, undefined, 1)).total).toBe(3);
    expect(await guessSearch(sandbox.engine, '149.90')).toEqual({ by: 'amount', text: '149.90' });
    expect(await guessSearch(sandbox.engine, '2040-05-06')).toEqual({ by: 'date', text: '2040-05-06' });
  });

  test('webhooks by what became of them, with what was sent and answered last', async () => {
    const { sandbox, create } = await fill(bench);
    const receiver = await bench.receiver();
    await sandbox.control.clock({ action: 'stop' });
    receiver.next({ status: 200, body: 'thanks' }, { status: 503, body: 'not now' });
    const first = await create('told', 0, { webhookUrl: receiver.url });
    await sandbox.worker.drain();
    const second = await create('not told', 0, { webhookUrl: receiver.url });
    await sandbox.worker.drain();
    await create('no address');
    await create('elsewhere', 0, { webhookUrl: 'http://192.0.2.1/hook' });
    await sandbox.worker.drain();
    const all = await walk((key) => listWebhooks(sandbox.engine, undefined, key, 2));
    expect(all.rows.map((row) => row.outcome)).toEqual(['failed', null, 'delivered']);
    const [queued] = (await listWebhooks(sandbox.engine, 'queued', undefined)).rows;
    expect(queued).toMatchObject({ payment_id: second, last: { status: 503, answer: 'not now' } });
    const [delivered] = (await listWebhooks(sandbox.engine, 'delivered', undefined)).rows;
    expect(delivered).toMatchObject({
      payment_id: first,
      last: { status: 200, answer: 'thanks', content_type: 'application/json' },
    });
    expect(delivered?.last?.body).toBe(receiver.requests[0]?.text);
    const [failed] = (await listWebhooks(sandbox.engine, 'failed', undefined)).rows;
    expect(failed?.last).toMatchObject({ status: null, body: null });
    expect((await listWebhooks(sandbox.engine, 'dropped', undefined)).rows).toEqual([]);
  });

  test('a timeline is in the order in which it happened, even when the clock stands still', async () => {
    const { sandbox, create } = await fill(bench);
    await sandbox.control.clock({ action: 'stop' });
    const id = await create('story', 0, { autoCapture: false });
    await sandbox.control.pay(String(id), undefined, { card: 'declined' });
    await sandbox.control.pay(String(id), undefined, { card: 'refund-fails' });
    const [shop] = await sandbox.apps();
    const post = (path: string) =>
      fetch(`${sandbox.url}/api/apps/${shop!.appId}/payments/${id}/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${shop!.apiKey}`, 'user-agent': 'shop/1' },
      });
    await post('capture');
    await sandbox.worker.drain();
    for (let round = 0; round < 2; round += 1) {
      await post('refund?description=parcel%20lost');
      await sandbox.worker.drain();
    }
    const expected = [
      'change Created api node',
      'exchange authorize not done',
      'change Declined control',
      'exchange authorize done',
      'change Authorised control',
      'operation capture api shop/1',
      'change Capturing api shop/1',
      'exchange capture done',
      'change Captured clock',
      ...[1, 2].flatMap(() => [
        'operation refund api shop/1',
        'change Refunding api shop/1',
        'exchange refund not done',
        'change Captured clock',
      ]),
    ];
    for (const size of [1, 2, 5, 50]) {
      const { rows } = await walk(async (key) => {
        const { entries, next } = await readTimeline(sandbox.engine, id, key, size);
        return { rows: entries, ...(next !== undefined && { next }) };
      });
      const told = rows.map((entry) => {
        if (entry.kind === 'change') return `change ${entry.row.to_state} ${entry.row.via}`;
        if (entry.kind === 'operation') return `operation ${entry.row.kind} ${entry.row.via}`;
        return `exchange ${entry.row.kind} ${entry.row.done === 1 ? 'done' : 'not done'}`;
      });
      expect(told.toReversed()).toEqual(expected);
    }
  });
});
