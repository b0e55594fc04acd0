import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Migration } from '../../src/store/store.js';
import { killChildrenAfterEach, startChild } from './child.js';
import { describeFile, describeShared, migrations } from './fixtures.js';

killChildrenAfterEach();

const next: Migration = {
  name: 'notes',
  up: (db) => db.schema.createTable('note').addColumn('text', 'text').execute(),
};

describeShared('migrations', ({ location, open }) => {
  test('run once, and later ones on what is there', async () => {
    const address = await location();
    const first = await open(address);
    await first.transaction((tx) => tx.insertInto('payment').values({ reference: 'kept' }).execute());
    await first.close();
    const second = await open(address, { migrations: [...migrations, next] });
    expect(await second.db.selectFrom('payment').select('reference').execute()).toMatchObject([
      { reference: 'kept' },
    ]);
    const { rows } = await sql`select format, name from store_migration order by format`.execute(second.db);
    expect(rows.map((row) => ({ ...(row as object) }))).toEqual([
      { format: 1, name: 'payments' },
      { format: 2, name: 'jobs' },
      { format: 3, name: 'notes' },
    ]);
  });

  test('refuse a database of a newer program, and say what to do', async () => {
    const address = await location();
    await (await open(address, { migrations: [...migrations, next] })).close();
    await expect(open(address)).rejects.toMatchObject({
      code: 'store-newer',
      message: expect.stringMatching(/format 3 with "notes".*update this one, or use another database/),
    });
  });

  test('leave nothing behind when one fails', async () => {
    const address = await location();
    const failing: Migration = {
      name: 'failing',
      async up(db) {
        await db.schema.createTable('half').addColumn('text', 'text').execute();
        throw new Error('broken step');
      },
    };
    await expect(open(address, { migrations: [...migrations, failing] })).rejects.toThrow('broken step');
    const store = await open(address);
    await expect(sql`select * from half`.execute(store.db)).rejects.toThrow(/half/);
  });

  test('run once when several processes open a new database at the same time', async () => {
    const address = await location();
    const children = Array.from({ length: 4 }, () => startChild({ location: address }));
    const answers = await Promise.all(children.map((child) => child.rest()));
    expect(answers).toEqual(Array.from({ length: 4 }, () => ['open', 'closed']));
    const store = await open(address);
    const { rows } = await sql`select name from store_migration`.execute(store.db);
    expect(rows).toHaveLength(2);
  });
});

describeFile('opening', ({ location, open }) => {
  test("refuses another program's database and leaves it alone", async () => {
    const file = await location();
    const other = new DatabaseSync(file);
    other.exec('create table theirs (x)');
    await expect(open(file)).rejects.toMatchObject({
      code: 'store-unusable',
      message: expect.stringContaining(file),
    });
    expect(other.prepare('select name from sqlite_schema').all()).toHaveLength(1);
    other.close();
  });

  test("refuses another program's database that is being written as what it is", async () => {
    const file = await location();
    const other = new DatabaseSync(file);
    other.exec('pragma journal_mode = wal; create table theirs (x); begin immediate');
    await expect(open(file)).rejects.toMatchObject({
      message: expect.stringContaining('it belongs to another program'),
    });
    other.close();
  });

  test('waits for another process to end its transaction before it migrates, and holds nothing up meanwhile', async () => {
    const file = await location();
    await (await open(file)).close();
    const other = new DatabaseSync(file);
    other.exec('begin immediate');
    const opening = open(file, { migrations: [...migrations, next] });
    // It does not tick while SQLite itself waits for the lock.
    let ticks = 0;
    const ticking = setInterval(() => (ticks += 1) === 5 && other.exec('commit'), 20);
    const store = await opening.finally(() => clearInterval(ticking));
    expect(await sql`select * from note`.execute(store.db)).toMatchObject({ rows: [] });
    other.close();
  });
});
