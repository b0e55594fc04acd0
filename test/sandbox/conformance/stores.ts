import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest';
import type { SandboxOptions } from '../../../src/sandbox/sandbox.js';
import { describeWithPostgres } from '../../helpers/postgres.js';
import { startReceiver, startTestSandbox, type Receiver, type TestSandbox } from '../../helpers/sandbox.js';

/** What a suite runs on: one of the stores that a sandbox can have. */
export interface Bench {
  readonly store: 'memory' | 'file' | 'postgres';
  /** The address of a fresh database that goes away with the test. */
  location(): Promise<string>;
  /** One sandbox for all tests of a group: call it while the group is defined. */
  shared(options?: Partial<SandboxOptions>): () => TestSandbox;
  /** A sandbox of the test's own, on a fresh database unless a location is given. */
  start(options?: Partial<SandboxOptions>): Promise<TestSandbox>;
  receiver(): Promise<Receiver>;
}

/** The same tests on SQLite in memory, on a SQLite file and on PostgreSQL. */
export function onEveryStore(define: (bench: Bench) => void): void {
  describe('SQLite in memory', () => define(createBench('memory', async () => ({ location: ':memory:' }))));
  describe('SQLite file', () => define(createBench('file', fileLocation)));
  describeWithPostgres('PostgreSQL', (postgres) =>
    define(createBench('postgres', async () => ({ location: await postgres().createDatabase() }))),
  );
}

/** For what does not touch the database: once is enough. */
export function inMemory(define: (bench: Bench) => void): void {
  define(createBench('memory', async () => ({ location: ':memory:' })));
}

interface Place {
  location: string;
  remove?(): void;
}

async function fileLocation(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'paydesk-sandbox-'));
  return {
    location: join(folder, 'sandbox.db'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function createBench(store: Bench['store'], makePlace: () => Promise<Place>): Bench {
  async function location(): Promise<string> {
    const place = await makePlace();
    onTestFinished(() => place.remove?.());
    return place.location;
  }
  return {
    store,
    location,
    shared(options) {
      let running: TestSandbox | undefined;
      let place: Place | undefined;
      beforeAll(async () => {
        place = await makePlace();
        running = await startTestSandbox({ location: place.location, ...options });
      });
      afterAll(async () => {
        await running?.close();
        place?.remove?.();
      });
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
  };
}
