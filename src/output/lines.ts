// What a view returns: lines of pieces. A piece becomes safe text here, and only here, on its way out.

import { commandText, type NextStep, stepWithProfile } from '../next-command.js';
import { displayWidth, safeText, wrap } from './text.js';
import type { Theme, Tone } from './theme.js';

interface TonedPiece {
  text: string;
  tone: Tone;
}
interface TabPiece {
  tab: true;
}
/** A command to copy: where it is too wide, it is broken as a shell takes it. */
interface CommandPiece {
  command: NextStep;
}
export type Piece = string | TonedPiece | TabPiece | CommandPiece;
export type Line = Piece | readonly Piece[];

/** Between two values in a pipe; a tab inside a text is written out like any other control character. */
export const TAB: TabPiece = { tab: true };

/** What a view may know of the place where it is shown. */
export interface ViewContext {
  terminal: boolean;
  width: number;
  now: Date;
}

/** One line per element; a view never writes by itself. */
export type View<T> = (value: T, context: ViewContext) => Line[];

export function toned(tone: Tone | undefined, text: string): Piece {
  return tone === undefined ? text : { text, tone };
}

export const commandPiece = (step: NextStep, profile?: string): Piece => ({
  command: stepWithProfile(step, profile),
});

const isCommand = (piece: Piece): piece is CommandPiece => typeof piece !== 'string' && 'command' in piece;

/** The lines with the profile that was chosen with `--profile` in every command that needs it. */
export const linesWithProfile = (lines: readonly Line[], profile: string | undefined): Line[] =>
  lines.map((line) =>
    piecesOf(line).map((piece) => (isCommand(piece) ? commandPiece(piece.command, profile) : piece)),
  );

const isList = (line: Line): line is readonly Piece[] => Array.isArray(line);

const piecesOf = (line: Line): readonly Piece[] => (isList(line) ? line : [line]);

const toneOf = (piece: Piece): Tone | undefined =>
  typeof piece !== 'string' && 'tone' in piece ? piece.tone : undefined;

const textOf = (piece: Piece): string => {
  if (typeof piece === 'string') return safeText(piece);
  if ('tab' in piece) return '\t';
  return safeText('command' in piece ? commandText(piece.command) : piece.text);
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

/** Where the command of a line begins in its plain text; undefined in a line without one. */
export function commandStart(line: Line): number | undefined {
  const pieces = piecesOf(line);
  const at = pieces.findIndex(isCommand);
  return at < 0 ? undefined : plainLine(pieces.slice(0, at)).length;
}

/** A part of a line, by positions in its plain text; every piece keeps its tone. */
export function sliceLine(line: Line, from: number, to: number): Piece[] {
  let start = 0;
  return piecesOf(line).flatMap((piece) => {
    const text = textOf(piece);
    const part = text.slice(Math.max(0, from - start), Math.max(0, to - start));
    start += text.length;
    if (part === '') return [];
    if (typeof piece !== 'string' && 'tab' in piece) return [piece];
    return [isCommand(piece) ? commandPiece({ text: part }) : toned(toneOf(piece), part)];
  });
}

/** Wraps a line between words; every piece keeps its tone, and every line the indent of the first. */
export function wrapLine(line: Line, width: number): Line[] {
  if (lineWidth(line) <= width) return [line];
  const text = plainLine(line);
  const indent = Math.max(0, text.search(/\S/));
  let end = indent;
  return wrap(text.slice(indent), Math.max(1, width - indent)).map((part) => {
    const start = text.indexOf(part, end);
    end = start + part.length;
    const words = sliceLine(line, start, end);
    return indent === 0 ? words : joinPieces(' '.repeat(indent), words);
  });
}
