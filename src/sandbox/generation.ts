import { hash, randomBytes } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import { prepared } from '../store/prepared.js';
import type { Engine, Store } from '../store/store.js';
import type { SandboxTables } from './schema.js';

const SECRET_KEY = 'secret';
const ID_KEY = 'generation';
const NUMBER_KEY = 'generation-number';

/** These settings belong to a sandbox and not to what is in it. */
export const isGenerationKey = (key: string): boolean => key === ID_KEY || key === NUMBER_KEY;

/** A reset and an import give ids a second time. Each starts a new generation. */
export interface Generation {
  /** Random, so that a client can tell a payment from one that had its id before. */
  id: string;
  /** How many this database had before. Counted, so that a run with a seed can be repeated with its resets. */
  number: number;
  /** Made from the seed, or random. A reset keeps it, an import brings its own. */
  secret: string;
}

export interface Generations {
  /** The current one: from memory where no other process can start one, else from the database. */
  read(): Promise<Generation>;
  /** To be called after a commit that started one. */
  started(generation: Generation): void;
  /** A repeatable secret for a name. It is of the generation that was read last: read it before each piece of work. */
  derive(purpose: string, key: string | number): string;
  /** The same, kept in memory: for what is in every answer. */
  deriveOften(purpose: string, key: string | number): string;
}

const MAX_DERIVED = 2_000;

/** A reset keeps the apps and their keys, and the same calls fail again. Everything else belongs to one generation. */
const KEPT_BY_RESET = new Set(['app', 'api-key', 'fault']);

export function createGenerations(store: Store<SandboxTables>): Generations {
  let current: Generation | undefined;
  let reads = 0;
  let newest = 0;
  /** What `deriveOften` made, of the current generation. */
  const derived = new Map<string, string>();

  function setCurrent(generation: Generation): void {
    if (current?.id !== generation.id) derived.clear();
    current = generation;
  }

  const derive: Generations['derive'] = (purpose, key) => {
    if (!current) throw new Error('No generation has been read yet.');
    return deriveFrom(current, purpose, key);
  };

  return {
    async read() {
      if (current && !store.shared) return current;
      const turn = ++reads;
      const found = await requireGeneration(store.db, store.engine);
      // Reads can overtake each other: the answer to an older one must not replace that to a newer one.
      if (turn > newest) {
        newest = turn;
        setCurrent(found);
      }
      return found;
    },
    started(generation) {
      newest = ++reads;
      setCurrent(generation);
    },
    derive,
    deriveOften(purpose, key) {
      const name = `${purpose}:${key}`;
      const known = derived.get(name);
      if (known !== undefined) return known;
      if (derived.size >= MAX_DERIVED) derived.clear();
      const secret = derive(purpose, key);
      derived.set(name, secret);
      return secret;
    },
  };
}

export function deriveFrom({ secret, number }: Generation, purpose: string, key: string | number): string {
  // The first generation has no mark, so that a seed gives what it always gave.
  const mark = number === 0 || KEPT_BY_RESET.has(purpose) ? '' : `${number}:`;
  return hash('sha256', `${secret}:${mark}${purpose}:${key}`);
}

const settings = prepared<SandboxTables, { key: string; value: string }>((db) =>
  db
    .selectFrom('settings')
    .selectAll()
    .where(
      'key',
      'in',
      [SECRET_KEY, ID_KEY, NUMBER_KEY].map((key) => sql.lit(key)),
    ),
);

/** Undefined for a database that was not prepared yet. */
export async function findGeneration(
  db: Kysely<SandboxTables>,
  engine: Engine,
): Promise<Generation | undefined> {
  const values = new Map((await settings(db, engine, {})).map(({ key, value }) => [key, value]));
  const [secret, id] = [values.get(SECRET_KEY), values.get(ID_KEY)];
  if (secret === undefined || id === undefined) return undefined;
  return { id, number: Number(values.get(NUMBER_KEY) ?? 0), secret };
}

export async function requireGeneration(db: Kysely<SandboxTables>, engine: Engine): Promise<Generation> {
  const found = await findGeneration(db, engine);
  if (!found) throw new Error('The sandbox has no generation.');
  return found;
}

/** As a condition of a statement: nothing was reset or imported since that one. */
export const isCurrent = (id: string) =>
  sql<boolean>`exists (select 1 from settings where key = ${ID_KEY} and value = ${id})`;

// Random also with --seed: two runs of one seed give the same ids to different payments.
const newId = () => randomBytes(12).toString('hex');

/** For a new database; one that has a generation keeps it. */
export async function startFirstGeneration(tx: Kysely<SandboxTables>, secret: string): Promise<void> {
  await tx
    .insertInto('settings')
    .values([
      { key: SECRET_KEY, value: secret },
      { key: ID_KEY, value: newId() },
    ])
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
}

/** With the secret that the settings have now. */
export async function startNextGeneration(
  tx: Kysely<SandboxTables>,
  engine: Engine,
  number: number,
): Promise<Generation> {
  const values = { [ID_KEY]: newId(), [NUMBER_KEY]: String(number) };
  for (const [key, value] of Object.entries(values)) {
    await tx
      .insertInto('settings')
      .values({ key, value })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
      .execute();
  }
  return requireGeneration(tx, engine);
}
