import type { Fail } from './xml-problem.js';
import { decodeReferences } from './xml-text.js';

export interface Tag {
  name: string;
  attributes: ReadonlyMap<string, string>;
  isEmpty: boolean;
}

const MAX_ATTRIBUTES = 32;
const MAX_VALUE = 4_096;

const NAME = /[\p{L}_:][\p{L}\p{N}\p{M}_:.\u00B7-]*/uy;
const ATTRIBUTE =
  /[ \t\r\n]+([\p{L}_:][\p{L}\p{N}\p{M}_:.\u00B7-]*)[ \t\r\n]*=[ \t\r\n]*("[^"<]*"|'[^'<]*')/uy;
const END = /[ \t\r\n]*(\/?)>/y;
const none: ReadonlyMap<string, string> = new Map();

/** A tag from its `<` to its `>`. */
export function parseTag(text: string, fail: Fail): Tag {
  const name = matchAt(NAME, text, 1)?.[0] ?? fail('a tag needs a name', 1);
  if (name.startsWith(':') || name.endsWith(':') || name.indexOf(':') !== name.lastIndexOf(':'))
    fail(`${name} is not a name`, 1);
  let at = 1 + name.length;
  let attributes: Map<string, string> | undefined;
  for (;;) {
    const found = matchAt(ATTRIBUTE, text, at);
    if (!found) break;
    const [whole, key = '', quoted = ''] = found;
    attributes ??= new Map();
    if (attributes.has(key)) fail(`the attribute ${key} is there twice`, at);
    if (attributes.size === MAX_ATTRIBUTES) fail(`a tag has more than ${MAX_ATTRIBUTES} attributes`, at);
    if (quoted.length > MAX_VALUE + 2)
      fail(`the attribute ${key} is longer than ${MAX_VALUE} characters`, at);
    const start = at + whole.length - quoted.length + 1;
    attributes.set(
      key,
      decodeReferences(quoted.slice(1, -1), (problem, offset = 0) => fail(problem, start + offset)),
    );
    at += whole.length;
  }
  const end = matchAt(END, text, at);
  if (!end || at + end[0].length !== text.length) fail(`the tag ${name} is not well-formed`, at);
  return { name, attributes: attributes ?? none, isEmpty: end?.[1] === '/' };
}

function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}
