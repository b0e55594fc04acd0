import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { createGroupCommit } from '../../src/store/group-commit.js';
import { SqliteConnection } from '../../src/store/sqlite-connection.js';

class Counted extends SqliteConnection {
  commits = 0;

  override run(sql: string): void {
    if (sql === 'commit') this.commits += 1;
    super.run(sql);
  }
}

const connect = () => new Counted(new DatabaseSync(':memory:'), ':memory:', 'write');

test('a transaction that may wait does so for the next that may not, and shares its commit', async () => {
  const connection = connect();
  const groups = createGroupCommit(connection);
  const order: string[] = [];
  const note = (name: string) => async () => void order.push(name);
  await Promise.all([
    groups.run(note('waits'), { mayWait: true }),
    groups.run(note('also waits'), { mayWait: true }),
    groups.run(note('at once')),
  ]);
  expect(order).toEqual(['waits', 'also waits', 'at once']);
  expect(connection.commits).toBe(1);
});

test('one that comes while a group runs does not make the next group begin at once', async () => {
  const connection = connect();
  const groups = createGroupCommit(connection);
  let waiting: Promise<void> | undefined;
  await groups.run(async () => {
    waiting = groups.run(async () => {}, { mayWait: true });
  });
  // The first group took it in: what comes before its commit belongs to it.
  await waiting;
  const late = groups.run(async () => {}, { mayWait: true });
  await groups.run(async () => {});
  await late;
  expect(connection.commits).toBe(2);
});

test('nobody waits for company once the store is to be closed', async () => {
  const connection = connect();
  const groups = createGroupCommit(connection);
  const ended: string[] = [];
  const waiting = groups.run(async () => {}, { mayWait: true }).then(() => ended.push('waited'));
  await groups.drained();
  await waiting;
  expect(ended).toEqual(['waited']);
  expect(connection.commits).toBe(1);
});
