// The body of `paydesk api` from its fields: `a.b=1` is nested, `key[]=1` adds to a list.

import { type JsonObject, type JsonValue, numberFromText } from '../contract/json.js';

type Field = { key: string; value: string };

/** Two fields that cannot both be true, such as `a=1` and `a.b=2`. */
export class FieldConflict extends Error {
  readonly key: string;

  constructor(key: string, message: string) {
    super(message);
    this.key = key;
  }
}

/** `true`, `false`, `null` and numbers are what they look like, numbers exact; in double quotes, and all else, text. */
export function fieldValue(text: string): JsonValue {
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return null;
  if (/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return numberFromText(text);
  return /^".*"$/s.test(text) ? text.slice(1, -1) : text;
}

type Node = Map<string, Node> | { list: JsonValue[] } | { value: JsonValue };

export function fieldsBody(fields: readonly Field[]): JsonObject {
  const root = new Map<string, Node>();
  for (const field of fields) addField(root, field);
  return toObject(root);
}

function addField(root: Map<string, Node>, { key, value }: Field): void {
  const isList = key.endsWith('[]');
  const path = (isList ? key.slice(0, -2) : key).split('.');
  if (path.some((name) => name === '' || name.includes('[')))
    throw new FieldConflict(key, 'use names with dots between them, and [] only at the end');
  const last = path.pop() ?? '';
  let node = root;
  for (const name of path) {
    const inner = node.get(name) ?? new Map<string, Node>();
    if (!(inner instanceof Map)) throw contradicts(key);
    node.set(name, inner);
    node = inner;
  }
  const there = node.get(last);
  if (!isList && there === undefined) return void node.set(last, { value: fieldValue(value) });
  if (!isList || (there !== undefined && !('list' in there))) throw contradicts(key);
  const { list } = there ?? { list: [] };
  // `key[]=` is a list without elements.
  node.set(last, { list: value === '' ? list : [...list, fieldValue(value)] });
}

const contradicts = (key: string) => new FieldConflict(key, 'contradicts another field');

function toObject(node: Map<string, Node>): JsonObject {
  return Object.fromEntries([...node].map(([name, inner]) => [name, toJson(inner)]));
}

function toJson(node: Node): JsonValue {
  if (node instanceof Map) return toObject(node);
  return 'list' in node ? node.list : node.value;
}
