import { expect, it } from 'vitest';
import { paydesk } from '../../src/next-command.js';
import { fitLines } from '../../src/output/fit.js';
import { commandPiece, joinPieces, type Line, plainLine } from '../../src/output/lines.js';

const fitted = (line: Line, width: number) => fitLines([line], width).map(plainLine);

it('breaks a command as a shell takes it, with each flag beside its value', () => {
  const plan = paydesk('batch', 'plan', 'my orders.csv', '--action', 'refund', '--out', 'plan.json');
  expect(fitted(joinPieces('  Next:  ', commandPiece(plan)), 46)).toEqual([
    "  Next:  paydesk batch plan 'my orders.csv' \\",
    '             --action refund --out plan.json',
  ]);
});

it('wraps a sentence that begins with the name of the program as a sentence', () => {
  expect(fitted('paydesk cannot read its ledger, so it uses only the service.', 40)).toEqual([
    'paydesk cannot read its ledger, so it',
    'uses only the service.',
  ]);
});
