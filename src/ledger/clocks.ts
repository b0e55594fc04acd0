import { sql, type Transaction } from 'kysely';
import type { Store } from '../store/store.js';
import type { DeskTables } from './schema.js';
import { databaseTime, steadyNow, type SteadyTime } from './steady-clock.js';

export type Tx = Transaction<DeskTables>;
export type Db = Tx | Store<DeskTables>['db'];

export interface ClockOptions {
  /** In place of the database's clock; a simulation has its own. */
  now?: () => number;
  /** In place of the steady clock of the machine or the database. */
  steady?: () => SteadyTime;
}

export type Clocks = ReturnType<typeof createClocks>;

export const steadyColumns = ({ boot, ms }: SteadyTime) => ({ boot, steady_ms: ms });

/** The clocks that a ledger goes by: of this machine, or of the database that several machines share. */
export function createClocks(store: Store<DeskTables>, { now, steady }: ClockOptions) {
  async function databaseClock(db: Db): Promise<{ now: number; start: number }> {
    const { rows } = await sql<{ now: number; start: number }>`select
      (extract(epoch from clock_timestamp()) * 1000)::bigint as now,
      (extract(epoch from pg_postmaster_start_time()) * 1000)::bigint as start`.execute(db);
    return rows[0] as { now: number; start: number };
  }

  async function wall(db: Db): Promise<number> {
    if (now) return now();
    return store.engine === 'sqlite' ? Date.now() : (await databaseClock(db)).now;
  }

  return {
    wall,
    /** Several machines on one database go by its clock. */
    async steady(db: Db): Promise<SteadyTime> {
      if (steady) return steady();
      if (store.engine === 'sqlite') return steadyNow();
      const clock = await databaseClock(db);
      return databaseTime(clock.start, clock.now);
    },
  };
}
