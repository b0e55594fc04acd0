import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest';
import { SCHEMA } from '../../../src/sandbox/engine.js';
import { migrations } from '../../../src/sandbox/migrations.js';
import type { SandboxOptions } from '../../../src/sandbox/sandbox.js';
import { openStore } from '../../../src/store/store.js';
import { describeWithPostgres, type Postgres } from '../../helpers/postgres.js';
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

const inMemoryPlace = () => Promise.resolve(':memory:');

// Making the tables takes longer than most tests: it is done once, and each test gets a copy.

async function makeTables(location: string): Promise<string> {
  const store = await openStore({ location, schema: SCHEMA, migrations });
  await store.close();
  return location;
}

function filePlaces(folder: string): () => Promise<string> {
  let template: Promise<string> | undefined;
  return async () => {
    const from = await (template ??= makeTables(join(folder, 'template.db')));
    const file = join(folder, `${randomUUID()}.db`);
    copyFileSync(from, file);
    return file;
  };
}

function postgresPlaces(postgres: () => Postgres): () => Promise<string> {
  let template: Promise<string> | undefined;
  return async () => {
    const from = await (template ??= postgres().createDatabase().then(makeTables));
    return postgres().createDatabase(from);
  };
}

function createBench(store: Bench['store'], location: () => Promise<string>): Bench {
  return {
    store,
    location,
    shared(options) {
      let running: TestSandbox | undefined;
      beforeAll(async () => {
        running = await startTestSandbox({ location: await location(), ...options });
      });
      afterAll(() => running?.close());
      return () => running as TestSandbox;
    },
    async start(options = {}) {
      const sandbox = await startTestSandbox({
        ...options,
        location: options.location ?? (await location()),
      });
      let closing: Promise<void> | undefined;
      // A test may close it early, to start it again on the same database.
      const close = () => (closing ??= sandbox.close());
      onTestFinished(close);
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
