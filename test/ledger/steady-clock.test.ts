import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { createClocks } from '../../src/ledger/clocks.js';
import { openDeskDatabase } from '../../src/ledger/database.js';
import { databaseTime, databaseTimeIn, elapsedSince } from '../../src/ledger/steady-clock.js';
import { describeWithPostgres } from '../helpers/postgres.js';

const MINUTE = 60_000;

it('counts only the time since a database was started again, whatever its clock says', () => {
  const sent = databaseTime(0, 5 * MINUTE);
  // Its clock was set 20 minutes ahead, and it was started again 30 seconds ago.
  const start = 25 * MINUTE;
  expect(elapsedSince(sent, databaseTime(start, start + 30_000))).toBe(30_000);
  expect(elapsedSince(sent, databaseTime(0, 6 * MINUTE))).toBe(MINUTE);
});

it('counts no time while the clock of a database is behind where it was', () => {
  const sent = databaseTime(0, 5 * MINUTE);
  expect(elapsedSince(sent, databaseTime(0, 5 * MINUTE - 1_000))).toBe(0);
  expect(elapsedSince(sent, databaseTime(0, 5 * MINUTE + 2_000))).toBe(2_000);
});

it('goes by the clock where another server took over that had been running before', () => {
  const sent = databaseTime(10 * MINUTE, 60 * MINUTE);
  expect(elapsedSince(sent, databaseTime(0, 60 * MINUTE + 5_000))).toBe(5_000);
  expect(elapsedSince(sent, databaseTime(0, 60 * MINUTE - 5_000))).toBe(0);
});

it('reads the time of a database off a machine, and that of a machine not at all', () => {
  expect(databaseTimeIn(databaseTime(MINUTE, 0).boot, 3 * MINUTE)).toEqual(databaseTime(MINUTE, 3 * MINUTE));
  expect(databaseTimeIn('a5f1c2', 3 * MINUTE)).toBeUndefined();
});

describeWithPostgres('a ledger on PostgreSQL', (postgres) => {
  it('goes by the time since its server was started', async () => {
    const location = await postgres().createDatabase();
    const { store, close } = await openDeskDatabase({ location, operator: 'ada' });
    const clocks = createClocks(store, {});
    const [one, two] = [await clocks.steady(store.db), await clocks.steady(store.db)];
    expect(two.boot).toBe(one.boot);
    expect(two.ms).toBeGreaterThanOrEqual(one.ms);
    const { rows } = await sql<{
      start: Date;
    }>`select pg_postmaster_start_time() as start`.execute(store.db);
    const counted = Number(one.boot.split(' ')[1]) - new Date(rows[0]!.start).getTime();
    // The driver cuts microseconds off, and the database rounds them.
    expect(Math.abs(counted)).toBeLessThanOrEqual(1);
    await close();
  });
});
