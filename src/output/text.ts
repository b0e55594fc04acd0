// Text that is safe to print: nothing in it can move the cursor, change colours or reorder what is read.

import stringWidth from 'fast-string-width';

// An expression with classes of Unicode takes V8 half a millisecond to make, so these are made where they are needed.

// Controls, escapes, bidirectional and other invisible characters, line separators, lone surrogates.
// The two selectors that choose between text and emoji shapes are visible in their effect and stay.
const unsafe = () =>
  /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\u{fe0e}\u{fe0f}]]/gv;
const unsafeInJson = () =>
  /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\u{fe0e}\u{fe0f}\n]]/gv;

// Nearly all text is plain, and then none of them is.
const PLAIN = /^[ -~]*$/;
const PLAIN_JSON = /^[ -~\n]*$/;

/** One line for a terminal or a pipe: what cannot be seen is written out as `\u{1b}`. */
export function safeText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(unsafe(), (character, at: number) =>
    character === JOINER && joinsEmoji(text, at)
      ? character
      : `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}

export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const JOINER = '\u{200d}';

/** Between two emoji the joiner is seen in its effect: one picture instead of two. */
function joinsEmoji(text: string, at: number): boolean {
  return (
    /\p{Extended_Pictographic}(?:\u{fe0f}|[\u{1f3fb}-\u{1f3ff}])?$/u.test(text.slice(0, at)) &&
    /^\p{Extended_Pictographic}/u.test(text.slice(at + 1))
  );
}

/** JSON text of any value that `JSON.stringify` takes; unsafe characters appear as `\u` escapes, numbers stay exact. */
export function safeJson(value: unknown, options: { pretty?: boolean } = {}): string {
  const text = JSON.stringify(value, null, options.pretty ? 2 : undefined) ?? 'null';
  if (PLAIN_JSON.test(text)) return text;
  return text.replace(unsafeInJson(), (character) =>
    Array.from({ length: character.length }, (_, index) => {
      const unit = character.charCodeAt(index).toString(16).padStart(4, '0');
      return `\\u${unit}`;
    }).join(''),
  );
}

let segmenter: Intl.Segmenter | undefined;

/** Columns that a text takes on a terminal; colour codes take none. */
export function displayWidth(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text);
}

const isUnspaced = (text: string): boolean =>
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/u.test(
    text,
  );

/** Cuts before `width` columns are exceeded, never inside a character. */
export function truncate(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  return width < 1 ? '' : `${split(text, width - 1)[0]}…`;
}

/** The longest head that fits, and the rest. */
function split(text: string, width: number): [string, string] {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  let head = '';
  let used = 0;
  for (const { segment } of segmenter.segment(text)) {
    used += displayWidth(segment);
    if (used > width) break;
    head += segment;
  }
  return [head, text.slice(head.length)];
}

export function pad(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return align === 'left' ? text + space : space + text;
}

/**
 * Lines of at most `width` columns, broken between words. A word that is wider stands on a line of its own; only in
 * scripts that write no spaces may it be broken, between two characters.
 */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (displayWidth(joined) <= width) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    line = word;
    while (displayWidth(line) > width && isUnspaced(line)) {
      const [head, rest] = split(line, width);
      // A wide character in a one-column space goes over rather than being lost.
      if (head === '') break;
      lines.push(head);
      line = rest;
    }
  }
  lines.push(line);
  return lines;
}
