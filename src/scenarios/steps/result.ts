import type { JsonValue } from '../../contract/json.js';
import type { PaydeskError } from '../../errors.js';
import type { Explanation } from '../../support/explain.js';

/** What came of a step: what its command would have printed, and how it would have ended. */
export interface StepResult {
  /** The payments that it was about, as names. */
  payments: readonly string[];
  customer?: string;
  /** What ${name} stands for in later steps. */
  value?: JsonValue | undefined;
  /** What became of an instruction; null where none was sent. */
  outcome?: string | null;
  created?: boolean;
  explanation?: Explanation;
  /** The rows of a batch by what became of them. */
  rows?: Readonly<Record<string, number>>;
  /** What the command would have ended with. */
  error?: PaydeskError | undefined;
  /** For the timeline. */
  summary: string;
}
