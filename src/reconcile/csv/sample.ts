import { createFileProblems } from '../../spreadsheet/problems.js';
import { readRecordChunks } from '../../spreadsheet/records.js';
import { readFileBytes } from '../../spreadsheet/text.js';
import { guessColumns, type Sample } from './guess.js';

const ROWS = 1_000;

/** The header and the first rows of a CSV. Refuses one that cannot be read at all. */
export async function readSample(path: string): Promise<Sample> {
  const problems = createFileProblems('bad-file');
  const isHeader = (cells: readonly string[]) => Object.keys(guessColumns(cells)).length > 1;
  let header: readonly string[] | undefined;
  const rows: string[][] = [];
  for await (const records of readRecordChunks(readFileBytes(path), isHeader, problems)) {
    for (const { cells } of records) {
      if (header === undefined) header = cells;
      else rows.push(cells);
    }
    if (rows.length >= ROWS) break;
  }
  if (header === undefined) problems.add(1, 'the file is empty');
  else if (rows.length === 0) problems.add(2, 'the file has a header and no rows');
  problems.throwIfAny();
  return { header: header ?? [], rows: rows.slice(0, ROWS) };
}
