// A provider's CSV, read by its mapping into lines of money. Chunks of lines keep a million of them fast.

import { counted } from '../../contract/amount-format.js';
import { type FileProblems, shortText } from '../../spreadsheet/problems.js';
import { type FileRecord, readRecordChunks } from '../../spreadsheet/records.js';
import { plainName, unescaped } from '../../spreadsheet/sheet.js';
import { exactProblem, negated } from '../../contract/exact.js';
import { idsOf, type SettlementLine, type SettlementReader } from '../line.js';
import { datePattern } from './dates.js';
import { signedDecimal } from './decimal.js';
import { type MappedField, mappedFields, type Mapping, namingFields } from './mapping.js';
import { isStatusColumn } from './statuses.js';
import { isTotalLine } from './total-line.js';

const CHUNK_SIZE = 1_000;

export function createCsvReader(mapping: Mapping): SettlementReader {
  return async function* read(source, problems, { search, onLeftOut, onIgnoredStatus } = {}) {
    const readLine = createLineReader(mapping, problems);
    const columnName = plainName(mapping.columns.amount ?? mapping.columns.credit ?? '');
    const isHeader = (cells: readonly string[]) => cells.some((cell) => plainName(cell) === columnName);
    let places: Places | undefined;
    let [rows, counting] = [0, 0];
    let chunk: SettlementLine[] = [];
    /** Kept until it is known whether it is the last line. */
    let total: FileRecord | undefined;
    const take = (at: Places, { line, cells }: FileRecord): void => {
      rows += 1;
      const found = readLine(at, line, cells);
      if (found?.isNotBooked) onLeftOut?.('status');
      else counting += 1;
      if (found === undefined) return;
      if (search !== undefined) found.mentions = search.mentions(textsIn(cells, at), idsOf(found));
      chunk.push(found);
    };
    for await (const records of readRecordChunks(source, isHeader, problems)) {
      for (const record of records) {
        if (places === undefined) {
          places = findPlaces(mapping, record.cells, record.line, problems);
          if (places === undefined) return;
          const ignored = mapping.statuses ? undefined : ignoredStatus(record.cells, places);
          if (ignored !== undefined) onIgnoredStatus?.(ignored);
          continue;
        }
        if (total !== undefined) take(places, total);
        total = isTotalLine(record.cells, places.at) ? record : undefined;
        if (total === undefined) take(places, record);
        if (chunk.length < CHUNK_SIZE) continue;
        yield chunk;
        chunk = [];
      }
    }
    if (chunk.length > 0) yield chunk;
    if (problems.count > 0) return;
    if (total !== undefined) onLeftOut?.('total');
    if (places === undefined) problems.add(1, 'the file is empty');
    else if (rows === 0) problems.add(places.line + 1, 'the file has a header and no rows');
    else if (counting === 0)
      problems.add(places.line + 1, 'no line has a status that counts: look at statuses in the mapping');
  };
}

/** Where each field is in a row, and how many cells a row has. */
interface Places {
  at: Partial<Record<MappedField, number>>;
  width: number;
  /** Of the columns that may have any text. */
  texts: number[];
  /** Of the header. */
  line: number;
}

function findPlaces(
  { columns }: Mapping,
  header: readonly string[],
  line: number,
  problems: FileProblems,
): Places | undefined {
  const before = problems.count;
  const names = header.map(plainName);
  const at: Places['at'] = {};
  for (const field of mappedFields) {
    const column = columns[field];
    if (column === undefined) continue;
    const first = names.indexOf(plainName(column));
    if (first < 0) problems.add(line, `there is no column ${column}, which the mapping names as ${field}`);
    else if (names.indexOf(plainName(column), first + 1) >= 0)
      problems.add(line, `the column ${column} is there twice`);
    at[field] = first;
  }
  if (problems.count > before) return undefined;
  const read = new Set(mappedFields.filter((field) => field !== 'kind').map((field) => at[field]));
  const texts = names.flatMap((_, place) => (read.has(place) ? [] : [place]));
  return { at, width: header.length, texts, line };
}

/** An ignored column that says which lines succeeded. */
const ignoredStatus = (header: readonly string[], { at, texts }: Places): string | undefined =>
  texts.map((place) => (place === at.kind ? '' : (header[place] ?? ''))).find(isStatusColumn);

const textsIn = (cells: readonly string[], { texts }: Places): string[] =>
  texts.flatMap((place) => {
    const text = unescaped(cells[place] ?? '');
    return text === '' ? [] : [text];
  });

type LineReader = (places: Places, line: number, cells: readonly string[]) => SettlementLine | undefined;

