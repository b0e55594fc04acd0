import { isJsonObject, type JsonObject } from '../contract/json.js';
import { KIND_HEADER } from '../contract/sandbox-headers.js';
import { ProfileError, ServiceError } from '../errors.js';
import type { Client } from './client.js';

/** A customer with its app; the list may leave the app out. */
export async function firstCustomer(client: Client): Promise<JsonObject | undefined> {
  for await (const { fields, object } of client.listCustomers({ limit: '1' })) {
    if (object.app !== undefined || fields.customerId === undefined) return object;
    return (await client.getCustomer(fields.customerId)).object;
  }
  return undefined;
}

/** What a sandbox of ours says of its app, also where it has no customers yet. */
async function kindInHeaders(client: Client): Promise<'sandbox' | 'live' | undefined> {
  const { last } = await client.raw('GET', '/customers', { query: { limit: '1' } });
  const kind = last.kind === 'answer' ? last.headers[KIND_HEADER] : undefined;
  return kind === 'sandbox' || kind === 'live' ? kind : undefined;
}

/** With these the service refuses whatever is asked of the app. */
const aboutTheApp = ['wrong-app', 'app-blocked'];

/** What the service says of the app, by itself or through one of its customers; undefined where it does not say. */
export async function askKind(client: Client): Promise<'sandbox' | 'live' | undefined> {
  try {
    const told = await kindInHeaders(client);
    if (told) return told;
    const customer = await firstCustomer(client);
    const app = isJsonObject(customer?.app) ? customer.app : undefined;
    if (typeof app?.isSandbox !== 'boolean') return undefined;
    return app.isSandbox ? 'sandbox' : 'live';
  } catch (error) {
    const refused = error instanceof ServiceError || error instanceof ProfileError;
    const isAnswer = refused && !aboutTheApp.includes(error.code) && error.httpStatus !== 401;
    if (isAnswer) return undefined;
    throw error;
  }
}
