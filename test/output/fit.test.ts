import { expect, it } from 'vitest';
import { paydesk } from '../../src/next-command.js';
import { fitLines, labelledLines } from '../../src/output/fit.js';
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

it('keeps the indent of a row in all its lines', () => {
  const field = { indent: 2, labelWidth: 8, width: 40 };
  expect(labelledLines('Profiles', '  5  Slowbank  CreditCard, window 3 days', field).map(plainLine)).toEqual(
    ['  Profiles    5  Slowbank  CreditCard,', '              window 3 days'],
  );
});

it('puts the rest of a row under its last column, or under its start where that leaves no room', () => {
  expect(fitted('  not possible  3   Held: the provider holds it; Declined', 48)).toEqual([
    '  not possible  3   Held: the provider holds it;',
    '                    Declined',
  ]);
  expect(fitted('  line 12  duplicate-line  inv-2041-copy  the line is there twice', 48)).toEqual([
    '  line 12  duplicate-line  inv-2041-copy  the',
    '  line is there twice',
  ]);
});

it('puts a command that does not fit behind its sentence on a line of its own', () => {
  const get = commandPiece(paydesk('payments', 'get', 'dora-1'), 'local-live');
  expect(fitted(joinPieces('Read a payment from the service with: ', get), 60)).toEqual([
    'Read a payment from the service with:',
    '  paydesk payments get dora-1 --profile local-live',
  ]);
});
