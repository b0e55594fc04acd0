import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeWithPostgres } from '../helpers/postgres.js';
import { survive } from '../sandbox/model/crash.js';
import { proofSeed, scaled } from './scale.js';

test(`a process on a file, killed again and again, from seed ${proofSeed}`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'paydesk-crash-'));
  try {
    const kills = scaled(200);
    const location = join(folder, 'sandbox.db');
    const report = await survive({ location, processes: 1, kills, seed: proofSeed });
    expect(report.lost).toBeGreaterThan(kills);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

describeWithPostgres('killed on PostgreSQL', (postgres) => {
  test(`two processes, one of them killed again and again, from seed ${proofSeed}`, async () => {
    const location = await postgres().createDatabase();
    const kills = scaled(100);
    const report = await survive({ location, processes: 2, kills, seed: proofSeed });
    expect(report.lost).toBeGreaterThan(kills);
  });
});
