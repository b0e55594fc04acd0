import { claimStatement, releaseAbandoned } from '../../src/store/claim.js';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Store } from '../../src/store/store.js';
import { describeEverywhere, describeShared } from './fixtures.js';
import type { Tables } from './fixtures.js';

interface Job {
  payment: number;
  due?: number;
  kind?: string;
}

async function addJobs(store: Store<Tables>, jobs: Job[]): Promise<void> {
  const rows = jobs.map(({ payment, due = 0, kind = 'webhook' }) => ({
    payment_id: payment,
    due_time: due,
    kind,
  }));
  await store.transaction((tx) => tx.insertInto('job').values(rows).execute());
}

async function finish(store: Store<Tables>, id: number): Promise<void> {
  await store.transaction((tx) => tx.updateTable('job').set({ finished: 1 }).where('id', '=', id).execute());
}

const claim = { table: 'job', now: 1000, leaseMs: 60_000, limit: 10, owner: 'me' } as const;
const ids = (rows: { id: number }[]) => rows.map((row) => row.id);

describeEverywhere('claims', ({ location, open }) => {
  test('take what is due, earliest first, up to the limit, and lease it', async () => {
    const store = await open(await location());
    await addJobs(store, [
      { payment: 1, due: 1000 },
      { payment: 2, due: 1001 },
      { payment: 3, due: 5 },
      { payment: 4, due: 5 },
    ]);
    const before = Date.now();
    const claimed = await store.claimDue({ ...claim, limit: 2 });
    expect(claimed).toMatchObject([
      { id: 3, payment_id: 3, lease_owner: 'me' },
      { id: 4, payment_id: 4, lease_owner: 'me' },
    ]);
    expect(claimed[0]?.lease_until).toBeGreaterThan(before + 50_000);
    expect(ids(await store.claimDue(claim))).toEqual([1]);
    expect(await store.claimDue(claim)).toEqual([]);
  });

  test('leave finished rows and those of another kind', async () => {
    const store = await open(await location());
    await addJobs(store, [{ payment: 1 }, { payment: 2 }, { payment: 3, kind: 'expiry' }]);
    await finish(store, 1);
    expect(ids(await store.claimDue({ ...claim, where: sql`kind = ${'webhook'}` }))).toEqual([2]);
  });

  test('come back once the lease has run out', async () => {
    const store = await open(await location());
    await addJobs(store, [{ payment: 1 }]);
    await store.claimDue({ ...claim, leaseMs: 0, owner: 'gone' });
    expect(await store.claimDue(claim)).toMatchObject([{ id: 1, lease_owner: 'me' }]);
  });

  test('come back at once when the process that holds them is gone', async () => {
    const store = await open(await location());
    await addJobs(store, [{ payment: 1 }, { payment: 2, kind: 'expiry' }, { payment: 3 }, { payment: 4 }]);
    await store.claimDue({ ...claim, limit: 3, owner: 'gone' });
    await store.claimDue({ ...claim, owner: 'running' });
    await finish(store, 3);
    const owner = { name: 'me', isGone: (name: string) => name === 'gone' };
    const webhooks = sql<boolean>`due.kind = ${'webhook'}`;
    await releaseAbandoned(store, { table: 'job', owner, where: webhooks, dueTime: 7 });
    const lease = ['id', 'due_time', 'lease_owner'] as const;
    expect(await store.db.selectFrom('job').select(lease).orderBy('id').execute()).toEqual([
      { id: 1, due_time: 7, lease_owner: null },
      { id: 2, due_time: 0, lease_owner: 'gone' },
      { id: 3, due_time: 0, lease_owner: 'gone' },
      { id: 4, due_time: 0, lease_owner: 'running' },
    ]);
    expect(ids(await store.claimDue(claim))).toEqual([1]);
  });

  test('with onePer take only the first unfinished row of each payment', async () => {
    const store = await open(await location());
    await addJobs(store, [
      { payment: 1 },
      { payment: 1 },
      { payment: 2, due: 2000 },
      { payment: 2 },
      { payment: 3 },
    ]);
    const perPayment = { ...claim, onePer: 'payment_id' } as const;
    expect(ids(await store.claimDue(perPayment))).toEqual([1, 5]);
    expect(await store.claimDue(perPayment)).toEqual([]);
    await finish(store, 1);
    expect(ids(await store.claimDue(perPayment))).toEqual([2]);
    expect(ids(await store.claimDue({ ...perPayment, now: 2000 }))).toEqual([3]);
  });

  test('read no finished row, however many there are', async () => {
    const store = await open(await location());
    await addJobs(store, [{ payment: 7 }]);
    await store.transaction((tx) =>
      sql`insert into job (payment_id, kind, due_time, finished)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
        select i, 'webhook', 0, 1 from n`.execute(tx),
    );
    await store.transaction((tx) => sql`analyze`.execute(tx));
    const statement = claimStatement<Tables, 'job'>(store.engine, { ...claim, onePer: 'payment_id' });
    const explain =
      store.engine === 'postgres' ? sql`explain ${statement}` : sql`explain query plan ${statement}`;
    const { rows } = await store.transaction((tx) => explain.execute(tx));
    const plan = rows.map((row) => JSON.stringify(row)).join('\n');
    expect(plan).toMatch(/index/i);
    expect(plan).not.toMatch(/Seq Scan on job|SCAN (due|earlier|job)(?! USING INDEX)/);
    expect(await store.claimDue({ ...claim, onePer: 'payment_id' })).toHaveLength(1);
  });
});

describeShared('two claimers', ({ location, open }) => {
  test('never get the same row, and keep the order of each payment', async () => {
    const address = await location();
    const stores = await Promise.all([open(address), open(address)]);
    const [store] = stores;
    await addJobs(
      store,
      Array.from({ length: 300 }, (_, n) => ({ payment: n % 40 })),
    );
    const done: { id: number; payment: number }[] = [];
    const work = async (mine: Store<Tables>, owner: string) => {
      while (done.length < 300) {
        const rows = await mine.claimDue({ ...claim, limit: 5, owner, onePer: 'payment_id' });
        for (const row of rows) {
          done.push({ id: row.id, payment: row.payment_id });
          await finish(mine, row.id);
        }
      }
    };
    await Promise.all(stores.flatMap((each, n) => [work(each, `${n}a`), work(each, `${n}b`)]));
    expect(ids(done).sort((a, b) => a - b)).toEqual(Array.from({ length: 300 }, (_, n) => n + 1));
    for (const [, rows] of Map.groupBy(done, (job) => job.payment)) {
      expect(ids(rows)).toEqual(ids(rows).toSorted((a, b) => a - b));
    }
  });
});
