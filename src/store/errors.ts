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

/** Why it cannot be used, where that decides what a person should do. */
export type StoreErrorReason = 'damaged' | 'full' | 'locked';

/** What went wrong with a database, in words for a person. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  /** The commands that fix it, one after the other, each as its words. The store cannot write them for a shell. */
  readonly fix: ReadonlyArray<readonly string[]>;

  readonly reason: StoreErrorReason | undefined;

  constructor(
    code: StoreErrorCode,
    message: string,
    {
      fix = [],
      reason,
      ...options
    }: {
      cause?: unknown;
      fix?: ReadonlyArray<readonly string[]>;
      reason?: StoreErrorReason | undefined;
    } = {},
  ) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
    this.fix = fix;
    this.reason = reason;
  }
}
