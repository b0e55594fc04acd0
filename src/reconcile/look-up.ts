import { firstLine } from '../batch/worked-row.js';
import type { ExplainTools } from './explain-exceptions.js';
import type { CandidateStaging } from './staging.js';

/**
 * Asks the service for the references of lines that no known payment matches. Whether any of them became known: before
 * that, nobody can say that the service does not have them.
 */
export async function lookUpReferences(
  { readAll, records, onRead }: ExplainTools,
  staging: CandidateStaging,
): Promise<boolean> {
  let found = false;
  for await (const references of staging.openReferences()) {
    const results = await readAll(references.map((referenceId) => ({ referenceId })));
    onRead(references.length);
    const reads = results.flatMap((result, index) =>
      'read' in result && result.read.fields.referenceId === references[index] ? [result.read] : [],
    );
    found ||= reads.length > 0;
    await records.remember(reads);
    await staging.noteAsked(
      results.flatMap((result, index) => {
        const reference = references[index] as string;
        if ('read' in result) return reads.includes(result.read) ? [] : [{ reference, problem: undefined }];
        const { code, message } = result.error;
        return [{ reference, problem: code === 'not-found' ? undefined : firstLine(message) }];
      }),
    );
  }
  return found;
}
