import { StoreError } from './errors.js';
import type { SqliteConnection } from './sqlite-connection.js';
import { isBusy } from './sqlite-failures.js';

const MAX_GROUP = 64;
const BUSY_MS = 5000;
/** How long a transaction that may wait does so for one that may not, to share its fsync. */
const MAX_DELAY_MS = 3;

interface Member {
  mayWait: boolean;
  /** Resolves to what tells the caller of the result, to be called once the group is committed. */
  work(): Promise<() => void>;
  reject(error: unknown): void;
}

export interface GroupCommit {
  /** Runs `work` in its turn and resolves after the COMMIT that made it durable. */
  run<T>(work: () => Promise<T>, options?: { mayWait?: boolean }): Promise<T>;
  /** Whether a group is between BEGIN and COMMIT. */
  isOpen(): boolean;
  /** Resolves when no group is between BEGIN and COMMIT; at once when none is. */
  betweenGroups(): Promise<void>;
  /** Resolves when nothing runs or waits. */
  drained(): Promise<void>;
  /** Calls this right before each COMMIT. */
  beforeCommit(listener: () => void): void;
}

/**
 * Transactions of one process, one after another on one connection. Those that wait at the same time share a
 * BEGIN and a COMMIT, so that one fsync makes all of them durable. Each has a savepoint, except the first: when that one
 * fails, nothing else is lost with the whole group.
 */
export function createGroupCommit(connection: SqliteConnection): GroupCommit {
  const waiting: Member[] = [];
  let active = false;
  let open = false;
  const onClosed: Array<() => void> = [];
  const onDrained: Array<() => void> = [];
  const committing: Array<() => void> = [];
  let timer: NodeJS.Timeout | undefined;

  function run<T>(work: () => Promise<T>, { mayWait = false } = {}): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      waiting.push({
        mayWait,
        work: async () => {
          const value = await work();
          return () => resolve(value);
        },
        reject,
      });
      if (!active) scheduleGroup();
    });
  }

  /** Runs the next group: now, or once members that can wait have waited long enough. */
  function scheduleGroup(): void {
    if (onDrained.length > 0 || waiting.some(({ mayWait }) => !mayWait)) start();
    else timer ??= setTimeout(start, MAX_DELAY_MS);
  }

  function start(): void {
    clearTimeout(timer);
    timer = undefined;
    active = true;
    setImmediate(next);
  }

  // A turn of the event loop before each group lets the requests that came in meanwhile join it.
  function next(): void {
    open = true;
    void runGroup(connection, waiting, committing).then(() => {
      open = false;
      active = false;
      for (const notify of onClosed.splice(0)) notify();
      if (waiting.length > 0) scheduleGroup();
      else for (const notify of onDrained.splice(0)) notify();
    });
  }

  return {
    run,
    isOpen: () => open,
    betweenGroups: () => (open ? new Promise((resolve) => onClosed.push(resolve)) : Promise.resolve()),
    async drained() {
      if (!active && waiting.length === 0) return;
      const ended = new Promise<void>((resolve) => onDrained.push(resolve));
      if (!active) start();
      await ended;
    },
    beforeCommit: (listener) => void committing.push(listener),
  };
}

/** Runs those who wait, up to the size of a group, between one BEGIN and one COMMIT. */
async function runGroup(
  connection: SqliteConnection,
  waiting: Member[],
  committing: ReadonlyArray<() => void>,
): Promise<void> {
  try {
    await begin(connection);
  } catch (error) {
    for (const member of waiting.splice(0, MAX_GROUP)) member.reject(error);
    return;
  }
  const members: Member[] = [];
  // Even a failure waits for the COMMIT: it may rest on what another member of the group wrote.
  const settle: Array<() => void> = [];
  try {
    while (members.length < MAX_GROUP) {
      const member = waiting.shift();
      if (!member) break;
      members.push(member);
      settle.push(
        await (members.length === 1 ? runFirst(connection, member) : runMember(connection, member)),
      );
    }
    for (const notify of committing) notify();
    connection.run('commit');
  } catch (error) {
    rollBack(connection);
    for (const member of members) member.reject(error);
    return;
  }
  for (const each of settle) each();
}

/** Throws when it fails: the group ends with it, and those who wait begin another. */
async function runFirst(connection: SqliteConnection, member: Member): Promise<() => void> {
  const tell = await member.work();
  assertOpen(connection);
  return tell;
}

/** Throws only when the whole group is lost. */
async function runMember(connection: SqliteConnection, member: Member): Promise<() => void> {
  connection.run('savepoint member');
  try {
    const tell = await member.work();
    assertOpen(connection);
    connection.run('release member');
    return tell;
  } catch (error) {
    // SQLite itself rolls the whole transaction back on some errors, a full disk among them.
    if (!connection.inTransaction) throw error;
    connection.run('rollback to member');
    connection.run('release member');
    return () => member.reject(error);
  }
}

/** Without this, statements after an automatic rollback would commit one by one. */
export function assertOpen(connection: SqliteConnection): void {
  if (connection.inTransaction) return;
  throw new StoreError(
    'store-unavailable',
    'The transaction was rolled back by the database after an error.',
  );
}

/** Waits for another process's transaction without blocking the event loop, as SQLite's own busy timeout would. */
async function begin(connection: SqliteConnection): Promise<void> {
  // The first look at this clock loads it, which takes a millisecond.
  let deadline: number | undefined;
  for (;;) {
    try {
      connection.run('begin immediate');
      return;
    } catch (error) {
      if (!isBusy(error)) throw error;
      deadline ??= performance.now() + BUSY_MS;
      if (performance.now() >= deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1 + Math.random() * 9));
    }
  }
}

function rollBack(connection: SqliteConnection): void {
  if (!connection.inTransaction) return;
  try {
    connection.run('rollback');
  } catch {
    // The error that led here is the one to report; BEGIN will fail if the connection is not usable.
  }
}
