import { UsageError } from '../errors.js';
import { shorten } from '../shorten.js';

/** How many lines or rows are named where there may be many. */
export const MAX_NAMED = 20;

/** The first rows by their lines, in whatever order they come. */
export const firstRows = <Row extends { line: number }>(rows: readonly Row[]): Row[] =>
  rows.toSorted((one, other) => one.line - other.line).slice(0, MAX_NAMED);

const MAX_QUOTED = 40;

/** A cell as a problem quotes it. */
export const shortText = (text: string): string => shorten(text, MAX_QUOTED);

/** Text that cannot be read on from here; the message completes "line 7: …". */
export class UnreadableText extends Error {}

/** What is wrong with a file, line by line: the first lines are kept, all problems are counted. */
export interface FileProblems {
  readonly count: number;
  add(line: number, problem: string): void;
  /** Refuses the file when anything is wrong with it. */
  throwIfAny(): void;
}

export function createFileProblems(code = 'bad-csv'): FileProblems {
  const shown: Array<{ line: number; problem: string }> = [];
  let count = 0;
  return {
    get count() {
      return count;
    },
    add(line, problem) {
      count += 1;
      if (shown.length < MAX_NAMED) shown.push({ line, problem });
    },
    throwIfAny() {
      if (count === 0) return;
      const details = shown
        .toSorted((a, b) => a.line - b.line)
        .map(({ line, problem }) => ({ input: `line ${line}`, problem }));
      const more = count - shown.length;
      if (more > 0) details.push({ input: '…', problem: `and ${more} more` });
      throw new UsageError(
        `The file cannot be used: ${count === 1 ? '1 problem' : `${count} problems`}. Nothing was sent.`,
        { code, details },
      );
    },
  };
}
