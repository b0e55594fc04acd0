import { expect, test } from 'vitest';
import { checkBooks } from '../commands/batch/books.js';
import { toldOf } from '../commands/batch/batches.js';
import { killUntilFinished, openProcessDesk, type ProcessDesk } from '../commands/batch/processes.js';
import { describeWithPostgres } from '../helpers/postgres.js';
import { eventually } from '../helpers/sandbox.js';
import { proofSeed, scaled } from './scale.js';

const ROWS = 10_000;
const QUIET_MS = 2 * 60_000;

function seeded(seed: number): () => number {
  let state = (seed % 2_147_483_646) + 1;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

/** Killed until it is finished; then a person decides about what was never sent, and every row was told once. */
async function prove(desk: ProcessDesk, runners: number): Promise<void> {
  const kills = { runners, random: seeded(proofSeed), longest: 2_000 };
  const report = await killUntilFinished(desk, kills);
  const { unknown } = await checkBooks(desk);
  process.stdout.write(`${desk.payments.length} rows, ${report.kills} kills, ${unknown} left to a person\n`);
  if (unknown > 0) {
    const { id } = await desk.status();
    // Rows are sent again once their quiet period is over, and not before.
    await eventually(async () => {
      await desk.run('resume', id as string, '--resend-unmoved', '--concurrency', '16');
      expect(await desk.status()).toMatchObject({ unknown: 0 });
    }, 5 * QUIET_MS);
  }
  expect(await desk.status()).toMatchObject({
    done: desk.payments.length,
    unknown: 0,
    pending: 0,
    state: 'finished',
  });
  const told = await toldOf(desk.sandbox, desk.payments, 'refund');
  expect(told.filter((count) => count !== 1)).toEqual([]);
}

test(`a batch on SQLite, killed until it is finished, from seed ${proofSeed}`, async () => {
  const desk = await openProcessDesk({ rows: scaled(ROWS), env: { PAYDESK_QUIET_PERIOD: '2m' } });
  try {
    await prove(desk, 1);
  } finally {
    await desk.close();
  }
});

describeWithPostgres('a batch on PostgreSQL', (postgres) => {
  test(`with three runners, killed until it is finished, from seed ${proofSeed}`, async () => {
    const database = await postgres().createDatabase();
    const desk = await openProcessDesk({ rows: scaled(ROWS), database, env: { PAYDESK_QUIET_PERIOD: '2m' } });
    try {
      await prove(desk, 3);
    } finally {
      await desk.close();
    }
  });
});
