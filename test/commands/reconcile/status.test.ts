import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import ReconcileMap from '../../../src/commands/reconcile/map.js';
import { type Json, runCommand } from '../../helpers/desk.js';
import type { ShownPayment } from '../../helpers/sandbox.js';
import { openReconcileDesk, type ReconcileDesk } from './settlements.js';

let desk: ReconcileDesk;
let payment: ShownPayment;
beforeAll(async () => {
  desk = await openReconcileDesk();
  payment = await desk.paid();
  await desk.know(payment);
});
afterAll(() => desk.sandbox.close());

/** Two captures of a payment, with a cell more on each line. */
function twice(column: string, first: string, second: string): string {
  const file = desk.file(desk.line(payment), desk.line(payment, { captureId: 'cap_second' }));
  const [header, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  const cells = [first, second];
  writeFileSync(
    file,
    [`${header},${column}`, ...lines.map((line, at) => `${line},${cells[at]}`), ''].join('\n'),
  );
  return file;
}

async function run(file: string, map: string) {
  const plan = `${file}.plan.json`;
  const { json, stderr, code } = await desk.run([file, '--map', map, '--plan', plan, '--json']);
  const exceptions = (json['exceptions'] ?? []) as unknown as Json[];
  return { json, stderr: stderr.replaceAll(/\s+/g, ' '), code, exceptions, isPlanned: existsSync(plan) };
}

/** The mapping with a column for the status, and with more at its end. */
function mapWith(name: string, end: string): string {
  const map = join(desk.env['PAYDESK_HOME']!, name);
  const text = readFileSync(desk.map, 'utf8').replace('columns:\n', 'columns:\n  status: status\n');
  writeFileSync(map, `${text}${end}`);
  return map;
}

describe('a column of statuses that the mapping ignores', () => {
  it.each([
    'status',
    'Payment Status',
    'txStatus',
    'Zahlungsstatus',
    'State',
    'Result',
    'Estado',
    'Statut du paiement',
    'success',
    'Failure reason',
  ])('keeps a charge from being refunded: %s', async (column) => {
    const { exceptions, isPlanned, stderr } = await run(twice(column, 'settled', 'FAILED'), desk.map);
    expect(isPlanned).toBe(false);
    expect(exceptions).toHaveLength(1);
    expect(exceptions[0]).toMatchObject({ exception: 'captured-twice', next: { operation: 'recheck' } });
    expect(exceptions[0]?.['text']).toMatch(
      new RegExp(`the mapping ignores the column ${column}, and a charge may have failed\\.$`),
    );
    expect(stderr.split(`The mapping ignores the column ${column}`)).toHaveLength(2);
  });

  it.each(['net2', 'Billing state', 'Estate', 'Statement'])('is not %s', async (column) => {
    expect((await run(twice(column, 'settled', 'FAILED'), desk.map)).isPlanned).toBe(true);
  });
});

describe('a column of statuses in the mapping', () => {
  it('leaves out what did not count, which is evidence all the same', async () => {
    const map = mapWith('status.yaml', 'statuses: [Settled]\n');
    const failed = await run(twice('status', 'settled', 'FAILED'), map);
    expect(failed).toMatchObject({ code: 0, isPlanned: false, json: { lines: 1, matched: 1 } });
    expect(failed.stderr).toContain('1 line is left out by its status.');
    expect((await run(twice('status', 'settled', 'SETTLED'), map)).isPlanned).toBe(true);
    const none = await run(twice('status', 'x', 'y'), map);
    expect(none.code).toBe(2);
    expect(none.json).toMatchObject({
      error: { details: [{ problem: 'no line has a status that counts: look at statuses in the mapping' }] },
    });
  });

  it('is guessed, with the words that count', async () => {
    const file = twice('status', 'settled', 'FAILED');
    const out = `${file}.yaml`;
    const { code, stdout } = await runCommand(ReconcileMap, [file, '--out', out, '--yes'], { env: {} });
    expect(code).toBe(0);
    expect(readFileSync(out, 'utf8')).toContain('statuses:\n  - settled\n');
    expect(stdout).toContain(
      'Lines with the status FAILED are left out: add it to statuses in the mapping if they count.',
    );
    expect(await run(file, out)).toMatchObject({ code: 0, isPlanned: false });
  });

  it('is not guessed where no word is known', async () => {
    const file = twice('status', 'S1', 'S7');
    const out = `${file}.yaml`;
    const { stdout } = await runCommand(ReconcileMap, [file, '--out', out, '--yes'], { env: {} });
    expect(stdout).toContain(
      'paydesk does not know which words in the column status mean that money moved: add status and statuses to the mapping, or paydesk recommends no refund.',
    );
    expect((await run(file, out)).isPlanned).toBe(false);
  });

  it('goes together with its words', async () => {
    const map = mapWith('half.yaml', '');
    const { json, code } = await run(twice('status', 'settled', 'settled'), map);
    expect([code, json['error']?.['code']]).toEqual([2, 'bad-mapping']);
  });
});
