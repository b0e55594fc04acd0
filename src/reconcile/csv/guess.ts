// A first mapping for a provider's CSV: columns by the names that providers give them, the rest by what is in them.

import { stringify } from 'yaml';
import { createDecimalStyle, type DecimalMark } from '../../spreadsheet/decimals.js';
import { plainName, unescaped } from '../../spreadsheet/sheet.js';
import { datePattern, commonPatterns } from './dates.js';
import { signedDecimal } from './decimal.js';
import { type MappedField, mappedFields, namingFields } from './mapping.js';

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
  direction: ['direction', 'debit/credit', 'credit/debit', 'd/c', 'c/d', 'dc', 'cd indicator', 'soll/haben'],
  currency: ['currency', 'currency code', 'ccy', 'gross currency', 'währung', 'waehrung', 'moneda', 'devise'],
  fee: ['fee', 'fees', 'processing fee', 'total fee', 'commission', 'gebühr', 'gebuehr', 'comisión'],
  providerReference: [
    'provider reference',
    'psp reference',
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
    'reference',
    'order reference',
    'merchant order id',
    'order id',
    'invoice',
    'invoice number',
    'end to end id',
    'referenz',
    'händlerreferenz',
    'haendlerreferenz',
    'bestellnummer',
    'rechnungsnummer',
    'referencia',
  ],
};

const usualKinds: Readonly<Record<string, RegExp>> = {
  capture: /^(capture[ds]?|sale|payment|charge|purchase|settled?|credit card sale|zahlung|pago|paiement)$/,
  refund: /^(refund(ed|s)?|payment refund|gutschrift|erstattung|rückerstattung|reembolso|remboursement)$/,
  chargeback: /^(chargebacks?|dispute|rückbuchung|contracargo)$/,
};

export interface Sample {
  header: readonly string[];
  rows: ReadonlyArray<readonly string[]>;
}

interface Guess {
  /** The text of a mapping file. */
  text: string;
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

/** `chosen`: columns that a person named. */
export function guessMapping({ header, rows }: Sample, chosen: Columns = {}): Guess {
  const columns = { ...guessColumns(header), ...chosen };
  const valuesOf = (field: MappedField): string[] => {
    const at = columns[field] === undefined ? -1 : header.indexOf(columns[field]);
    return at < 0 ? [] : rows.map((row) => unescaped(row[at] ?? '')).filter((value) => value !== '');
  };
  const decimal = guessDecimal([
    ...valuesOf('amount'),
    ...valuesOf('debit'),
    ...valuesOf('credit'),
    ...valuesOf('fee'),
  ]);
  const date = guessDate(valuesOf('at'));
  const kinds = guessKinds(valuesOf('kind'));
  const directions = guessDirections(valuesOf('direction'));
  if (directions === undefined) delete columns.direction;
  const mapping = {
    columns,
    decimal,
    ...(columns.at === undefined ? {} : { date: date.pattern }),
    ...(columns.kind === undefined ? {} : { kinds }),
    ...(directions === undefined ? {} : { directions }),
    ...signsOf({ columns, header, rows, decimal, kinds, fees: valuesOf('fee') }),
  };
  return {
    text: `${HEAD}${stringify(mapping, { flowCollectionPadding: true })}`,
    notes: date.notes,
    missing: missingIn(columns),
  };
}

const HEAD = "# How paydesk reads this provider's files: see docs/reconcile.md.\n";

function missingIn(columns: Columns): Guess['missing'] {
  const missing: Guess['missing'] = [];
  if (columns.amount === undefined && columns.debit === undefined) missing.push(['amount']);
  if (columns.currency === undefined) missing.push(['currency']);
  if (!namingFields.some((field) => columns[field] !== undefined)) missing.push(namingFields);
  return missing;
}

function guessDecimal(amounts: readonly string[]): DecimalMark {
  const style = createDecimalStyle();
  for (const [index, text] of amounts.entries()) style.see(index, text.replaceAll(/[^\d.,]/g, ''));
  return style.proven?.style ?? 'point';
}

/** Days and months can be told apart only where a day is after the twelfth. */
function guessDate(dates: readonly string[]): { pattern: string; notes: string[] } {
  const fitting = commonPatterns.filter((pattern) => {
    const read = datePattern(pattern);
    return dates.length > 0 && dates.every((text) => read?.(text) !== undefined);
  });
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

function guessKinds(values: readonly string[]): Record<string, string[]> {
  const distinct = [...new Set(values)].slice(0, 50);
  return Object.fromEntries(
    Object.entries(usualKinds).flatMap(([kind, expression]) => {
      const words = distinct.filter((word) => expression.test(word.toLowerCase()));
      return words.length === 0 ? [] : [[kind, words]];
    }),
  );
}

const incoming = /^(c|cr|credit|crdt|h|haben|\+|in)$/i;
const outgoing = /^(d|dr|debit|dbit|s|soll|-|out)$/i;

function guessDirections(values: readonly string[]): { in: string[]; out: string[] } | undefined {
  const distinct = [...new Set(values)];
  const words = {
    in: distinct.filter((word) => incoming.test(word)),
    out: distinct.filter((word) => outgoing.test(word)),
  };
  const isWhole = distinct.length > 0 && words.in.length + words.out.length === distinct.length;
  return isWhole ? words : undefined;
}

interface Signed extends Sample {
  columns: Columns;
  decimal: DecimalMark;
  kinds: Readonly<Record<string, readonly string[]>>;
  fees: readonly string[];
}

/** Refunds without a minus sign, and fees with one. */
function signsOf({ columns, header, rows, decimal, kinds, fees }: Signed): { signs?: object } {
  const at = (field: MappedField) => (columns[field] === undefined ? -1 : header.indexOf(columns[field]));
  const isPositive = (text: string) => /^\d/.test(signedDecimal(text, decimal) ?? '') && /[1-9]/.test(text);
  const unsigned = ['refund', 'chargeback'].filter((kind) =>
    rows.some((row) => kinds[kind]?.includes(row[at('kind')] ?? '') && isPositive(row[at('amount')] ?? '')),
  );
  const negativeFee = fees.some((fee) => signedDecimal(fee, decimal)?.startsWith('-'));
  const signs = {
    ...(unsigned.length > 0 && columns.direction === undefined ? { outgoing: unsigned } : {}),
    ...(negativeFee ? { fee: 'negative' } : {}),
  };
  return Object.keys(signs).length === 0 ? {} : { signs };
}
