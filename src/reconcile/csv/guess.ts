// A first mapping for a provider's CSV: columns by the names that providers give them, the rest by what is in them.

import { stringify } from 'yaml';
import {
  createDecimalStyle,
  type DecimalMark,
  evidenceOf,
  plainDecimal,
} from '../../spreadsheet/decimals.js';
import { plainName, unescaped } from '../../spreadsheet/sheet.js';
import { datePattern, commonPatterns } from './dates.js';
import { signedDecimal } from './decimal.js';
import { type Booked, hasAnyKind, hasKinds, hasReturns, sortWords } from './kind-words.js';
import { type MappedField, mappedFields, namingFields, tellsRefunds } from './mapping.js';
import { directionColumn, type Directions, guessDirections } from './directions.js';
import { guessStatus } from './statuses.js';

/** The best ones first. Case, spaces, hyphens and underscores do not matter. */
const usualNames: Readonly<Record<MappedField, readonly string[]>> = {
  at: [
    'booked at',
    'booking date',
    'value date',
    'settlement date',
    'transaction date',
    'date',
    'created at',
    'created',
    'timestamp',
    'time',
    'buchungstag',
    'buchungsdatum',
    'valuta',
    'datum',
    'fecha',
  ],
  kind: [
    'type',
    'transaction type',
    'kind',
    'record type',
    'reporting category',
    'event',
    'category',
    'art',
    'buchungstext',
    'umsatzart',
    'transaktionsart',
    'tipo',
  ],
  amount: ['amount', 'gross', 'gross amount', 'transaction amount', 'betrag', 'brutto', 'importe', 'montant'],
  debit: ['debit', 'debit amount', 'paid out', 'soll'],
  credit: ['credit', 'credit amount', 'paid in', 'haben'],
  direction: [
    'direction',
    'debit/credit',
    'credit/debit',
    'd/c',
    'c/d',
    'dc',
    'dr/cr',
    'cr/dr',
    'cd indicator',
    'debit credit indicator',
    'credit debit indicator',
    'soll/haben',
    'haben/soll',
    's/h',
    'h/s',
    'soll/haben kennzeichen',
    'debe/haber',
    'dare/avere',
    'af bij',
  ],
  // Found by its words: see guessStatus.
  status: [],
  currency: ['currency', 'currency code', 'ccy', 'gross currency', 'währung', 'waehrung', 'moneda', 'devise'],
  fee: ['fee', 'fees', 'processing fee', 'total fee', 'commission', 'gebühr', 'gebuehr', 'comisión'],
  providerReference: [
    'provider reference',
    'psp reference',
    'psp referenz',
    'provider id',
    'transaction id',
    'charge id',
    'source id',
    'provider payment id',
    'transaktions id',
    'transaktionsnummer',
  ],
  operationId: [
    'capture id',
    'operation id',
    'authorisation id',
    'authorization id',
    'modification reference',
  ],
  reference: [
    'merchant reference',
    'your reference',
    'händlerreferenz',
    'haendlerreferenz',
    'reference',
    'order reference',
    'merchant order id',
    'order id',
    'invoice',
    'invoice number',
    'end to end id',
    'referenz',
    'bestellnummer',
    'rechnungsnummer',
    'referencia',
  ],
};

export interface Sample {
  header: readonly string[];
  rows: ReadonlyArray<readonly string[]>;
}

interface Guess {
  /** The text of a mapping file. */
  text: string;
  columns: Columns;
  /** The columns that the mapping does not read. */
  ignored: string[];
  /** What could be read in another way, and what nothing was found for. */
  notes: string[];
  /** Without one of each of these the mapping cannot be used. */
  missing: Array<readonly MappedField[]>;
}

export type Columns = Partial<Record<MappedField, string>>;

/** The columns that have a name of the usual ones. */
export function guessColumns(header: readonly string[]): Columns {
  const columns: Columns = {};
  for (const field of mappedFields) {
    const names = usualNames[field].map(plainName);
    const [best] = header
      .filter((name) => names.includes(plainName(name)))
      .toSorted((a, b) => names.indexOf(plainName(a)) - names.indexOf(plainName(b)));
    if (best !== undefined) columns[field] = best;
  }
  if (columns.amount !== undefined || columns.debit === undefined || columns.credit === undefined) {
    delete columns.debit;
    delete columns.credit;
  }
  return columns;
}

/** What a person said: which columns have which fields, and the currency of a file without a column for it. */
export interface Chosen {
  columns: Columns;
  currency?: string | undefined;
}

