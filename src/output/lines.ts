// What a view returns: lines of pieces. A piece becomes safe text here, and only here, on its way out.

import { displayWidth, safeText, wrap } from './text.js';
import type { Theme, Tone } from './theme.js';

export interface TonedPiece {
  text: string;
  tone: Tone;
}
export interface TabPiece {
  tab: true;
}
export type Piece = string | TonedPiece | TabPiece;
export type Line = Piece | readonly Piece[];

/** Between two values in a pipe; a tab inside a text is written out like any other control character. */
export const TAB: TabPiece = { tab: true };

/** What a view may know of the place where it is shown. */
export interface Look {
  terminal: boolean;
  width: number;
  now: Date;
}

/** One line an element; a view never writes by itself. */
export type View<T> = (value: T, look: Look) => Line[];

export function toned(tone: Tone | undefined, text: string): Piece {
  return tone === undefined ? text : { text, tone };
}

const piecesOf = (line: Line): readonly Piece[] =>
  typeof line === 'string' || 'text' in line || 'tab' in line ? [line] : line;

const toneOf = (piece: Piece): Tone | undefined =>
  typeof piece === 'string' || 'tab' in piece ? undefined : piece.tone;

const textOf = (piece: Piece): string => {
  if (typeof piece === 'string') return safeText(piece);
  return 'tab' in piece ? '\t' : safeText(piece.text);
};

export function joinPieces(...lines: Line[]): Piece[] {
  return lines.flatMap(piecesOf);
}

/** The safe text of a line, without colour. */
export function plainLine(line: Line): string {
  return piecesOf(line).map(textOf).join('');
}

export function lineWidth(line: Line): number {
  return displayWidth(plainLine(line));
}

export function renderLine(line: Line, theme: Theme): string {
  return piecesOf(line)
    .map((piece) => {
      const tone = toneOf(piece);
      return tone === undefined ? textOf(piece) : theme[tone](textOf(piece));
    })
    .join('');
}

export function renderLines(lines: readonly Line[], theme: Theme): string {
  return lines.map((line) => `${renderLine(line, theme)}\n`).join('');
}

/** Wraps a line; its colours last to the end of each piece only when it fits, or when all of it has one tone. */
export function wrapLine(line: Line, width: number): Line[] {
  if (lineWidth(line) <= width) return [line];
  const pieces = piecesOf(line);
  const tones = new Set(pieces.map(toneOf));
  const tone = tones.size === 1 ? [...tones][0] : undefined;
  return wrap(plainLine(line), Math.max(1, width)).map((text) => toned(tone, text));
}
