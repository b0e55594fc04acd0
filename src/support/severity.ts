export const severities = ['urgent', 'attention', 'waiting', 'failed', 'ok'] as const;
/** `urgent`: somebody should act now. `attention`: somebody has to decide. `failed` and `ok` are over. */
export type Severity = (typeof severities)[number];

/** Where a payment stands. */
export interface Verdict {
  text: string;
  severity: Severity;
  /** It has been where it is for too long, or an instruction of ours has no known outcome. */
  stuck: boolean;
}
