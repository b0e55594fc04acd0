import { createWriteStream, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { startNumberedService } from '../commands/payments/numbered-service.js';
import { describeWithPostgres } from '../helpers/postgres.js';
import { paydesk } from '../helpers/run.js';
import { proofSeed, scaled } from './scale.js';

const ROWS = 1_000_000;
/** So that it is killed a few times at every scale. */
const MIN_ROWS = 20_000;
const KILLS = 25;
/** What may be read and not yet written when a run is killed. */
const READ_AHEAD = 2_000;

function* references(rows: number): Generator<string> {
  yield 'reference\n';
  for (let row = 1; row <= rows; row += 1) yield `ref-${row}\n`;
}

/** Killed again and again until it is finished: every row became known once, and hardly any was read twice. */
async function prove(rows: number, database: Record<string, string>): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'paydesk-import-proof-'));
  const file = join(home, 'orders.csv');
  await pipeline(references(rows), createWriteStream(file));
  let [reads, kills, state] = [0, 0, proofSeed + 1];
  let onRead = () => {};
  const service = await startNumberedService(() => {
    reads += 1;
    onRead();
  });
  const env = { ...service.env, ...database };
  try {
    for (;;) {
      state = (state * 16_807) % 2_147_483_647;
      const stopAt = reads + READ_AHEAD + (state % Math.ceil((2 * rows) / KILLS));
      const result = await paydesk(['payments', 'import', file, '--json'], {
        env,
        home,
        onStarted: (child) => (onRead = () => void (reads === stopAt && child.kill('SIGKILL'))),
      });
      if (result.code === -1) {
        kills += 1;
        continue;
      }
      expect(JSON.parse(result.stdout)).toMatchObject({ rows, new: rows, changed: 0, same: 0, problems: [] });
      break;
    }
    process.stdout.write(`${rows} rows, ${kills} kills, ${reads} reads, from seed ${proofSeed}\n`);
    expect(kills).toBeGreaterThan(0);
    expect(reads).toBeLessThanOrEqual(rows + kills * READ_AHEAD);
    for (const row of [1, Math.ceil(rows / 2), rows]) {
      const found = await paydesk(['payments', 'find', `ref-${row}`, '--json'], { env, home });
      expect(JSON.parse(found.stdout)).toMatchObject([{ referenceId: `ref-${row}` }]);
    }
  } finally {
    await service.close();
  }
}

test(`an import on SQLite, killed until it is finished, from seed ${proofSeed}`, () =>
  prove(Math.max(MIN_ROWS, scaled(ROWS)), {}));

describeWithPostgres('an import on PostgreSQL', (postgres) => {
  test(`killed until it is finished, from seed ${proofSeed}`, async () =>
    prove(Math.max(MIN_ROWS, scaled(ROWS / 10)), { PAYDESK_DATABASE: await postgres().createDatabase() }));
});
