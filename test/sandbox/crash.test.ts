import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { survive } from './model/crash.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paydesk-crash-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('killed in the middle of work again and again, it loses nothing and does nothing twice', async () => {
  const report = await survive({ location: join(folder, 'sandbox.db'), processes: 1, kills: 4, seed: 7 });
  expect(report.payments).toBeGreaterThan(10);
  expect(report.lost).toBeGreaterThan(4);
});
