// Lines that fit a terminal. Words, links and commands stay whole: what is broken can be neither read nor copied.

import { commandParts } from '../next-command.js';
import {
  commandStart,
  joinPieces,
  type Line,
  lineWidth,
  plainLine,
  sliceLine,
  toned,
  wrapLine,
} from './lines.js';
import { displayWidth, pad } from './text.js';

/** `  Next:  `, `  See:   `: the lines that follow stand under the value. */
const LABEL = /^ *[^\s:][^:]{0,20}: {2,}/;
/** `  not possible   3   Held: …`: so do the lines under the last column of a row, where that leaves room. */
const ROW = /^ {2,}(?:\S+(?: \S+)* {2,})+/;
const CONTINUED = 4;

const space = (width: number): string => ' '.repeat(Math.max(0, width));

/** With the indent, which a line keeps when it is wrapped. */
export function longestWord(line: Line): number {
  const text = plainLine(line);
  return Math.max(0, text.search(/\S/)) + Math.max(0, ...text.split(' ').map(displayWidth));
}

const INDENT = 2;

/** Indents a line, by less where it would not fit: a link that starts at the left edge may just fit. */
function indented(line: Line, indent: number, width: number): Line {
  const room = width - lineWidth(line);
  return joinPieces(space(Math.min(indent, room < 0 ? INDENT : room)), line);
}

/** A line as one or several that fit. A single word that is wider than the terminal is left as it is. */
function fitLine(line: Line, width: number): Line[] {
  const text = plainLine(line);
  if (displayWidth(text) <= width) return [line];
  const indent = Math.max(0, text.search(/\S/));
  const command = commandStart(line);
  if (command !== undefined && !LABEL.test(text) && text.slice(0, command).trim() !== '') {
    return [
      ...fitLine(sliceLine(line, 0, text.slice(0, command).trimEnd().length), width),
      ...fitLine(joinPieces(space(indent + INDENT), sliceLine(line, command, text.length)), width),
    ];
  }
  const row = ROW.exec(text)?.[0].length ?? width;
  const hang = command ?? LABEL.exec(text)?.[0].length ?? (row <= width / 2 ? row : indent);
  const value = sliceLine(line, hang, text.length);
  const lines = command === undefined ? wrapLine(value, width - hang) : commandLines(value, width - hang);
  const [first = '', ...rest] = lines;
  const head = sliceLine(line, 0, hang);
  const starts =
    lineWidth(first) <= width - hang
      ? [joinPieces(head, first)]
      : [...(hang > indent ? [head] : []), indented(first, indent, width)];
  return [...starts, ...rest.map((part) => indented(part, hang, width))];
}

export const fitLines = (lines: readonly Line[], width: number): Line[] =>
  lines.flatMap((line) => fitLine(line, width));

/** A command on several lines, as a shell takes it: a flag stays with its value where there is room for both. */
export function commandLines(command: Line, width: number): Line[] {
  const text = plainLine(command);
  if (displayWidth(text) <= width) return [command];
  const lines: Line[] = [];
  let from = 0;
  let end = 0;
  const least = width - CONTINUED - ' \\'.length;
  for (const part of commandParts(text).flatMap((one) => (one.end - one.start > least ? one.words : [one]))) {
    const room = lines.length === 0 ? least + CONTINUED : least;
    if (end > from && displayWidth(text.slice(from, part.end)) > room) {
      lines.push(joinPieces(sliceLine(command, from, end), ' \\'));
      from = part.start;
    }
    end = part.end;
  }
  lines.push(sliceLine(command, from, end));
  return lines.map((line, index) => (index === 0 ? line : indented(line, CONTINUED, width)));
}

/** A label with its value beside it, or below where a word of the value would not fit there. */
export function labelledLines(
  label: string,
  value: Line,
  at: { indent: number; labelWidth: number; width: number },
): Line[] {
  const { indent, labelWidth, width } = at;
  const gap = 2;
  const room = width - indent - labelWidth - gap;
  if (longestWord(value) > room && label !== '') {
    return [
      joinPieces(space(indent), toned('dim', label)),
      ...wrapLine(value, width - indent).map((line) => indented(line, indent, width)),
    ];
  }
  return wrapLine(value, room).map((line, index) =>
    joinPieces(space(indent), toned('dim', pad(index === 0 ? label : '', labelWidth)), space(gap), line),
  );
}
