import { HomeError } from './home-folder.js';
import { type Command, commandText, type NextStep, otherProgram } from './next-command.js';
import { StoreError } from './store/errors.js';

export interface ErrorOptions {
  /** Machine-readable kebab-case code, `error.code` in JSON. */
  code: string;
  /** What the reader can type next. */
  next?: readonly NextStep[] | undefined;
  /** Further lines for a person, and `error.details` in JSON. */
  details?: unknown;
  httpStatus?: number | undefined;
  /** Whether the message says by itself that nothing was sent or changed: guards and interruptions do unless they say otherwise. */
  saysNothingSent?: boolean | undefined;
  cause?: unknown;
}

/** Every error that paydesk raises on purpose. Only the base command turns one into an exit. */
export class PaydeskError extends Error {
  readonly code: string;
  readonly next: readonly NextStep[];
  readonly details?: unknown;
  readonly httpStatus: number | undefined;
  readonly saysNothingSent: boolean;

  constructor(message: string, options: ErrorOptions) {
    super(message, { cause: options.cause });
    this.name = new.target.name;
    this.code = options.code;
    this.next = options.next ?? [];
    this.details = options.details;
    this.httpStatus = options.httpStatus;
    this.saysNothingSent =
      options.saysNothingSent ?? (this instanceof GuardError || this instanceof InterruptedError);
  }

  /** The same error, of the same class, with some of it replaced. */
  with({ message = this.message, ...changes }: { message?: string } & Partial<ErrorOptions>): PaydeskError {
    const { code, next, details, httpStatus, saysNothingSent } = this;
    const Same = this.constructor as typeof PaydeskError;
    return new Same(message, { code, next, details, httpStatus, saysNothingSent, cause: this, ...changes });
  }
}

/** The service refused. */
export class ServiceError extends PaydeskError {}
/** A bad flag, a bad value, or a missing value without a terminal. */
export class UsageError extends PaydeskError {}
/** Accepted, but the payment is known not to get where it was asked to go. */
export class NotReachedError extends PaydeskError {}
/** No profile, a bad key, a key of another app. */
export class ProfileError extends PaydeskError {}
/** Temporary, and nothing was changed: safe to run again. */
export class TemporaryError extends PaydeskError {}
/** The ledger cannot be used until somebody repairs it. */
export class LedgerError extends PaydeskError {}
/** The instruction may have been carried out. */
export class UnknownOutcomeError extends PaydeskError {}
/** A list of payments or a batch succeeded only in part. */
export class PartialError extends PaydeskError {}
/** Still pending when the time was up. */
export class PendingError extends PaydeskError {}
/** Refused by a guard of our own, before anything was sent. */
export class GuardError extends PaydeskError {}
/** The command did its work, and the filter of `--jq` could not be applied to the result. */
export class FilterError extends PaydeskError {}
/** The command did its work, and its output could not be written. */
export class OutputError extends PaydeskError {}
/** Ctrl-C, or declined at the prompt. */
export class InterruptedError extends PaydeskError {}

/** What happened, without the lines that say more: for a table or a ledger, which have room for one line. */
export const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

/** What a person can type to make a database usable again. */
export const storeFix = (error: unknown): Command[] =>
  error instanceof StoreError ? error.fix.map((words) => otherProgram(...words)) : [];

/** What is wrong with a database and how to fix it, in one line: for notes, which have no next steps. */
export function storeProblem(error: StoreError): string {
  const fix = storeFix(error).map((command) => commandText(command));
  return fix.length === 0 ? error.message : `${error.message} Fix it with: ${fix.join(' && ')}`;
}

const isUnavailable = (error: unknown): error is StoreError =>
  error instanceof StoreError && error.code === 'store-unavailable';

type PaydeskErrorClass = new (message: string, options: ErrorOptions) => PaydeskError;

/** The errors of this file, each with its exit code; of several with the same code, the most general first. */
const ownExitCodes: ReadonlyArray<[PaydeskErrorClass, number]> = [
  [ServiceError, 1],
  [LedgerError, 1],
  [FilterError, 1],
  [UsageError, 2],
  [NotReachedError, 3],
  [ProfileError, 4],
  [TemporaryError, 5],
  [UnknownOutcomeError, 6],
  [PartialError, 7],
  [PendingError, 8],
  [GuardError, 9],
  [OutputError, 10],
  [InterruptedError, 130],
];

/** The one table from error class to exit code. Whatever is not in it is a bug and exits 1. */
const exitCodes: ReadonlyArray<[new (...args: never[]) => Error, number]> = [
  ...ownExitCodes,
  [HomeError, 4],
  [StoreError, 1],
];

export function exitCodeOf(error: unknown): number {
  // A database that is away comes back.
  if (isUnavailable(error)) return 5;
  return exitCodes.find(([type]) => error instanceof type)?.[1] ?? 1;
}

/** The error that another paydesk process ended with, by its exit code. */
export function errorWithExitCode(exit: number, message: string, options: ErrorOptions): PaydeskError {
  const Found = ownExitCodes.find(([, code]) => code === exit)?.[0] ?? ServiceError;
  return new Found(message, options);
}
