import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { expect, test } from 'vitest';
import type { Store } from '../../src/store/store.js';
import {
  describeEverywhere,
  describeFile,
  describeMemory,
  describePostgres,
  describeShared,
} from './fixtures.js';
import type { Tables } from './fixtures.js';

function insert(tx: Transaction<Tables>, reference: string): Promise<{ id: number }> {
  return tx.insertInto('payment').values({ reference }).returning('id').executeTakeFirstOrThrow();
}

async function references(store: Store<Tables>): Promise<string[]> {
  const rows = await store.db.selectFrom('payment').select('reference').orderBy('reference').execute();
  return rows.map((row) => row.reference);
}

function gate(): { open(): void; opened: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: resolve, opened: promise };
}

describeEverywhere('a store', ({ location, open }) => {
  test('gives out ids from the start value', async () => {
    const store = await open(await location());
    const first = await store.transaction((tx) => insert(tx, 'a'));
    const second = await store.transaction((tx) => insert(tx, 'b'));
    expect([first.id, second.id]).toEqual([100_001, 100_002]);
  });

  test('keeps text, large integers and bytes as they are', async () => {
    const store = await open(await location());
    const row = {
      reference: 'ünï ✓',
      amount: '10.10',
      created_time: Number.MAX_SAFE_INTEGER,
      body: Uint8Array.of(0, 255, 10),
    };
    await store.transaction((tx) => tx.insertInto('payment').values(row).execute());
    const read = await store.db.selectFrom('payment').selectAll().executeTakeFirstOrThrow();
    expect({ ...read, body: [...(read.body ?? [])] }).toEqual({ ...row, id: 100_001, body: [0, 255, 10] });
  });

  test('keeps text with a NUL or half a character as PostgreSQL can: with a replacement', async () => {
    const store = await open(await location());
    await store.transaction((tx) => insert(tx, 'a\0b\uD800c'));
    expect(await references(store)).toEqual(['a\uFFFDb\uFFFDc']);
  });

  test('gives every value its name after the columns of a table became others', async () => {
    const store = await open(await location());
    await store.transaction((tx) => insert(tx, 'a'));
    const everything = () => store.db.selectFrom('payment').selectAll().executeTakeFirstOrThrow();
    await everything();
    await store.transaction(async (tx) => {
      await sql`alter table payment drop column amount`.execute(tx);
      await sql`alter table payment add column note text default 'new'`.execute(tx);
    });
    expect(await everything()).toEqual({
      id: 100_001,
      reference: 'a',
      created_time: null,
      body: null,
      note: 'new',
    });
  });

  test('a transaction that may wait ends by itself, and with the store', async () => {
    const at = await location();
    const store = await open(at);
    await store.transaction((tx) => insert(tx, 'alone'), { mayWait: true });
    const waits = store.transaction((tx) => insert(tx, 'at the end'), { mayWait: true });
    await store.close();
    await waits;
    expect(await references(await open(at))).toEqual(at === ':memory:' ? [] : ['alone', 'at the end']);
  });

  test('refuses an integer that cannot be read exactly', async () => {
    const store = await open(await location());
    await store.transaction((tx) =>
      sql`insert into payment (reference, created_time) values ('big', 9007199254740993)`.execute(tx),
    );
    await expect(store.db.selectFrom('payment').selectAll().execute()).rejects.toThrow(/9007199254740993/);
  });

  test.each([
    ['a date', new Date(0), 'Date'],
    ['an object', { a: 1 }, 'Object'],
    ['a boolean', true, 'boolean'],
    ['not a number', Number.NaN, 'NaN'],
  ])('refuses %s as a parameter instead of storing something else', async (_name, value, shown) => {
    const store = await open(await location());
    const write = store.transaction((tx) =>
      tx
        .insertInto('payment')
        .values({ reference: 'a', created_time: value as never })
        .execute(),
    );
    await expect(write).rejects.toThrow(new RegExp(`Parameter 2 is .*${shown}`));
    expect(await references(store)).toEqual([]);
  });

  test('undoes a transaction that fails, and it alone, when many are waiting', async () => {
    const store = await open(await location());
    const outcomes = await Promise.allSettled(
      Array.from({ length: 200 }, (_, n) =>
        store.transaction(async (tx) => {
          const row = await insert(tx, `r${n}`);
          if (n % 3 === 0) throw new Error(`no ${n}`);
          return row.id;
        }),
      ),
    );
    const failed = outcomes.flatMap((outcome, n) => (outcome.status === 'rejected' ? [n] : []));
    expect(failed).toEqual(Array.from({ length: 67 }, (_, n) => n * 3));
    expect(outcomes[3]).toMatchObject({ reason: new Error('no 3') });
    const kept = Array.from({ length: 200 }, (_, n) => n).filter((n) => n % 3 !== 0);
    expect(await references(store)).toEqual(kept.map((n) => `r${n}`).sort());
  });

  test('a statement that fails in one transaction does not touch the others', async () => {
    const store = await open(await location());
    const outcomes = await Promise.allSettled(
      ['a', 'a', 'b'].map((reference) => store.transaction((tx) => insert(tx, reference))),
    );
    expect(outcomes.map((outcome) => outcome.status).sort()).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(await references(store)).toEqual(['a', 'b']);
  });

  test('a transaction that throws before its first query is undone too', async () => {
    const store = await open(await location());
    await expect(store.transaction(() => Promise.reject(new Error('early')))).rejects.toThrow('early');
    await store.transaction((tx) => insert(tx, 'a'));
    expect(await references(store)).toEqual(['a']);
  });

  test('a transaction cannot be used once it has ended', async () => {
    const store = await open(await location());
    let kept: Transaction<Tables> | undefined;
    await store.transaction(async (tx) => {
      kept = tx;
      await insert(tx, 'a');
    });
    await expect(kept?.selectFrom('payment').selectAll().execute()).rejects.toThrow();
  });

  test('close waits for what was begun', async () => {
    const address = await location();
    const store = await open(address);
    const writes = ['a', 'b', 'c'].map((reference) => store.transaction((tx) => insert(tx, reference)));
    await store.close();
    await Promise.all(writes);
    await expect(store.transaction((tx) => insert(tx, 'd'))).rejects.toThrow();
  });
});

