export type StoreErrorCode =
  /** The database was written by a newer paydesk. */
  | 'store-newer'
  /** Another process holds the file. */
  | 'store-held'
  /** The file or server cannot be opened at all (missing folder, no permission, not a database). */
  | 'store-unusable'
  /** The folder of this desk cannot be written. */
  | 'home-unwritable'
  /** It was reachable and may be again: a lost connection, a full disk, a lock that was not given. */
  | 'store-unavailable';

/** What went wrong with a database, in words for a person. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  /** The words of a command that fixes it, where one does. */
  readonly fix: readonly string[] | undefined;

  constructor(
    code: StoreErrorCode,
    message: string,
    { fix, ...options }: { cause?: unknown; fix?: readonly string[] } = {},
  ) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
    this.fix = fix;
  }
}
