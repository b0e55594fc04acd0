import type { Kysely } from 'kysely';
import type { Store } from '../store/store.js';
import type { SandboxTables } from './schema.js';

interface ClockReading {
  now: number;
  stopped: boolean;
}

/** The time by which the sandbox lives: it can be stopped, set and advanced. Only a restart turns it back. */
export interface SandboxClock {
  read(db?: Kysely<SandboxTables>): Promise<ClockReading>;
  /** Moves the clock forward to an instant; one that has passed leaves it as it is. */
  moveTo(tx: Kysely<SandboxTables>, instant: number): Promise<void>;
  stop(tx: Kysely<SandboxTables>): Promise<void>;
  resume(tx: Kysely<SandboxTables>): Promise<void>;
  /** For a new database; one that has a clock keeps it. */
  start(tx: Kysely<SandboxTables>): Promise<void>;
  /** As it was when the sandbox was started; returns its time. */
  restart(tx: Kysely<SandboxTables>): Promise<number>;
  /** To be called after a commit that changed it. */
  changed(): void;
}

interface Row {
  stopped: number;
  at: number;
  real: number;
}

/**
 * `realNow` is the machine's clock; the row in the database says how ours stands to it. It starts stopped at `startTime`,
 * or running with the machine without one.
 */
export function createClock(
  store: Store<SandboxTables>,
  realNow: () => number,
  startTime: number | undefined,
): SandboxClock {
  let kept: Row | undefined;

  async function row(db: Kysely<SandboxTables>): Promise<Row> {
    if (kept) return kept;
    const found = await db
      .selectFrom('clock')
      .select(['stopped', 'at', 'real'])
      .where('id', '=', 1)
      .executeTakeFirst();
    const loaded = found ?? { stopped: 0, at: realNow(), real: realNow() };
    if (!store.shared && found && db === store.db) kept = loaded;
    return loaded;
  }

  const nowOf = ({ stopped, at, real }: Row) => (stopped === 1 ? at : at + Math.max(0, realNow() - real));

  function firstRow(): Row {
    const real = realNow();
    return startTime === undefined ? { stopped: 0, at: real, real } : { stopped: 1, at: startTime, real };
  }

  async function save(tx: Kysely<SandboxTables>, values: Row): Promise<void> {
    await tx
      .insertInto('clock')
      .values({ id: 1, ...values })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
      .execute();
  }

  return {
    async read(db = store.db) {
      const current = await row(db);
      return { now: nowOf(current), stopped: current.stopped === 1 };
    },
    async moveTo(tx, instant) {
      const current = await row(tx);
      const now = nowOf(current);
      if (instant > now) await save(tx, { stopped: current.stopped, at: instant, real: realNow() });
    },
    async stop(tx) {
      const current = await row(tx);
      await save(tx, { stopped: 1, at: nowOf(current), real: realNow() });
    },
    async resume(tx) {
      const current = await row(tx);
      await save(tx, { stopped: 0, at: nowOf(current), real: realNow() });
    },
    async start(tx) {
      await tx
        .insertInto('clock')
        .values({ id: 1, ...firstRow() })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
    },
    async restart(tx) {
      const first = firstRow();
      await save(tx, first);
      return first.at;
    },
    changed: () => {
      kept = undefined;
    },
  };
}
