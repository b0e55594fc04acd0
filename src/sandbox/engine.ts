import { hash, randomBytes } from 'node:crypto';
import { sql, type Kysely, type Transaction } from 'kysely';
import { openStore, type Store } from '../store/store.js';
import { createClock, type SandboxClock } from './clock.js';
import { createAppDirectory, type AppDirectory } from './domain/apps.js';
import { createFirstApps } from './domain/defaults.js';
import { createFaults, type Faults } from './domain/faults.js';
import type { Work } from './domain/work.js';
import { createGeneration, beginGeneration, GENERATION_KEY, type Generation } from './generation.js';
import { migrations } from './migrations.js';
import type { SandboxTables } from './schema.js';

export const SCHEMA = 'paydesk_sandbox';

/** How often to look for work that another process left, on a shared database. */
const SHARED_POLL_MS = 500;

interface EngineOptions {
  /** `:memory:`, a file, or postgres://… */
  location: string;
  /** Makes ids, keys and outcomes repeatable. */
  seed?: number;
  realNow?: () => number;
  /** Where the clock of a new database stands, stopped. */
  clock?: number;
  /** Shown to a process that finds the file locked. */
  owner?: Record<string, unknown>;
}

type ChangeListener = (paymentId: number | undefined) => void;

/** The sandbox without its HTTP side: the database, the clock, and transactions for the rules. */
export interface SandboxEngine {
  readonly store: Store<SandboxTables>;
  readonly clock: SandboxClock;
  readonly apps: AppDirectory;
  readonly faults: Faults;
  readonly generation: Generation;
  derive(purpose: string, key: string | number): string;
  /**
   * Runs rules in one transaction at the clock's time; workers and watchers are notified after the
   * commit. `via` is the door by which it came in.
   */
  write<T>(run: (work: Work) => Promise<T>, via?: string): Promise<T>;
  /** Rules that only read, on committed data. */
  read<T>(run: (work: Pick<Work, 'tx' | 'store'>) => Promise<T>): Promise<T>;
  /** Called after a commit that left something to do, and when the clock or the faults changed. */
  onDueWork(listener: () => void): void;
  /** Called with the payment after a commit that changed something about it, without one when it may be anything. */
  onChange(listener: ChangeListener): void;
  /** To be called after a commit that changed something outside `write`. */
  changed(paymentId?: number): void;
  /** How long until an instant of the clock, in real milliseconds; undefined when it does not come by itself. */
  waitUntil(instant: number | undefined): Promise<number | undefined>;
  /** Forgets what is kept in memory; after a commit that changed apps, clock, faults or the generation. */
  refresh(): void;
  /** As refresh, and the secret too; after everything was replaced. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

export async function createEngine(options: EngineOptions): Promise<SandboxEngine> {
  const store = await openStore<SandboxTables>({
    location: options.location,
    schema: SCHEMA,
    migrations,
    exclusive: true,
    ...(options.owner && { owner: options.owner }),
  });
  let secret = '';
  const derive = (purpose: string, key: string | number) => hash('sha256', `${secret}:${purpose}:${key}`);
  const clock = createClock(store, options.realNow ?? Date.now);
  const apps = createAppDirectory(store);
  const faults = createFaults(store, derive);
  const generation = createGeneration(store);
  const { onDueWork, onChange, tell, changed } = createSignals();

  function refresh(): void {
    clock.changed();
    apps.changed();
    faults.changed();
    generation.changed();
    tell();
    changed();
  }

  const write = createWrite({ store, clock, apps, faults, derive }, { tell, changed });

  try {
    const kept = await keptSecret(store.db);
    secret = kept ?? (await store.transaction((tx) => prepare(tx, options)));
    await freeLeases(store);
    if (kept === undefined) await write(createFirstApps);
    refresh();
  } catch (error) {
    await store.close();
    throw error;
  }

  return {
    store,
    clock,
    apps,
    faults,
    generation,
    derive,
    write,
    read: (run) => run({ tx: store.db as Transaction<SandboxTables>, store }),
    onDueWork,
    onChange,
    changed,
    async waitUntil(instant) {
      const { now, stopped } = await clock.read();
      const wait =
        instant === undefined || (stopped && instant > now) ? undefined : Math.max(0, instant - now);
      return store.shared ? Math.min(wait ?? SHARED_POLL_MS, SHARED_POLL_MS) : wait;
    },
    refresh,
    async reload() {
      secret = await readSecret(store.db);
      refresh();
    },
    close: () => store.close(),
  };
}

type Tools = Pick<SandboxEngine, 'store' | 'clock' | 'apps' | 'faults' | 'derive'>;

function createWrite(
  tools: Tools,
  { tell, changed }: Pick<Signals, 'tell' | 'changed'>,
): SandboxEngine['write'] {
  const { store, clock, apps, faults, derive } = tools;
  return async (run, via) => {
    // On a shared database the clock is read inside the transaction; alone, it is in memory already.
    const early = store.shared ? undefined : (await clock.read()).now;
    let isDue = false;
    let touched = new Set<number>();
    const result = await store.transaction(async (tx) => {
      const now = early ?? (await clock.read(tx)).now;
      // The transaction may be run again.
      touched = new Set();
      return run({
        tx,
        store,
        now,
        via: via ?? null,
        apps,
        faults,
        derive,
        leavesWork: () => (isDue = true),
        touches: (paymentId) => touched.add(paymentId),
      });
    });
    if (isDue) tell();
    for (const paymentId of touched) changed(paymentId);
    return result;
  };
}

type Signals = ReturnType<typeof createSignals>;

/** Who waits for work that is due, and who watches changes. */
function createSignals() {
  const listeners: Array<() => void> = [];
  const watchers: ChangeListener[] = [];
  return {
    onDueWork: (listener: () => void) => void listeners.push(listener),
    onChange: (listener: ChangeListener) => void watchers.push(listener),
    tell(): void {
      for (const listener of listeners) listener();
    },
    changed(paymentId?: number): void {
      for (const watcher of watchers) watcher(paymentId);
    },
  };
}

/** Alone with the file, a lease can only be one that a killed process left. */
async function freeLeases(store: Store<SandboxTables>): Promise<void> {
  if (store.shared) return;
  const leased = await store.db
    .selectFrom('events')
    .select('id')
    .where('finished', '=', sql.lit(0))
    .where('lease_until', 'is not', null)
    .executeTakeFirst();
  if (leased === undefined) return;
  await store.transaction((tx) =>
    tx.updateTable('events').set({ lease_until: null }).where('finished', '=', 0).execute(),
  );
}

/** The secret of a database that an earlier run has prepared: nothing has to be written to it. */
async function keptSecret(db: Kysely<SandboxTables>): Promise<string | undefined> {
  const { rows } = await sql<{ value: string }>`select value from settings where key = 'secret'
    and exists (select 1 from settings where key = ${GENERATION_KEY})
    and exists (select 1 from clock) and exists (select 1 from apps)`.execute(db);
  return rows[0]?.value;
}

/** The secret from which keys, ids and signatures are derived: from the seed, or random and kept. */
async function prepare(
  tx: Kysely<SandboxTables>,
  { seed, clock, realNow = Date.now }: EngineOptions,
): Promise<string> {
  await tx
    .insertInto('settings')
    .values({ key: 'secret', value: seed === undefined ? randomBytes(32).toString('hex') : `seed-${seed}` })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
  await beginGeneration(tx);
  const now = realNow();
  await tx
    .insertInto('clock')
    .values({ id: 1, stopped: clock === undefined ? 0 : 1, at: clock ?? now, real: now })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  return readSecret(tx);
}

async function readSecret(db: Kysely<SandboxTables>): Promise<string> {
  const { value } = await db
    .selectFrom('settings')
    .select('value')
    .where('key', '=', 'secret')
    .executeTakeFirstOrThrow();
  return value;
}
