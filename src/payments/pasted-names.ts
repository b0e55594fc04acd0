// Payments in a list that somebody pasted: bullets, list numbers, labels, quotes and commas are not part of a name. Only
// for commands that show a payment before anything is done to it; a money move takes names as they are written.

import { type NamedPayment, parseLines, parsePayment } from './named-payments.js';

const BULLET = /^(?:[-*•–—]|\d{1,3}[.)])(?:\s+|$)/;
const QUOTED = /^(?:"([^"]+)"|'([^']+)'|`([^`]+)`|“([^“”]+)”)$/;
const LABELLED = /^(\p{L}[\p{L} ]{0,20}):\s+(\S+)$/u;
/** What a name looks like that is one word among several: a reference with spaces in it is left whole. */
const NAME_LIKE = /[\d_-]|^(?:id|ref):/;

/** The names in a line, each as it is written. */
export function namesInLine(line: string): string[] {
  const rest = line.trim().replace(BULLET, '').trim();
  if (rest === '' || QUOTED.test(rest)) return rest === '' ? [] : [rest];
  return rest.split(/[,;]+/).flatMap((part) => {
    const name = withoutLabel(part.trim());
    const words = name.split(/\s+/).filter(Boolean);
    return words.every((word) => NAME_LIKE.test(word)) ? words : [name];
  });
}

/**
 * `Order: inv-1` is `inv-1`, and a label that says what kind of name follows keeps saying it. Digits after any other label
 * may be the number of something else than a payment: such a line stays as it is, and is not found.
 */
function withoutLabel(text: string): string {
  const [, label = '', name = ''] = LABELLED.exec(text) ?? [];
  if (name === '') return text;
  if (/^(?:ref|reference)$/i.test(label)) return `ref:${name}`;
  if (/^(?:id|payment id)$/i.test(label)) return /^#?\d+$/.test(name) ? `id:${name.replace('#', '')}` : text;
  return /^#?\d+\W*$/.test(name) ? text : name;
}

/** A name without quotes, a full stop after it and a # before digits. The name as it is written goes before that. */
export function parsePastedName(written: string): NamedPayment {
  const [, ...quoted] = QUOTED.exec(written.replace(/[.,;]+$/, '')) ?? [];
  const bare = (quoted.find((text) => text !== undefined) ?? written).trim().replace(/(?<=[^.])[.,;]+$/, '');
  const name = bare.replace(/^#(?=\d+$)/, '');
  const parsed = { ...parsePayment(name), typed: written };
  return name === written ? parsed : { ...parsed, written };
}

export const parsePastedLines = (text: string): NamedPayment[] =>
  parseLines(text, namesInLine, parsePastedName);
