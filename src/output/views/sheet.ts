// How a spreadsheet was read.

import { countText } from '../../contract/amount-format.js';
import type { SheetFormat } from '../../spreadsheet/sheet.js';
import type { TextFile } from '../../spreadsheet/text.js';
import { type Line, toned } from '../lines.js';
import { safeText } from '../text.js';

/** `Read the file with semicolons and a decimal comma. Ignored columns: Note, Shop.` */
export function formatLine({ separator, decimalMark, ignoredColumns, headerLine }: SheetFormat): Line {
  const decimals = decimalMark === null ? '' : ` and a decimal ${decimalMark}`;
  const rest = [...headerText(headerLine), ...ignoredText(ignoredColumns)];
  return toned('dim', [`Read the file with ${separator}${decimals}.`, ...rest].join(' '));
}

const headerText = (line: number): string[] => (line === 1 ? [] : [`The header is line ${line}.`]);

export const headerLines = (line: number): Line[] => headerText(line).map((text) => toned('dim', text));

const ignoredText = (columns: readonly string[]): string[] =>
  columns.length === 0
    ? []
    : [`Ignored ${columns.length === 1 ? 'column' : 'columns'}: ${columns.map(safeText).join(', ')}.`];

export const ignoredLines = (columns: readonly string[]): Line[] =>
  ignoredText(columns).map((text) => toned('dim', text));

export const encodingLines = ({ encoding }: Pick<TextFile, 'encoding'>): Line[] =>
  encoding === 'UTF-8' ? [] : [`The file is not UTF-8, so paydesk reads it as ${encoding}.`];

/** `lines 2, 4 and 12 more`: `lines` holds the first of `count`. */
export function linesText(lines: readonly number[], count: number): string {
  const more = count - lines.length;
  return `${count === 1 ? 'line' : 'lines'} ${lines.join(', ')}${more > 0 ? ` and ${countText(more)} more` : ''}`;
}
