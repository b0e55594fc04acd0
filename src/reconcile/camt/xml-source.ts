import { type Fail, type XmlPosition, XmlProblem } from './xml-problem.js';
import { illegalCharacter } from './xml-text.js';

/** Of one tag, comment or text, in characters. */
const MAX_TOKEN = 64 * 1024;

/** A text that comes in pieces and is taken token by token. Only what was not taken yet is kept. */
export interface XmlSource {
  /** Where the next token begins. */
  readonly position: XmlPosition;
  readonly isEmpty: boolean;
  /** Whether nothing was taken yet. */
  readonly isAtStart: boolean;
  write(piece: string): void;
  /** What comes next, at most this long. */
  peek(length: number): string;
  /** How far it is to the end of the next `mark`, looking from `from` on; -1 while it has not arrived. */
  upTo(mark: string, from?: number): number;
  /** How far it is to the end of a tag, past the `>` in quoted values; -1 while it has not arrived. */
  upToTagEnd(): number;
  /** That many characters, which are not taken yet; undefined for -1. Refuses what is too long or not allowed. */
  token(length: number, what: string): string | undefined;
  take(length: number): void;
  /** Refuses the document at a place after the beginning of the next token. */
  fail: Fail;
}

export function createXmlSource(): XmlSource {
  const position = createPosition();
  let buffer = '';
  let at = 0;
  let isAtStart = true;

  const fail: Fail = (problem, offset = 0) => {
    throw new XmlProblem(problem, position.of(buffer, at, offset));
  };

  return {
    fail,
    get position() {
      return position.of(buffer, at, 0);
    },
    get isEmpty() {
      return at === buffer.length;
    },
    get isAtStart() {
      return isAtStart;
    },
    write(piece) {
      position.cut(at);
      buffer = buffer.slice(at) + piece;
      at = 0;
    },
    peek: (length) => buffer.slice(at, at + length),
    upTo(mark, from = 0) {
      const found = buffer.indexOf(mark, at + from);
      return found < 0 ? -1 : found + mark.length - at;
    },
    upToTagEnd() {
      const end = endOfTag(buffer, at);
      return end < 0 ? -1 : end + 1 - at;
    },
    token(length, what) {
      if ((length < 0 ? buffer.length - at : length) > MAX_TOKEN) fail(`${what} is longer than 64 KiB`);
      if (length < 0) return undefined;
      const text = buffer.slice(at, at + length);
      const illegal = illegalCharacter(text);
      if (illegal >= 0) fail('a control character is not allowed', illegal);
      return text;
    },
    take(length) {
      position.pass(buffer, at, at + length);
      at += length;
      isAtStart = false;
    },
  };
}

function endOfTag(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const mark = text[at];
    if (mark === '>') return at;
    if (mark !== '"' && mark !== "'") continue;
    const close = text.indexOf(mark, at + 1);
    if (close < 0) return -1;
    at = close;
  }
  return -1;
}

/** Lines and columns of a text that comes in pieces. */
function createPosition() {
  let line = 1;
  /** Characters of the current line before the buffer begins. */
  let before = 0;
  /** Where the current line begins in the buffer; 0 when it began earlier. */
  let lineStart = 0;
  /** The next line break from where the text was passed, so that long lines are searched once. */
  let nextBreak = -1;
  return {
    pass(buffer: string, from: number, to: number): void {
      if (nextBreak < from) nextBreak = breakIn(buffer, from);
      while (nextBreak < to) {
        line += 1;
        before = 0;
        lineStart = nextBreak + 1;
        nextBreak = breakIn(buffer, lineStart);
      }
    },
    /** After the buffer was cut: its first character is the one that was at `at`. */
    cut(at: number): void {
      before += at - lineStart;
      lineStart = 0;
      nextBreak = -1;
    },
    of(buffer: string, at: number, offset: number): XmlPosition {
      const passed = buffer.slice(at, at + offset).split('\n');
      if (passed.length > 1) return { line: line + passed.length - 1, column: passed.at(-1)!.length + 1 };
      return { line, column: before + at - lineStart + offset + 1 };
    },
  };
}

function breakIn(buffer: string, from: number): number {
  const found = buffer.indexOf('\n', from);
  return found < 0 ? buffer.length : found;
}