function createLineReader(mapping: Mapping, problems: FileProblems): LineReader {
  const kindOf = createKinds(mapping);
  const readDate = datePattern(mapping.date);
  const outgoing = new Set(mapping.signs.outgoing);
  const statuses = mapping.statuses && new Set(mapping.statuses.map((status) => status.toLowerCase()));

  return ({ at, width }, line, cells) => {
    if (cells.length !== width) {
      problems.add(line, `has ${counted(cells.length, 'cell')}, but the header has ${width}`);
      return undefined;
    }
    const before = problems.count;
    const tell = (problem: string) => problems.add(line, problem);
    const cell = (field: MappedField): string => {
      const place = at[field];
      return place === undefined ? '' : unescaped(cells[place] ?? '');
    };

    const written = readAmount(mapping, cell, tell);
    if (written === undefined) return undefined;
    const kind = kindOf(cell('kind'), written);
    const amount = outgoing.has(kind) && !written.startsWith('-') ? negated(written) : written;
    const wrong = signProblem(kind, amount);
    if (wrong !== undefined) tell(wrong);

    const found: SettlementLine = { line, kind, amount, currency: mapping.currency ?? '' };
    if (at.currency !== undefined) found.currency = cell('currency').toUpperCase();
    if (!/^[A-Z]{3}$/.test(found.currency))
      tell(`currency ${shortText(cell('currency'))}: must be three letters, for example EUR`);
    const fee = cell('fee');
    if (fee !== '') found.fee = readFee(fee, mapping, tell);
    const date = cell('at');
    if (date !== '') {
      found.at = readDate?.(date);
      if (found.at === undefined) tell(`date ${shortText(date)}: does not fit ${mapping.date}`);
    }
    for (const field of namingFields) {
      // Marks that nobody sees do not belong to an ID.
      const value = cell(field)
        .replaceAll(/\p{Cf}/gu, '')
        .trim();
      if (value === '') continue;
      found[field] = value;
      if (value.includes('\0')) tell(`${field}: must not contain control characters`);
    }
    if (statuses && !statuses.has(cell('status').toLowerCase())) found.isNotBooked = true;
    return problems.count === before ? found : undefined;
  };
}

type Cell = (field: MappedField) => string;
type Tell = (problem: string) => void;

/** As money that comes in or goes out, before the kind is known. */
function readAmount({ columns, decimal, directions }: Mapping, cell: Cell, tell: Tell): string | undefined {
  const read = (field: MappedField): string | undefined => {
    const text = cell(field);
    const amount = signedDecimal(text, decimal);
    const problem =
      amount === undefined ? `must be a number with a decimal ${decimal}` : exactProblem(amount);
    if (problem === undefined) return amount;
    tell(text === '' ? `${field} is empty` : `${field} ${shortText(text)}: ${problem}`);
    return undefined;
  };
  if (columns.amount === undefined) {
    const [credit, debit] = [cell('credit'), cell('debit')];
    if ((credit === '') === (debit === '')) {
      tell(credit === '' ? 'has neither a credit nor a debit' : 'has both a credit and a debit');
      return undefined;
    }
    if (credit !== '') return read('credit');
    const amount = read('debit');
    return amount === undefined || amount.startsWith('-') ? amount : negated(amount);
  }
  const amount = read('amount');
  if (amount === undefined || directions === undefined) return amount;
  const direction = cell('direction');
  if (directions.in.includes(direction)) return amount;
  if (directions.out.includes(direction)) return negated(amount);
  tell(`direction ${shortText(direction)}: is neither in nor out by the mapping`);
  return undefined;
}

function readFee(text: string, { decimal, signs }: Mapping, tell: Tell): string | undefined {
  const fee = signedDecimal(text, decimal);
  const problem = fee === undefined ? `must be a number with a decimal ${decimal}` : exactProblem(fee);
  if (problem !== undefined) tell(`fee ${shortText(text)}: ${problem}`);
  return fee !== undefined && signs.fee === 'negative' ? negated(fee) : fee;
}

/** Without a column for it, money that comes in was captured and money that goes out was refunded. */
function createKinds({ kinds, columns }: Mapping): (written: string, amount: string) => string {
  const names = new Map(
    Object.entries(kinds).flatMap(([kind, words]) =>
      words.map((word) => [word.toLowerCase(), kind] as const),
    ),
  );
  if (columns.kind === undefined) return (_, amount) => (amount.startsWith('-') ? 'refund' : 'capture');
  return (written) =>
    names.get(written.toLowerCase()) ?? (written === '' ? 'unnamed' : written.toLowerCase());
}

/** A sign that does not fit the kind means that the mapping is wrong, and then everything is. */
function signProblem(kind: string, amount: string): string | undefined {
  const isOut = amount.startsWith('-');
  if (kind === 'capture' && isOut)
    return `amount ${amount}: a capture cannot be negative; look at the mapping`;
  const goesOut = kind === 'refund' || kind === 'chargeback';
  if (!goesOut || isOut || !/[1-9]/.test(amount)) return undefined;
  return `amount ${amount}: a ${kind} takes money out; add it to signs.outgoing in the mapping`;
}