export function guessMapping(sample: Sample, chosen: Chosen = { columns: {} }): Guess {
  const { header, rows } = sample;
  const { currency } = chosen;
  const named: Columns = { ...guessColumns(header), ...chosen.columns };
  const cellsOf = (name: string | undefined): string[] => {
    const at = name === undefined ? -1 : header.indexOf(name);
    return at < 0 ? [] : rows.map((row) => unescaped(row[at] ?? '')).filter((value) => value !== '');
  };
  const valuesOf = (field: MappedField): string[] => cellsOf(named[field]);
  const { decimal, notes: decimalNotes } = guessDecimal([
    ...valuesOf('amount'),
    ...valuesOf('debit'),
    ...valuesOf('credit'),
    ...valuesOf('fee'),
  ]);
  const date = guessDate(valuesOf('at'));
  let directions = guessDirections(valuesOf('direction'));
  if (directions === undefined) delete named.direction;
  const read = (columns: Columns) => bookedRows(sample, { columns, decimal, directions });
  const ignoredBy = (used: Columns) =>
    header.filter((name) => name !== '' && !Object.values(used).includes(name));
  let kinded = withKind(named, header, read);
  const byCells = tellsReturns(kinded, read(kinded))
    ? undefined
    : directionColumn(ignoredBy(kinded), cellsOf);
  if (byCells) [kinded, directions] = [{ ...kinded, direction: byCells.name }, byCells.directions];
  const status = guessStatus(sample, ignoredBy(kinded));
  const columns = status.found ? { ...kinded, status: status.found.column } : kinded;
  const booked = read(columns);
  const { kinds, notes: kindNotes } = sortWords(booked);
  const { signs, notes: signNotes } = guessSigns(booked, { columns, kinds });
  const hasNegativeFee = valuesOf('fee').some((fee) => signedDecimal(fee, decimal)?.startsWith('-'));
  const allSigns = { ...signs, ...(hasNegativeFee ? { fee: 'negative' } : {}) };
  const mapping = {
    columns,
    decimal,
    ...(columns.at === undefined ? {} : { date: date.pattern }),
    ...(currency === undefined ? {} : { currency }),
    ...(columns.kind === undefined ? {} : { kinds }),
    ...(directions === undefined ? {} : { directions }),
    ...(status.found && { statuses: status.found.statuses }),
    ...(Object.keys(allSigns).length === 0 ? {} : { signs: allSigns }),
  };
  return {
    text: `${HEAD}${stringify(mapping, { flowCollectionPadding: true })}`,
    columns,
    ignored: ignoredBy(columns),
    notes: [
      ...decimalNotes,
      ...date.notes,
      ...kindNotes,
      ...signNotes,
      ...refundNotes(columns, booked),
      ...(byCells ? [directionNote(byCells)] : []),
      ...status.notes,
    ],
    missing: missingIn(columns, currency),
  };
}

/** Where no column has a usual name for the kind, or its words are not those of kinds, the words of the others decide. */
function withKind(named: Columns, header: readonly string[], read: (columns: Columns) => Booked[]): Columns {
  if (named.kind !== undefined && hasAnyKind(read(named))) return named;
  const names = header.map(plainName);
  const isFree = (name: string) =>
    !Object.values(named).includes(name) &&
    names.indexOf(plainName(name)) === names.lastIndexOf(plainName(name));
  const candidates = header
    .filter((name) => name !== '' && isFree(name))
    .map((name) => ({ name, booked: read({ ...named, kind: name }) }))
    .filter(({ booked }) => hasKinds(booked));
  const best = candidates.find(({ booked }) => hasReturns(booked)) ?? candidates[0];
  if (best === undefined) return named;
  const columns: Columns = { ...named, kind: best.name };
  return Object.fromEntries(
    mappedFields.flatMap((field) => (columns[field] === undefined ? [] : [[field, columns[field]]])),
  );
}

/** Whether anything says which lines return money. */
const tellsReturns = (columns: Columns, booked: readonly Booked[]): boolean =>
  columns.amount === undefined ||
  columns.direction !== undefined ||
  booked.some(({ sign }) => sign < 0) ||
  (columns.kind !== undefined && hasReturns(booked));

const directionNote = ({ name, directions }: { name: string; directions: Directions }): string =>
  `The column ${name} is read as the direction: ${directions.in.join(', ')} comes in, ` +
  `${directions.out.join(', ')} goes out. Correct direction in the mapping if it does not.`;

