import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import ReconcileMap from '../../../src/commands/reconcile/map.js';
import { type Json, runCommand, temporaryHome } from '../../helpers/desk.js';
import type { ShownPayment } from '../../helpers/sandbox.js';
import { MAPPING } from '../../reconcile/northbank.js';
import { openReconcileDesk, type ReconcileDesk } from './settlements.js';

let desk: ReconcileDesk;
let payment: ShownPayment;
const folder = temporaryHome();
beforeAll(async () => {
  desk = await openReconcileDesk();
  payment = await desk.paid();
  await desk.know(payment);
});
afterAll(() => desk.sandbox.close());

/** A capture, and a line that returns it with an ID of its own and without a minus. */
function returned(column: string, sale: string, refund: string): string {
  const file = desk.file(
    desk.line(payment, { type: sale, captureId: String(payment.payInfo?.['captureId']), amount: '10.50' }),
    desk.line(payment, { type: refund, captureId: 'rfd_11f2aa3b', amount: '10.50', fee: '0.00' }),
  );
  writeFileSync(file, readFileSync(file, 'utf8').replace('type', column));
  return file;
}

const short = ({ exception, next }: Json) => [exception, next?.['operation'] ?? null];

describe('a refund without a minus', () => {
  it.each([
    ['operation', 'sale', 'refund', ['refunded-at-provider', 'recheck']],
    ['Txn Type', 'SALE', 'RFND', ['refunded-at-provider', 'recheck']],
    ['Description', 'Card payment', 'Refund to card', ['refunded-at-provider', 'recheck']],
    ['Vorgang', 'Zahlung', 'Rückbuchung', ['chargeback', null]],
    ['operation', 'sale', 'chargeback', ['chargeback', null]],
  ])('in a column %s, as %s and %s, is no second capture', async (column, sale, refund, expected) => {
    const file = returned(column, sale, refund);
    const map = file.replace('.csv', '.map.yaml');
    expect((await runCommand(ReconcileMap, [file, '--out', map, '--yes'], { env: {} })).code).toBe(0);
    const plan = file.replace('.csv', '.plan.json');
    const { json, stderr } = await desk.run([file, '--map', map, '--plan', plan, '--json']);
    expect((json['exceptions'] as Json[]).map(short)).toEqual([expected]);
    expect(existsSync(plan)).toBe(false);
    expect(stderr).not.toContain('does not tell refunds');
  });

  it('is not refunded again where the mapping has no kind', async () => {
    const file = returned('memo', 'x', 'y');
    const map = join(folder, 'no-kind.yaml');
    writeFileSync(map, MAPPING.replace('  kind: type\n', ''));
    const plan = join(folder, 'no-kind.plan.json');
    const { json, stderr } = await desk.run([file, '--map', map, '--plan', plan, '--json']);
    const [found] = json['exceptions'] as Json[];
    expect(short(found!)).toEqual(['captured-twice', 'recheck']);
    expect(found?.['text']).toMatch(
      /Check with the provider first: the mapping does not tell refunds from captures: add kind or direction\.$/,
    );
    expect(existsSync(plan)).toBe(false);
    expect(stderr.match(/The mapping does not tell refunds from captures/g)).toHaveLength(1);
  });

  it('is told by the sign of another line', async () => {
    const other = await desk.paid();
    await desk.know(other);
    const file = desk.file(
      desk.line(payment),
      desk.line(payment, { captureId: 'cap_second' }),
      desk.line(other),
      desk.line(other, { amount: '-10.50', captureId: '' }),
    );
    const map = join(folder, 'signs.yaml');
    writeFileSync(map, MAPPING.replace('  kind: type\n', ''));
    const { json, stderr } = await desk.run([file, '--map', map, '--json']);
    expect((json['exceptions'] as Json[]).map(short)).toEqual([
      ['captured-twice', 'refund'],
      ['refunded-at-provider', 'recheck'],
    ]);
    expect(stderr).not.toContain('does not tell refunds');
  });
});
