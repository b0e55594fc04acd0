import type { Imported } from '../../import/import-file.js';
import type { ImportProblem } from '../../import/import-record.js';
import { counted, countText } from '../../contract/amount-format.js';
import { keptColumns, MAX_LENGTH } from '../../import/order-rows.js';
import type { SheetFormat } from '../../spreadsheet/sheet.js';
import { type Line, toned } from '../lines.js';
import type { ListView } from '../rows.js';
import { linesText } from './sheet.js';

/** As `--json` prints it. */
export function importedJson({
  rows,
  skipped,
  cut,
  resumedAt,
  counts,
  problems,
}: Imported): Record<string, unknown> {
  const { created, changed, same, unknown, unreadable } = counts;
  return {
    rows,
    skipped: skipped.count,
    skippedLines: skipped.lines,
    cut: cut.count,
    cutLines: cut.lines,
    resumedAt,
    new: created,
    changed,
    same,
    unknown,
    unreadable,
    problems,
  };
}

export const importProblemList: ListView<ImportProblem> = {
  empty: '',
  columns: [
    { key: 'line', align: 'right', number: true, value: ({ line }) => String(line) },
    { key: 'payment', value: ({ payment }) => payment },
    { key: 'problem', value: ({ problem }) => problem },
  ],
};

export function importedLines({ rows, skipped, cut, resumedAt, counts }: Imported): Line[] {
  const { created, changed, same, unknown, unreadable } = counts;
  const parts = [
    `${countText(created)} new`,
    `${countText(changed)} changed`,
    `${countText(same)} unchanged`,
  ];
  if (unknown > 0) parts.push(`${countText(unknown)} unknown to the service`);
  if (unreadable > 0) parts.push(`${countText(unreadable)} not readable`);
  const lines = [`Imported ${counted(rows, 'row')}: ${parts.join(', ')}.`];
  if (resumedAt > 0) lines.unshift(`Resumed after row ${countText(resumedAt)}, where an earlier run ended.`);
  if (skipped.count > 0)
    lines.push(
      `Skipped ${counted(skipped.count, 'row')} without a payment: ${linesText(skipped.lines, skipped.count)}.`,
    );
  if (cut.count > 0)
    lines.push(
      `Of longer cells, the first ${MAX_LENGTH} characters are kept: ${linesText(cut.lines, cut.count)}.`,
    );
  return lines;
}

/** What can be kept of the columns that paydesk does not recognise. */
export function keepColumnLines({ ignoredColumns }: SheetFormat): Line[] {
  if (ignoredColumns.length === 0) return [];
  return [
    toned('dim', `What can be kept: ${keptColumns.join(', ')}. Name the header, as in --column note=HEADER.`),
  ];
}
