import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkOrderFile } from '../../src/import/order-file.js';
import { layoutOf } from '../../src/import/order-rows.js';
import { openTextFile } from '../../src/spreadsheet/text.js';
import { windows1252 } from '../helpers/windows-1252.js';

/** More than is read from a file at once. */
const ROWS = 20_000;

test.each([0, 1, 7_000, ROWS - 1, ROWS])('a file is continued after row %i', async (first) => {
  const path = join(mkdtempSync(join(tmpdir(), 'paydesk-orders-')), 'orders.csv');
  const references = Array.from({ length: ROWS }, (_, index) => `ref-${index + 1}`);
  writeFileSync(path, `reference\n${references.join('\n')}\n`);
  const { rows, rowsFrom } = await checkOrderFile(await openTextFile(path), layoutOf([]));
  expect(rows).toBe(ROWS);
  const pieces = await Array.fromAsync(rowsFrom(first));
  if (first === 0) expect(pieces.length).toBeGreaterThan(1);
  expect(pieces.flat().map(({ name }) => name.typed)).toEqual(
    references.slice(first).map((name) => `ref:${name}`),
  );
});

test('a file in Windows-1252 is continued as it began, though only its last row shows the encoding', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'paydesk-orders-')), 'orders.csv');
  const plain = Array.from({ length: ROWS - 1 }, (_, index) => `ref-${index + 1}`);
  writeFileSync(path, windows1252(`reference\n${[...plain, 'für-5-€'].join('\n')}\n`));
  const open = async () => checkOrderFile(await openTextFile(path), layoutOf([]));
  const [first, second] = [await open(), await open()];
  expect(second.fingerprint).toBe(first.fingerprint);
  for (const at of [0, ROWS - 2]) {
    const rows = (await Array.fromAsync(second.rowsFrom(at))).flat();
    expect([rows.length, rows.at(-1)?.name.typed]).toEqual([ROWS - at, 'ref:für-5-€']);
  }
});

test('a row with another order than an earlier one is marked, also where the file is continued', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'paydesk-orders-')), 'orders.csv');
  const plain = Array.from({ length: ROWS }, (_, index) => `ref-${index + 1},A-${index + 1}`);
  writeFileSync(path, `reference,order\n${[...plain, 'ref-1,A-1', 'ref-2,B-2', 'ref-3,'].join('\n')}\n`);
  const { rowsFrom, close } = await checkOrderFile(await openTextFile(path), layoutOf([]));
  for (const first of [0, ROWS]) {
    const rows = (await Array.fromAsync(rowsFrom(first))).flat();
    const marked = rows.filter(({ otherOrderOn }) => otherOrderOn !== undefined);
    expect(marked.map(({ line, otherOrderOn }) => [line, otherOrderOn])).toEqual([[ROWS + 3, 3]]);
  }
  await close();
});