function refundNotes(columns: Columns, booked: readonly Booked[]): string[] {
  if (tellsRefunds({ columns }) || booked.some(({ sign }) => sign < 0)) return [];
  return [
    'No column tells refunds from captures: add kind or direction to the mapping, or paydesk recommends no refund.',
  ];
}

const HEAD = "# How paydesk reads this provider's files: see docs/reconcile.md.\n";

function missingIn(columns: Columns, currency: string | undefined): Guess['missing'] {
  const missing: Guess['missing'] = [];
  if (columns.amount === undefined && columns.debit === undefined) missing.push(['amount']);
  if (columns.currency === undefined && currency === undefined) missing.push(['currency']);
  if (!namingFields.some((field) => columns[field] !== undefined)) missing.push(namingFields);
  return missing;
}

/** Thousands and decimals can be told apart only where some amount has other than three digits after its mark. */
function guessDecimal(amounts: readonly string[]): { decimal: DecimalMark; notes: string[] } {
  const style = createDecimalStyle();
  const digits = amounts.map((text) => text.replaceAll(/[^\d.,]/g, ''));
  for (const [index, text] of digits.entries()) style.see(index, text);
  if (style.proven) return { decimal: style.proven.style, notes: [] };
  const unclear = digits.find((text) => evidenceOf(text) === 'ambiguous');
  if (unclear === undefined) return { decimal: 'point', notes: [] };
  const [point, comma] = [plainDecimal(unclear, 'point'), plainDecimal(unclear, 'comma')];
  return {
    decimal: 'point',
    notes: [`${unclear} is read as ${point}. If it is ${comma}, write decimal: comma in the mapping.`],
  };
}

/** Days and months can be told apart only where a day is after the twelfth. Most dates decide: one may be a mistake. */
function guessDate(dates: readonly string[]): { pattern: string; notes: string[] } {
  const counts = commonPatterns.map((pattern) => {
    const read = datePattern(pattern);
    return { pattern, count: dates.filter((text) => read?.(text) !== undefined).length };
  });
  const most = Math.max(...counts.map(({ count }) => count));
  const fitting = counts.flatMap(({ pattern, count }) =>
    2 * count > dates.length && count === most ? [pattern] : [],
  );
  const [pattern = 'iso', other] = fitting;
  if (dates.length > 0 && fitting.length === 0)
    return {
      pattern,
      notes: [`paydesk does not recognise dates like ${dates[0]}: correct date in the mapping.`],
    };
  return {
    pattern,
    notes:
      other === undefined ? [] : [`Dates could also be ${other}: correct date in the mapping if they are.`],
  };
}

function bookedRows(
  { header, rows }: Sample,
  {
    columns,
    decimal,
    directions,
  }: { columns: Columns; decimal: DecimalMark; directions: Directions | undefined },
): Booked[] {
  const places = Object.fromEntries(
    mappedFields.map((field) => [field, columns[field] === undefined ? -1 : header.indexOf(columns[field])]),
  ) as Record<MappedField, number>;
  return rows.map((row) => {
    const cell = (field: MappedField): string => unescaped(row[places[field]] ?? '');
    const signIn = (field: MappedField): number => {
      const amount = signedDecimal(cell(field), decimal);
      return amount === undefined || !/[1-9]/.test(amount) ? 0 : amount.startsWith('-') ? -1 : 1;
    };
    const word = cell('kind');
    if (columns.amount === undefined) return { word, sign: signIn('credit') || -Math.abs(signIn('debit')) };
    const isOut = directions?.out.includes(cell('direction')) === true;
    return { word, sign: isOut ? -signIn('amount') : signIn('amount') };
  });
}

/** Refunds, chargebacks and fees that are all written without a minus sign. */
function guessSigns(
  booked: readonly Booked[],
  { columns, kinds }: { columns: Columns; kinds: Record<string, string[]> },
): { signs: { outgoing?: string[] }; notes: string[] } {
  if (columns.amount === undefined || columns.direction !== undefined) return { signs: {}, notes: [] };
  const outgoing: string[] = [];
  const notes: string[] = [];
  for (const kind of ['refund', 'chargeback', 'fee']) {
    const ofKind = booked.filter(({ word }) => kinds[kind]?.includes(word));
    if (!ofKind.some(({ sign }) => sign > 0)) continue;
    if (ofKind.every(({ sign }) => sign >= 0)) outgoing.push(kind);
    else
      notes.push(
        `Some amounts of kind ${kind} have a minus and some do not: correct kinds or signs in the mapping.`,
      );
  }
  return { signs: outgoing.length > 0 ? { outgoing } : {}, notes };
}
