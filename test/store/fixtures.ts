import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Generated } from 'kysely';
import { afterEach, describe } from 'vitest';
import * as columns from '../../src/store/columns.js';
import { openStore, type OpenOptions, type Store } from '../../src/store/store.js';
import { describeWithPostgres } from '../helpers/postgres.js';
import { createMigrations } from './tables.js';

export const migrations = createMigrations(columns);

export interface Tables {
  payment: {
    id: Generated<number>;
    reference: string;
    amount: string | null;
    created_time: number | null;
    body: Uint8Array | null;
  };
  job: {
    id: Generated<number>;
    payment_id: number;
    kind: string;
    due_time: number;
    lease_until: number | null;
    lease_owner: string | null;
    finished: Generated<number>;
  };
  counter: { name: string; value: number };
}

export interface Bench {
  /** Address of a fresh database that goes away with the test. */
  location: () => Promise<string>;
  /** Opens a store that is closed with the test. */
  open: (location: string, options?: Partial<OpenOptions>) => Promise<Store<Tables>>;
}

export function schemaOptions(location: string, options: Partial<OpenOptions> = {}): OpenOptions {
  return { location, schema: 'paydesk_test', migrations, ...options };
}

function createBench(location: (folder: string) => string | Promise<string>): Bench {
  const opened: Store<Tables>[] = [];
  const folders: string[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  return {
    async location() {
      const folder = mkdtempSync(join(tmpdir(), 'paydesk-store-'));
      folders.push(folder);
      return location(folder);
    },
    async open(address, options) {
      const store = await openStore<Tables>(schemaOptions(address, options));
      opened.push(store);
      return store;
    },
  };
}

export function describeFile(name: string, define: (bench: Bench) => void): void {
  describe(`${name}, SQLite file`, () => define(createBench((folder) => join(folder, 'test.db'))));
}

export function describeMemory(name: string, define: (bench: Bench) => void): void {
  describe(`${name}, SQLite in memory`, () => define(createBench(() => ':memory:')));
}

export function describePostgres(name: string, define: (bench: Bench) => void): void {
  describeWithPostgres(`${name}, PostgreSQL`, (postgres) =>
    define(createBench(() => postgres().createDatabase())),
  );
}

/** The same tests where several processes may come to the data. */
export function describeShared(name: string, define: (bench: Bench) => void): void {
  describeFile(name, define);
  describePostgres(name, define);
}

/** The same tests on everything that a store can be. */
export function describeEverywhere(name: string, define: (bench: Bench) => void): void {
  describeMemory(name, define);
  describeShared(name, define);
}
