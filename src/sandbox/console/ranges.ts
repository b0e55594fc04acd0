// Pages of long lists. Every page is put together from ranges of an index, each read only as far as the page needs,
// so that the millionth payment costs what the first did.

import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { Engine as StoreEngine } from '../../store/store.js';

/** Reads at most `limit` rows of one range, in the order of the list. */
export type Range<Row> = (limit: number) => Promise<Row[]>;

export async function mergeRanges<Row>(
  ranges: ReadonlyArray<Range<Row>>,
  compare: (a: Row, b: Row) => number,
  limit: number,
): Promise<Row[]> {
  const parts: Row[][] = [];
  for (const range of ranges) parts.push(await range(limit));
  return parts.length === 1 ? (parts[0] as Row[]) : parts.flat().sort(compare).slice(0, limit);
}

/** How far results are counted; beyond that a page says "more than". */
export const MAX_COUNT = 200;

/** How many rows a page reads: the first one also those that are only counted. */
export const readAhead = (key: string | undefined, size: number): number =>
  key === undefined ? Math.max(MAX_COUNT, size) + 1 : size + 1;

export interface RangePage<Row> {
  /** How many there are in all, or one more than `MAX_COUNT`; only the first page knows. */
  total?: number;
  rows: Row[];
  /** Where the next page begins; absent on the last one. */
  next?: string;
}

/** `found` has more rows than the page when there is a further one. */
export function pageOf<Row>(
  found: Row[],
  size: number,
  keyOf: (row: Row) => PageKey,
  key: string | undefined,
): RangePage<Row> {
  const rows = found.slice(0, size);
  const last = rows.at(-1);
  return {
    rows,
    ...(key === undefined && { total: Math.min(found.length, MAX_COUNT + 1) }),
    ...(found.length > size && last !== undefined && { next: writeKey(keyOf(last)) }),
  };
}

/** The last row of a page, by what the list is in the order of. */
type PageKey = Array<string | number>;

export function writeKey(key: PageKey): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

type KeyShape = ReadonlyArray<'string' | 'number'>;

type KeyOf<Shape extends KeyShape> = {
  -readonly [Index in keyof Shape]: Shape[Index] extends 'string' ? string : number;
};

/** A key that was tampered with begins at the beginning. */
export function readKey<const Shape extends KeyShape>(
  text: string | undefined,
  shape: Shape,
): KeyOf<Shape> | undefined {
  if (text === undefined) return undefined;
  try {
    const key: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    const fits =
      Array.isArray(key) &&
      key.length === shape.length &&
      shape.every((type, index) => typeof key[index] === type && isSafe(key[index]));
    return fits ? (key as KeyOf<Shape>) : undefined;
  } catch {
    return undefined;
  }
}

/** For lists by a number that counts up: without a key, from above all of them. */
export const readNumberKey = (text: string | undefined): number =>
  readKey(text, ['number'])?.[0] ?? Number.MAX_SAFE_INTEGER;

const isSafe = (value: unknown): boolean => typeof value !== 'number' || Number.isSafeInteger(value);

/** A column of text in the order of its bytes, on either engine. */
export function byBytes(engine: StoreEngine, column: string): RawBuilder<string> {
  return engine === 'postgres'
    ? sql<string>`${sql.ref(column)} collate "C"`
    : sql<string>`${sql.ref(column)}`;
}

export const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

interface Newest {
  order: RawBuilder<number>;
  direction: 'asc' | 'desc';
  before(key: number): RawBuilder<SqlBool>;
}

/**
 * The newest first, of those that a filter lets through. Asked for the plain order, PostgreSQL takes the primary key
 * and reads past all that the filter does not let through, however many; this one only the indexes of the lists have.
 */
export function newestOf(engine: StoreEngine, column: string): Newest {
  const id = sql.ref(column);
  if (engine === 'postgres') {
    return { order: sql<number>`-${id}`, direction: 'asc', before: (key) => sql<SqlBool>`-${id} > ${-key}` };
  }
  return { order: sql<number>`${id}`, direction: 'desc', before: (key) => sql<SqlBool>`${id} < ${key}` };
}

/** Nothing that begins with the text comes after this. */
export const endOfPrefix = (text: string): string => `${text}\u{10FFFF}`;
