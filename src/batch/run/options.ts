export interface RunOptions {
  concurrency: number;
  rate?: number | undefined;
  /** Rows that go one by one first; the rest only follows when each is done or accepted. */
  canary?: number | undefined;
  /** Stop after this many rows were refused, failed or stayed unknown. */
  stopAfterFailures?: number | undefined;
  wait: boolean;
  resend: boolean;
  /** Once everything is sent: check the rows that are accepted or refused. */
  lookAgain: boolean;
  /** Nobody else can work on the batch, so its leases need no renewing. */
  isAlone?: boolean;
}