describeShared('reads', ({ location, open }) => {
  test('outside see nothing of a transaction that has not committed', async () => {
    const store = await open(await location());
    const inserted = gate();
    const proceed = gate();
    const write = store.transaction(async (tx) => {
      await insert(tx, 'a');
      inserted.open();
      await proceed.opened;
    });
    await inserted.opened;
    expect(await references(store)).toEqual([]);
    proceed.open();
    await write;
    expect(await references(store)).toEqual(['a']);
  });

  test('outside may be made from within a transaction', async () => {
    const store = await open(await location());
    const seen = await store.transaction(async (tx) => {
      await insert(tx, 'a');
      return references(store);
    });
    expect(seen).toEqual([]);
  });
});

describeMemory('reads', ({ location, open }) => {
  test('outside wait for a transaction that has not committed', async () => {
    const store = await open(await location());
    const inserted = gate();
    const proceed = gate();
    const write = store.transaction(async (tx) => {
      await insert(tx, 'a');
      inserted.open();
      await proceed.opened;
      throw new Error('undo');
    });
    await inserted.opened;
    const read = references(store);
    proceed.open();
    await expect(write).rejects.toThrow('undo');
    expect(await read).toEqual([]);
  });

  test('outside fail, and do not hang for ever, when a transaction waits for them', async () => {
    const store = await open(await location());
    await expect(store.transaction(() => references(store))).rejects.toThrow('read through `tx`');
    expect(await references(store)).toEqual([]);
  });
});

describeFile('store.db', ({ location, open }) => {
  test('is for reads', async () => {
    const store = await open(await location());
    await expect(store.db.insertInto('payment').values({ reference: 'a' }).execute()).rejects.toThrow(
      'store.transaction()',
    );
    await expect(store.db.transaction().execute((tx) => insert(tx, 'a'))).rejects.toThrow(
      'store.transaction()',
    );
  });
});

describePostgres('transactions', ({ location, open }) => {
  test('are run again after a deadlock', async () => {
    const store = await open(await location());
    await store.transaction((tx) =>
      tx
        .insertInto('counter')
        .values([
          { name: 'x', value: 0 },
          { name: 'y', value: 0 },
        ])
        .execute(),
    );
    const both = { x: gate(), y: gate() };
    let runs = 0;
    const addTo = (first: 'x' | 'y', second: 'x' | 'y') =>
      store.transaction(async (tx) => {
        runs += 1;
        const add = (name: string) =>
          tx
            .updateTable('counter')
            .set({ value: sql`value + 1` })
            .where('name', '=', name)
            .execute();
        await add(first);
        both[first].open();
        await both[second].opened;
        await add(second);
      });
    await Promise.all([addTo('x', 'y'), addTo('y', 'x')]);
    expect(runs).toBeGreaterThan(2);
    const rows = await store.db.selectFrom('counter').select('value').execute();
    expect(rows.map((row) => row.value)).toEqual([2, 2]);
  });
});
