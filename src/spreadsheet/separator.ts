import { parse } from 'csv-parse/sync';

const separators = [',', ';', '\t'] as const;
export type Separator = (typeof separators)[number];

export const separatorNames: Readonly<Record<Separator, string>> = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
};

export const separatorIn = (mark: string): Separator | undefined => separators.find((one) => one === mark);

/** The one separator that makes a usable header of a line; undefined when more than one does. */
export function findSeparator(
  line: string,
  isHeader: (cells: readonly string[]) => boolean,
): Separator | undefined {
  const present = separators.filter((mark) => line.includes(mark));
  const fitting = present.filter((mark) => isHeader(cellsOf(line, mark)));
  if (fitting.length > 1) return undefined;
  // Without a usable header any separator gives the same answer: what the header lacks.
  return fitting[0] ?? present.toSorted((a, b) => count(line, b) - count(line, a))[0] ?? ',';
}

const count = (line: string, mark: string): number => line.split(mark).length;

export function cellsOf(line: string, delimiter: Separator): string[] {
  try {
    const options = { delimiter, trim: delimiter !== '\t', relax_quotes: true, relax_column_count: true };
    return parse(line, options)[0] ?? [];
  } catch {
    return [];
  }
}
