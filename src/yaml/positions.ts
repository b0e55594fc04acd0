// A YAML document as plain values, with the place of each in the file.

import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type Node } from 'yaml';

export interface Position {
  line: number;
  column: number;
}

export type Path = ReadonlyArray<string | number>;

/** Something that is wrong at a place of a file. */
export interface FileProblem extends Position {
  problem: string;
}

export interface ParsedYaml {
  value: unknown;
  /** Where a value begins; that of the nearest value around it where there is none. */
  at(path: Path): Position;
  /** Where a key begins. */
  keyAt(path: Path): Position;
  problems: FileProblem[];
}

// YAML takes the braces of ${name} for a mapping where it stands between braces. While it is read, other characters
// take their place, as many as there were, so that every position stays right.
const OPEN = '\uE000\uE001';
const CLOSE = '\uE002';
const protect = (text: string) => text.replaceAll(/\$\{([\w.-]*)\}/g, `${OPEN}$1${CLOSE}`);
const reveal = (text: string) => text.replaceAll(OPEN, '${').replaceAll(CLOSE, '}');

export function parseYaml(text: string): ParsedYaml {
  const lineCounter = new LineCounter();
  const document = parseDocument(protect(text), { lineCounter, prettyErrors: false });
  const place = (offset: number): Position => {
    const { line, col } = lineCounter.linePos(offset);
    return { line, column: col };
  };
  const values = new Map<string, number>();
  const keys = new Map<string, number>();
  const value = plain(document, document.contents, [], { values, keys });
  const nearest = (found: Map<string, number>, path: Path): Position => {
    const own = found.get(keyOf(path));
    if (own !== undefined) return place(own);
    for (let length = path.length; length >= 0; length--) {
      const offset = values.get(keyOf(path.slice(0, length)));
      if (offset !== undefined) return place(offset);
    }
    return { line: 1, column: 1 };
  };
  return {
    value,
    at: (path) => nearest(values, path),
    keyAt: (path) => nearest(keys, path),
    problems: document.errors.map(({ pos, message }) => ({
      ...place(pos[0]),
      problem: reveal(message.split('\n', 1)[0] ?? ''),
    })),
  };
}

const keyOf = (path: Path): string => JSON.stringify(path.map(String));

interface Places {
  values: Map<string, number>;
  keys: Map<string, number>;
}

function plain(document: Document, node: Node | null | undefined, path: Path, places: Places): unknown {
  const found = isAlias(node) ? node.resolve(document) : node;
  if (node?.range) places.values.set(keyOf(path), node.range[0]);
  if (isScalar(found)) return typeof found.value === 'string' ? reveal(found.value) : found.value;
  if (isSeq(found)) {
    return found.items.map((item, index) => plain(document, item as Node, [...path, index], places));
  }
  if (!isMap(found)) return undefined;
  const entries = found.items.map(({ key, value }) => {
    const label = isScalar(key) ? reveal(String(key.value)) : '';
    const inner = [...path, label];
    const from = isScalar(key) ? key.range?.[0] : undefined;
    if (from !== undefined) {
      places.keys.set(keyOf(inner), from);
      places.values.set(keyOf(inner), from);
    }
    return [label, value === null ? null : plain(document, value as Node, inner, places)] as const;
  });
  return Object.fromEntries(entries);
}
