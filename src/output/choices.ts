import { displayWidth, pad, safeText, truncate } from './text.js';

/** The lines of a list to choose from, their cells below each other. */
export function choiceLines(rows: ReadonlyArray<readonly string[]>, width: number): string[] {
  const cells = rows.map((row) => row.map(safeText));
  const widths = (cells[0] ?? []).map((_, at) =>
    Math.max(...cells.map((row) => displayWidth(row[at] ?? ''))),
  );
  return cells.map((row) => {
    const padded = row.flatMap((cell, at) => (widths[at] ? [pad(cell, widths[at])] : []));
    return truncate(padded.join('  ').trimEnd(), width);
  });
}
