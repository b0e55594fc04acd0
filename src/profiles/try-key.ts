import { createClient, type ClientOptions } from '../client/client.js';
import { PaydeskError, ProfileError, ServiceError } from '../errors.js';
import type { Secret } from './secret.js';

/** What the service says to a key: nothing is changed by asking for one customer. */
type KeyTrial =
  | { result: 'accepted' }
  | { result: 'refused'; error: PaydeskError }
  /** Nobody answered, or not in a way that tells. */
  | { result: 'not-tried'; why: string };

/** A person waits to be told whether the service accepts the key. */
export const keyTimeouts = {
  connectMs: 2_000,
  headersMs: 3_000,
  bodyMs: 3_000,
  attemptMs: 4_000,
  overallMs: 6_000,
};

export async function tryKey(
  app: { baseUrl: string; appId: string; apiKey: Secret },
  options: Pick<ClientOptions, 'onEvent' | 'signal' | 'connection' | 'headers'>,
): Promise<KeyTrial> {
  const { baseUrl, appId, apiKey } = app;
  const retry = { attempts: 1, baseMs: 100, capMs: 100 };
  const client = createClient({
    baseUrl,
    appId,
    apiKey: () => apiKey.reveal(),
    timeouts: keyTimeouts,
    retry,
    ...options,
  });
  try {
    await client.listCustomers({ limit: '1' }).next();
    return { result: 'accepted' };
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!(error instanceof PaydeskError)) throw error;
    const unknownApp = error instanceof ServiceError && error.httpStatus === 404;
    if (error instanceof ProfileError || unknownApp) return { result: 'refused', error };
    return { result: 'not-tried', why: error.message };
  } finally {
    await client.close();
  }
}
