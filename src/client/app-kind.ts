import { isJsonObject, type JsonObject } from '../contract/json.js';
import { ProfileError, ServiceError } from '../errors.js';
import type { Client } from './client.js';

/** A customer with its app; the list may leave the app out. */
export async function firstCustomer(client: Client): Promise<JsonObject | undefined> {
  for await (const { fields, object } of client.listCustomers({ params: { limit: '1' } })) {
    if (object.app !== undefined || fields.customerId === undefined) return object;
    return (await client.getCustomer(fields.customerId)).object;
  }
  return undefined;
}

/** What the service says of the app through one of its customers; undefined where it does not say. */
export async function askKind(client: Client): Promise<'sandbox' | 'live' | undefined> {
  try {
    const customer = await firstCustomer(client);
    const app = isJsonObject(customer?.app) ? customer.app : undefined;
    if (typeof app?.isSandbox !== 'boolean') return undefined;
    return app.isSandbox ? 'sandbox' : 'live';
  } catch (error) {
    const refused = error instanceof ServiceError || error instanceof ProfileError;
    const isAnswer = refused && error.code !== 'wrong-app' && error.httpStatus !== 401;
    if (isAnswer) return undefined;
    throw error;
  }
}
