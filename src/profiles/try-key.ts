import type { Decoded } from '../client/answers.js';
import { type Client, createClient, type ClientOptions } from '../client/client.js';
import type { Customer } from '../contract/customer.js';
import { PaydeskError, ProfileError, ServiceError } from '../errors.js';
import type { Kind } from './config-file.js';
import type { Secret } from './secret.js';

/** What the service says to a key, and of the app: nothing is changed by asking for one customer. */
type KeyTrial =
  | { result: 'accepted' }
  | { result: 'refused'; error: PaydeskError }
  /** The key is right, and the app is another one, or live where a sandbox was meant, or the other way round. */
  | { result: 'wrong-app'; error: PaydeskError }
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
  app: { baseUrl: string; appId: string; apiKey: Secret; kind: Kind },
  options: Pick<ClientOptions, 'onEvent' | 'signal' | 'connection' | 'headers'>,
): Promise<KeyTrial> {
  const { baseUrl, appId, apiKey, kind } = app;
  const retry = { attempts: 1, baseMs: 100, capMs: 100 };
  const client = createClient({
    baseUrl,
    appId,
    kind,
    apiKey: () => apiKey.reveal(),
    timeouts: keyTimeouts,
    retry,
    ...options,
  });
  try {
    const first = await client.listCustomers({ limit: '1' }).next();
    if (!first.done) await readApp(client, first.value);
    options.signal?.throwIfAborted();
    return { result: 'accepted' };
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!(error instanceof PaydeskError)) throw error;
    if (error.code === 'wrong-app') return { result: 'wrong-app', error };
    const unknownApp = error instanceof ServiceError && error.httpStatus === 404;
    if (error instanceof ProfileError || unknownApp) return { result: 'refused', error };
    return { result: 'not-tried', why: error.message };
  } finally {
    await client.close();
  }
}

/** The list may leave the app out. Other failures here say nothing about the key, which the service has accepted. */
async function readApp(client: Client, { fields, object }: Decoded<Customer>): Promise<void> {
  if (object.app !== undefined || fields.customerId === undefined) return;
  await client.getCustomer(fields.customerId).catch((error: unknown) => {
    if (error instanceof PaydeskError && error.code !== 'wrong-app') return;
    throw error;
  });
}
