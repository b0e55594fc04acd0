import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkOrderFile } from '../../src/import/order-file.js';
import { layoutOf } from '../../src/import/order-rows.js';

/** More than is read from a file at once. */
const ROWS = 20_000;

test.each([0, 1, 7_000, ROWS - 1, ROWS])('a file is continued after row %i', async (first) => {
  const path = join(mkdtempSync(join(tmpdir(), 'paydesk-orders-')), 'orders.csv');
  const references = Array.from({ length: ROWS }, (_, index) => `ref-${index + 1}`);
  writeFileSync(path, `reference\n${references.join('\n')}\n`);
  const { rows, rowsFrom } = await checkOrderFile(path, layoutOf([]));
  expect(rows).toBe(ROWS);
  const pieces = await Array.fromAsync(rowsFrom(first));
  if (first === 0) expect(pieces.length).toBeGreaterThan(1);
  expect(pieces.flat().map(({ name }) => name.typed)).toEqual(
    references.slice(first).map((name) => `ref:${name}`),
  );
});
