import { closeSync, openSync, write } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OutputStream } from '../../src/output/streams.js';
import { commandNames } from './cases.js';
import { openWholeDesk, wholeCases, type WholeDesk } from './whole-desk.js';

// Every command writes to /dev/full, which takes nothing.

let desk: WholeDesk;
let full: number;
beforeAll(async () => {
  full = openSync('/dev/full', 'w');
  desk = await openWholeDesk();
});
afterAll(async () => {
  await desk.close();
  closeSync(full);
});

it('every command has a case', () => {
  expect(Object.keys(wholeCases).toSorted()).toEqual(commandNames.toSorted());
});

it.each(Object.entries(wholeCases))('%s says that its output is lost', async (name, wanted) => {
  for (const [other, ...words] of wanted.before ?? []) {
    expect(await desk.run(other, await desk.filled(words))).toMatchObject({ code: 0 });
  }
  const stdout: OutputStream = {
    write: (text, done) => write(full, text, (error) => done?.(error)),
  };
  const { code, stderr } = await desk.run(name, await desk.filled(wanted.words), { stdout });
  expect({ code, stderr }).toEqual({ code: wanted.exit ?? 10, stderr: expect.any(String) });
  if (wanted.exit !== undefined) return;
  expect(stderr).toContain('Error: The output could not be written: the disk is full.');
  const [, after = ''] = stderr.split('the disk is full.');
  if (wanted.outcome) expect(after).toMatch(wanted.outcome);
  expect(after.includes('Nothing was changed.')).toBe(wanted.outcome === undefined);
});
