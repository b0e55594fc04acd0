// A mapping for a file that paydesk has not seen before, and what it makes of the first lines.

import { UsageError } from '../errors.js';
import { paydesk } from '../next-command.js';
import { createFileProblems, type FileProblems } from '../spreadsheet/problems.js';
import { readRecordChunks } from '../spreadsheet/records.js';
import { openTextFile, type TextFile } from '../spreadsheet/text.js';
import { type Chosen, type Columns, guessColumns, guessMapping, type Sample } from './csv/guess.js';
import { type MappedField, parseMapping } from './csv/mapping.js';
import { createCsvReader } from './csv/reader.js';
import type { SettlementLine } from './line.js';
import { isXml } from './settlement-file.js';

const MAX_LINES_SHOWN = 5;

export interface GuessedMap {
  encoding: TextFile['encoding'];
  /** The text of the mapping file. */
  text: string;
  headerLine: number;
  /** The columns that the mapping does not read. */
  ignored: string[];
  notes: string[];
  /** The first lines as the mapping reads them. */
  lines: SettlementLine[];
  /** What it cannot read among the first lines. */
  problems: Array<{ line: number; problem: string }>;
}

/** A person who can be asked. */
export interface MapQuestions {
  /** Which of these columns has the field; undefined for none of them. */
  column(field: MappedField, columns: readonly string[]): Promise<string | undefined>;
  /** The currency of a file without a column for it. */
  currency(): Promise<string>;
}

/** Refuses a file that is read without a mapping. */
export async function refuseXml(path: string): Promise<void> {
  if (!(await isXml(path))) return;
  throw new UsageError('This is XML: camt.053 needs no mapping. Nothing was written.', {
    code: 'mapping-not-needed',
    next: [paydesk('reconcile', path)],
  });
}

/** `ask`: where somebody can be asked for what no column with a usual name says. */
export async function guessMap(path: string, ask?: MapQuestions): Promise<GuessedMap> {
  const file = await openTextFile(path);
  const { headerLine, ...sample } = await readSample(file);
  const chosen = ask === undefined ? { columns: {} } : await askForMissing(sample, ask);
  const { text, ignored, notes, missing } = guessMapping(sample, chosen);
  if (missing.length > 0) {
    throw new UsageError(
      'paydesk cannot tell what the columns mean. Nothing was written. Write the mapping yourself: see docs/reconcile.md.',
      {
        code: 'no-guess',
        details: [
          ...missing.map((fields) => ({
            input: fields.join(', '),
            problem: `no column has a usual name for it${fields.includes('currency') ? '; without one, write currency: EUR' : ''}`,
          })),
          { input: 'columns', problem: sample.header.join(', ') },
        ],
      },
    );
  }
  return { encoding: file.encoding, text, headerLine, ignored, notes, ...(await firstLines(file, text)) };
}

/** The mapping would refuse every file of the provider. */
export const readsNothing = ({ notes, problems }: Pick<GuessedMap, 'notes' | 'problems'>): UsageError =>
  new UsageError(
    'The guessed mapping reads none of the first lines. Nothing was written. Write the mapping yourself: see docs/reconcile.md.',
    {
      code: 'no-guess',
      details: [
        ...problems.map(({ line, problem }) => ({ input: `line ${line}`, problem })),
        ...notes.map((problem) => ({ input: 'note', problem })),
      ],
    },
  );

async function askForMissing(sample: Sample, ask: MapQuestions): Promise<Chosen> {
  const chosen: Columns = {};
  let currency: string | undefined;
  const { columns, missing } = guessMapping(sample);
  const known = Object.values(columns);
  for (const fields of missing) {
    for (const field of fields) {
      const taken = [...known, ...Object.values(chosen)];
      const left = sample.header.filter((name) => name !== '' && !taken.includes(name));
      const column = left.length === 0 ? undefined : await ask.column(field, left);
      if (column === undefined && field === 'currency') currency = await ask.currency();
      if (column === undefined) continue;
      chosen[field] = column;
      break;
    }
  }
  return { columns: chosen, currency };
}

async function firstLines(file: TextFile, text: string): Promise<Pick<GuessedMap, 'lines' | 'problems'>> {
  const problems: GuessedMap['problems'] = [];
  const found: FileProblems = {
    get count() {
      return problems.length;
    },
    add: (line, problem) => void problems.push({ line, problem }),
    throwIfAny() {},
  };
  const lines: SettlementLine[] = [];
  const read = createCsvReader(parseMapping('the mapping', text));
  for await (const chunk of read(file.bytes(), found)) {
    lines.push(...chunk);
    if (lines.length >= MAX_LINES_SHOWN) break;
  }
  return { lines: lines.slice(0, MAX_LINES_SHOWN), problems: problems.slice(0, MAX_LINES_SHOWN) };
}

const SAMPLE_ROWS = 1_000;

/** The header and the first rows of a CSV. Refuses one that cannot be read at all. */
async function readSample(file: TextFile): Promise<Sample & Pick<GuessedMap, 'headerLine'>> {
  const problems = createFileProblems('bad-file');
  const isHeader = (cells: readonly string[]) => Object.keys(guessColumns(cells)).length > 1;
  let header: { cells: readonly string[]; line: number } | undefined;
  const rows: string[][] = [];
  for await (const records of readRecordChunks(file.bytes(), isHeader, problems)) {
    for (const record of records) {
      if (header === undefined) header = record;
      else rows.push(record.cells);
    }
    if (rows.length >= SAMPLE_ROWS) break;
  }
  problems.throwIfAny();
  const { line: headerLine = 1, cells = [] } = header ?? {};
  if (header === undefined) problems.add(1, 'the file is empty');
  else if (rows.length === 0) problems.add(headerLine + 1, 'the file has a header and no rows');
  problems.throwIfAny();
  return { header: cells, headerLine, rows: rows.slice(0, SAMPLE_ROWS) };
}
