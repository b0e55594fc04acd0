/** Both from 1. */
export interface XmlPosition {
  line: number;
  column: number;
}

/** A document that is not XML, or more than we read. */
export class XmlProblem extends Error {
  readonly line: number;
  readonly column: number;

  constructor(problem: string, { line, column }: XmlPosition) {
    super(problem);
    this.name = 'XmlProblem';
    this.line = line;
    this.column = column;
  }
}

/** Refuses the document at a place of the text that is being read. */
export type Fail = (problem: string, offset?: number) => never;
