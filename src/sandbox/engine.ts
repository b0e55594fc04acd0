import { randomBytes } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import { openStore, type Store } from '../store/store.js';
import { createClock, type SandboxClock } from './clock.js';
import { createAppDirectory, type AppDirectory } from './domain/apps.js';
import { createFirstApps } from './domain/defaults.js';
import { createFaults, type Faults } from './domain/faults.js';
import type { Work } from './domain/work.js';
import {
  createGenerations,
  findGeneration,
  startFirstGeneration,
  type Generation,
  type Generations,
} from './generation.js';
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
  /** Where the clock stands, stopped, in a new database and after a reset. */
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
  readonly generations: Generations;
  derive(purpose: string, key: string | number): string;
  /**
   * Runs rules in one transaction at the clock's time; workers and watchers are notified after the
   * commit. `via` says where it came from.
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
  /** Forgets what is kept in memory; after a commit that changed apps, clock or faults. */
  refresh(): void;
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
  const generations = createGenerations(store);
  const { derive } = generations;
  const clock = createClock(store, options.realNow ?? Date.now, options.clock);
  const apps = createAppDirectory(store);
  const faults = createFaults(store, derive);
  const { onDueWork, onChange, announceDueWork, changed } = createSignals();

  function refresh(): void {
    clock.changed();
    apps.changed();
    faults.changed();
    announceDueWork();
    changed();
  }

  const write = createWrite({ store, clock, apps, faults, generations }, { announceDueWork, changed });

  try {
    const prepared = await isPrepared(store);
    if (!prepared) {
      await store.transaction(async (tx) => {
        await startFirstGeneration(tx, secretOf(options));
        await clock.start(tx);
      });
    }
    await generations.read();
    await freeLeases(store);
    if (!prepared) await write(createFirstApps);
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
    generations,
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
    close: () => store.close(),
  };
}

type Tools = Pick<SandboxEngine, 'store' | 'clock' | 'apps' | 'faults' | 'generations'>;

function createWrite(
  tools: Tools,
  { announceDueWork, changed }: Pick<Signals, 'announceDueWork' | 'changed'>,
): SandboxEngine['write'] {
  const { store, clock, apps, faults, generations } = tools;
  return async (run, via) => {
    // On a shared database the clock is read inside the transaction; alone, it is in memory already.
    const early = store.shared ? undefined : (await clock.read()).now;
    let isDue = false;
    let touched = new Set<number>();
    let started: Generation | undefined;
    const result = await store.transaction(async (tx) => {
      const now = early ?? (await clock.read(tx)).now;
      // The transaction may be run again.
      isDue = false;
      touched = new Set();
      started = undefined;
      return run({
        tx,
        store,
        now,
        via: via ?? null,
        apps,
        faults,
        derive: generations.derive,
        leavesWork: () => (isDue = true),
        touches: (paymentId) => touched.add(paymentId),
        startsGeneration: (generation) => (started = generation),
      });
    });
    if (started) generations.started(started);
    if (isDue) announceDueWork();
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
    announceDueWork(): void {
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
    tx.updateTable('events').set({ lease_until: null }).where('finished', '=', sql.lit(0)).execute(),
  );
}

/** Whether an earlier run has prepared the database: nothing has to be written to it. */
async function isPrepared({ db, engine }: Store<SandboxTables>): Promise<boolean> {
  if (!(await findGeneration(db, engine))) return false;
  const { rows } =
    await sql`select 1 where exists (select 1 from clock) and exists (select 1 from apps)`.execute(db);
  return rows.length > 0;
}

/** From which keys, ids and signatures are derived. */
const secretOf = ({ seed }: EngineOptions): string =>
  seed === undefined ? randomBytes(32).toString('hex') : `seed-${seed}`;
