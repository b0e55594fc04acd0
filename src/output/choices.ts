import { plainLine, wrapLine } from './lines.js';
import { displayWidth, pad, safeText, truncate } from './text.js';

const GAP = 2;
/** A cell that is cut shorter says nothing. */
const MIN_CUT = 4;

/** The lines of a list to choose from, their cells below each other. What does not fit is cut, from the right. */
export function choiceLines(rows: ReadonlyArray<readonly string[]>, width: number): string[] {
  const cells = rows.map((row) => row.map(safeText));
  let left = width;
  const widths = (cells[0] ?? []).map((_, at) => {
    const widest = Math.max(...cells.map((row) => displayWidth(row[at] ?? '')));
    const shown = widest <= left || left >= MIN_CUT ? Math.min(widest, left) : 0;
    left = shown < widest ? 0 : left - (shown === 0 ? 0 : shown + GAP);
    return shown;
  });
  const gap = ' '.repeat(GAP);
  return cells.map((row) =>
    row
      .flatMap((cell, at) => (widths[at] ? [pad(truncate(cell, widths[at]), widths[at])] : []))
      .join(gap)
      .trimEnd(),
  );
}

/** A hint below a list, broken between words: the prompts themselves break inside them. */
export const choiceHint = (text: string, width: number): string =>
  wrapLine(text, width).map(plainLine).join('\n');
