import { StoreError } from './errors.js';

const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ENOENT',
]);

/**
 * SQLSTATE classes and codes: connection lost, out of resources, shut down, disk error, a server that became
 * read-only, a right that was taken away.
 */
const lostState = /^(08|25006|42501|53|55|57|58|XX)/;

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  // A host with several addresses fails with one error for each of them.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error && 'code' in first && typeof first.code === 'string' ? first.code : '';
}

/** A deadlock or serialisation failure: the same work may well succeed when it is run again. */
export function isRetryable(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error));
}

/**
 * A StoreError when the server is away or out of resources; anything else as it is. pg reports a lost connection and its
 * own timeouts without a code: `disconnected` says whether the connection is gone.
 */
export function postgresFailure(error: unknown, place: string, disconnected: boolean): unknown {
  const code = codeOf(error);
  const isLost = code === '' ? disconnected : networkCodes.has(code) || lostState.test(code);
  if (!isLost) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new StoreError('store-unavailable', `The database ${place} is not available (${message || code}).`, {
    cause: error,
  });
}

export function postgresUnusable(error: unknown, place: string): unknown {
  if (error instanceof StoreError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new StoreError('store-unusable', `The database ${place} cannot be used: ${detail}.`, {
    cause: error,
  });
}
