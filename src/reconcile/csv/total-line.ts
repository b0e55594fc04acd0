// Reports for people end with a line that adds up the others. It is no money of its own.

import { unescaped } from '../../spreadsheet/sheet.js';
import { type MappedField, namingFields } from './mapping.js';

const totalWord =
  /^(grand |sub)?(total|totals|sum|summe|summen|gesamt|gesamtsumme|gesamtbetrag|endsumme|somme|totale|totaal|totales|suma|summa)\s*:?$/i;

/** The line has such a word where its date should be, and names no payment. Only the last line of a file may be one. */
export function isTotalLine(
  cells: readonly string[],
  at: Readonly<Partial<Record<MappedField, number>>>,
): boolean {
  const cell = (field: MappedField): string =>
    at[field] === undefined ? '' : unescaped(cells[at[field]] ?? '').trim();
  return totalWord.test(cell('at')) && namingFields.every((field) => cell(field) === '');
}
