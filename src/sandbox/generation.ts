import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Store } from '../store/store.js';
import type { SandboxTables } from './schema.js';

export const GENERATION_KEY = 'generation';

/**
 * A reset and an import give ids a second time. Each starts a new generation with a random id, so that a client can
 * tell a payment from one that had its id before.
 */
export interface Generation {
  read(): Promise<string>;
  /** To be called after a commit that renewed it. */
  changed(): void;
}

/** Kept in memory where no other process can renew it; read again each time on a shared database. */
export function createGeneration(store: Store<SandboxTables>): Generation {
  let kept: string | undefined;
  return {
    async read() {
      if (kept !== undefined) return kept;
      const { value } = await store.db
        .selectFrom('settings')
        .select('value')
        .where('key', '=', GENERATION_KEY)
        .executeTakeFirstOrThrow();
      if (!store.shared) kept = value;
      return value;
    },
    changed: () => {
      kept = undefined;
    },
  };
}

// Random also with --seed: two runs of one seed give the same ids to different payments.
const newGeneration = () => ({ key: GENERATION_KEY, value: randomBytes(12).toString('hex') });

/** For a new database; one that has a generation keeps it. */
export async function beginGeneration(tx: Kysely<SandboxTables>): Promise<void> {
  await tx
    .insertInto('settings')
    .values(newGeneration())
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
}

export async function renewGeneration(tx: Kysely<SandboxTables>): Promise<void> {
  const { key, value } = newGeneration();
  await tx
    .insertInto('settings')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}
