// Payments in a list that somebody pasted: bullets, list numbers, labels, quotes, commas and invisible characters are not
// part of a name. Only for commands that show a payment before anything is done to it; a money move takes names as they
// are written.

import { looksLikeAmount, looksLikeIds } from '../contract/spoken-amount.js';
import { type NamedPayment, parseLines, parsePayment } from './named-payments.js';

const BULLET = /^(?:[-*•–—]|\d{1,3}[.)])(?:\s+|$)/;
const QUOTED = /^(?:"([^"]+)"|'([^']+)'|`([^`]+)`|“([^“”]+)”)$/;
const labelled = () => /^(\p{L}[\p{L} ]{0,20}):\s+(\S+)$/u;
/** What a name looks like that is one word among several: a reference with spaces in it is left whole. */
const NAME_LIKE = /[\d_-]|^(?:id|ref):/;

/** `1.234,56`, `1,234.56` and `59,90`: here a comma is part of a number. */
const NUMBER_WITH_COMMA = String.raw`(?<![\p{L}\d_.,;-])(?:\d{1,3}(?:,\d{3})+\.\d{1,2}|\d[\d.]*,\d{1,2})(?!\d|[.,;]\d)`;
const parts = () => new RegExp(`(?:${NUMBER_WITH_COMMA}|[^,;])+`, 'gu');
const DATE = /^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?:[T, ]+\d{1,2}:\d{2}.*)?$/;

/** Zero-width characters, marks of the direction, soft hyphens and byte order marks. */
const INVISIBLE = /[\u{ad}\u{200b}-\u{200f}\u{2060}\u{feff}]/gu;
const HYPHEN = /[\u{2010}\u{2011}]/gu;
const NON_BREAKING_SPACE = /[\u{a0}\u{2007}\u{202f}]/gu;

/** The names in a line, each as it is written. */
export function namesInLine(pasted: string): string[] {
  const line = pasted.replaceAll(INVISIBLE, '');
  const rest = line.trim().replace(BULLET, '').trim();
  // A line that begins with a tab is a row as well: its first cell is empty.
  return rest.includes('\t') || line.startsWith('\t') ? namesInRow(rest) : namesInText(rest);
}

/** Of a row of a spreadsheet, the cells that can name a payment: amounts, dates and plain words stand beside it. */
function namesInRow(row: string): string[] {
  const cells = row
    .split('\t')
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '' && !isBesideName(unquoted(cell) ?? cell));
  const names = cells.filter((cell, at) => NAME_LIKE.test(cell) && (at === 0 || !/\s/.test(cell)));
  return (names.length > 0 ? names : cells.slice(0, 1)).flatMap(namesInText);
}

const isBesideName = (cell: string): boolean => DATE.test(cell) || isWrittenAmount(cell);

/** Digits alone are an ID. */
const isWrittenAmount = (text: string): boolean =>
  !looksLikeIds(text) &&
  looksLikeAmount(text.replace(/^[-+−]\s*/, '').replaceAll(/(?<=\d)[\s'’](?=\d{3})/g, ''));

function namesInText(text: string): string[] {
  if (text === '' || QUOTED.test(text)) return text === '' ? [] : [text];
  return (text.match(parts()) ?? []).flatMap((part) => {
    const name = withoutLabel(part.trim());
    const words = name.split(/\s+/).filter(Boolean);
    const amountAt = words.findIndex((_, at) => at > 0 && isWrittenAmount(words.slice(at).join(' ')));
    const names = amountAt > 0 ? words.slice(0, amountAt) : words;
    return names.every((word) => NAME_LIKE.test(word)) ? names : [name];
  });
}

/**
 * `Order: inv-1` is `inv-1`, and a label that says what kind of name follows keeps saying it. Digits after any other label
 * may be the number of something else than a payment: such a line stays as it is, and is not found.
 */
function withoutLabel(text: string): string {
  const [, label = '', name = ''] = labelled().exec(text) ?? [];
  if (name === '') return text;
  if (/^(?:ref|reference)$/i.test(label)) return `ref:${name}`;
  if (/^(?:id|payment id)$/i.test(label)) return /^#?\d+$/.test(name) ? `id:${name.replace('#', '')}` : text;
  return /^#?\d+\W*$/.test(name) ? text : name;
}

function unquoted(text: string): string | undefined {
  const [, ...quoted] = QUOTED.exec(text) ?? [];
  return quoted.find((inside) => inside !== undefined);
}

/**
 * A name without quotes, a full stop after it and a # before digits, and with the hyphens and spaces of a keyboard. The
 * name as it is written goes before that.
 */
export function parsePastedName(written: string): NamedPayment {
  const bare = (unquoted(written.replace(/[.,;]+$/, '')) ?? written).trim().replace(/(?<=[^.])[.,;]+$/, '');
  const name = bare
    .replace(/^#(?=\d+$)/, '')
    .replaceAll(HYPHEN, '-')
    .replaceAll(NON_BREAKING_SPACE, ' ');
  const parsed = { ...parsePayment(name), typed: written };
  return name === written ? parsed : { ...parsed, written };
}

export const parsePastedLines = (text: string): NamedPayment[] =>
  parseLines(text, namesInLine, parsePastedName);
