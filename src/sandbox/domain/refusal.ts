import type { FieldError } from '../../contract/problem.js';
import type { ProblemCode } from '../../contract/problem-codes.js';

/** The service says no. The HTTP side turns it into a problem answer. */
export class Refusal extends Error {
  readonly code: ProblemCode;
  readonly errors: FieldError[];
  readonly headers: Record<string, string>;

  constructor(
    code: ProblemCode,
    detail: string,
    { errors = [], headers = {} }: { errors?: FieldError[]; headers?: Record<string, string> } = {},
  ) {
    super(detail);
    this.name = 'Refusal';
    this.code = code;
    this.errors = errors;
    this.headers = headers;
  }
}

export function invalidField(path: string, message: string): Refusal {
  return new Refusal('invalid-request', `${path} ${message}`, { errors: [{ path, message }] });
}
