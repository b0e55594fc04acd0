import { statement } from '../store/statement.js';
import type { SqlRunner, StatementStore } from '../store/types.js';
import { databaseTime, steadyNow, type SteadyTime } from './steady-clock.js';

export interface ClockOptions {
  /** In place of the database's clock; a simulation has its own. */
  now?: () => number;
  /** In place of the steady clock of the machine or the database. */
  steady?: () => SteadyTime;
}

export type Clocks = ReturnType<typeof createClocks>;

export const steadyColumns = ({ boot, ms }: SteadyTime) => ({ boot, steady_ms: ms });

interface DatabaseClock {
  now: number;
  start: number;
}

/** On PostgreSQL. */
const databaseClocks = statement<DatabaseClock, never>(
  `select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as now,
     cast(extract(epoch from pg_postmaster_start_time()) * 1000 as bigint) as start`,
);

/** The clocks that a ledger goes by: of this machine, or of the database that several machines share. */
export function createClocks({ engine }: StatementStore, { now, steady }: ClockOptions) {
  async function databaseClock(db: SqlRunner): Promise<DatabaseClock> {
    const [clock] = await databaseClocks(db, engine, {});
    return clock as DatabaseClock;
  }

  async function wall(db: SqlRunner): Promise<number> {
    if (now) return now();
    return engine === 'sqlite' ? Date.now() : (await databaseClock(db)).now;
  }

  return {
    wall,
    /** Several machines on one database go by its clock. */
    async steady(db: SqlRunner): Promise<SteadyTime> {
      if (steady) return steady();
      if (engine === 'sqlite') return steadyNow();
      const clock = await databaseClock(db);
      return databaseTime(clock.start, clock.now);
    },
  };
}
