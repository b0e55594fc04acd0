import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest';
import { SCHEMA } from '../../../src/sandbox/engine.js';
import { migrations } from '../../../src/sandbox/migrations.js';
import type { SandboxOptions } from '../../../src/sandbox/sandbox.js';
import { openStore } from '../../../src/store/store.js';
import { describeWithPostgres, type Postgres, withClient } from '../../helpers/postgres.js';
import { startReceiver, startTestSandbox, type Receiver, type TestSandbox } from '../../helpers/sandbox.js';

/** What a suite runs on: one of the stores that a sandbox can have. */
export interface Bench {
  readonly store: 'memory' | 'file' | 'postgres';
  /** The address of a fresh database. */
  location(): Promise<string>;
  /** One sandbox for all tests of a group: call it while the group is defined. */
  shared(options?: Partial<SandboxOptions>): () => TestSandbox;
  /** A sandbox of the test's own, on a fresh database unless a location is given. */
  start(options?: Partial<SandboxOptions>): Promise<TestSandbox>;
  receiver(): Promise<Receiver>;
  /** The cases of a table that all ask the database the same: on PostgreSQL every third, in `npm run proof` all. */
  sample<Case>(cases: readonly Case[]): Case[];
}

const everyStore = Boolean(process.env['PAYDESK_TEST_EVERY_STORE']);

/**
 * The same tests on a SQLite file and on PostgreSQL, and in `npm run proof` on SQLite in memory, which nearly all tests
 * of the commands use.
 */
export function onEveryStore(define: (bench: Bench) => void): void {
  if (everyStore) describe('SQLite in memory', () => define(createBench('memory', inMemoryPlace)));
  describe('SQLite file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'paydesk-sandbox-'));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    define(createBench('file', filePlaces(folder)));
  });
  describeWithPostgres('PostgreSQL', (postgres) => define(createBench('postgres', postgresPlaces(postgres))));
}

/** For what does not touch the database: once is enough. */
export function inMemory(define: (bench: Bench) => void): void {
  define(createBench('memory', inMemoryPlace));
}

/** Where the databases of a bench are. */
interface Places {
  fresh(): Promise<string>;
  /** Takes a database that nobody uses any more, to give it to another test. */
  reuse?(location: string): Promise<void>;
}

const inMemoryPlace: Places = { fresh: () => Promise.resolve(':memory:') };

// Making the tables takes longer than most tests: it is done once, and each test gets a copy.

async function makeTables(location: string): Promise<string> {
  const store = await openStore({ location, schema: SCHEMA, migrations });
  await store.close();
  return location;
}

function filePlaces(folder: string): Places {
  let template: Promise<string> | undefined;
  return {
    async fresh() {
      const from = await (template ??= makeTables(join(folder, 'template.db')));
      const file = join(folder, `${randomUUID()}.db`);
      copyFileSync(from, file);
      return file;
    },
  };
}

function postgresPlaces(postgres: () => Postgres): Places {
  let template: Promise<string> | undefined;
  let emptying: Promise<string> | undefined;
  const empty: string[] = [];
  return {
    async fresh() {
      const from = await (template ??= postgres().createDatabase().then(makeTables));
      return empty.pop() ?? postgres().createDatabase(from);
    },
    // To copy a database and to drop it takes the server several times as long as to empty it.
    async reuse(location) {
      const statements = await (emptying ??= emptyingLike((await template) as string));
      await withClient(location, (client) => client.query(statements));
      empty.push(location);
    },
  };
}

/** The statements that make a database as the template is: without rows, and with the same IDs next. */
async function emptyingLike(template: string): Promise<string> {
  return withClient(template, async (client) => {
    const { rows } = await client.query<{ name: string; isTable: boolean }>(
      `select format('%I.%I', schemaname, tablename) as name, true as "isTable" from pg_tables
         where schemaname = '${SCHEMA}' and tablename <> 'store_migration'
       union all
       select format('%I.%I', schemaname, sequencename), false from pg_sequences where schemaname = '${SCHEMA}'`,
    );
    const statements: string[] = [];
    for (const { name, isTable } of rows) {
      if (isTable) statements.push(`delete from ${name}`);
      else {
        const sequence = await client.query<{ state: string }>(
          `select last_value || ', ' || is_called as state from ${name}`,
        );
        statements.push(`select setval('${name}', ${sequence.rows[0]!.state})`);
      }
    }
    return statements.join(';');
  });
}

function createBench(store: Bench['store'], { fresh, reuse }: Places): Bench {
  return {
    store,
    location: fresh,
    shared(options) {
      let running: TestSandbox | undefined;
      beforeAll(async () => {
        running = await startTestSandbox({ location: await fresh(), ...options });
      });
      afterAll(() => running?.close());
      return () => running as TestSandbox;
    },
    async start(options = {}) {
      const location = options.location ?? (await fresh());
      const sandbox = await startTestSandbox({ ...options, location });
      let closing: Promise<void> | undefined;
      // A test may close it early, to start it again on the same database.
      const close = () => (closing ??= sandbox.close());
      onTestFinished(async () => {
        await close();
        if (options.location === undefined) await reuse?.(location);
      });
      return { ...sandbox, close };
    },
    async receiver() {
      const receiver = await startReceiver();
      onTestFinished(() => receiver.close());
      return receiver;
    },
    sample: (cases) =>
      store === 'postgres' && !everyStore ? cases.filter((_, index) => index % 3 === 0) : [...cases],
  };
}
