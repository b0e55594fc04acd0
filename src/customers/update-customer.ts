import { paydesk } from '../next-command.js';
import type { Client } from '../client/client.js';
import type { CustomerPatch } from '../contract/customer-request.js';
import type { JsonObject } from '../contract/json.js';
import { ServiceError } from '../errors.js';
import { differencesOf, customerField } from './compare-customer.js';

export interface UpdatedCustomer {
  customer: JsonObject;
  /** Only the fields that were asked for; null where there was nothing. */
  changes: { field: string; before: string | null; after: string | null }[];
}

/** Changes fields of a customer. It is read before, so that an app that is not the profile's stops it in time. */
export async function updateCustomer(
  client: Client,
  customerId: string,
  patch: CustomerPatch,
): Promise<UpdatedCustomer> {
  const before = await client.getCustomer(customerId);
  const written = await client.updateCustomer(customerId, patch);
  const after = await client.readBackCustomer(written.value, customerId);
  const ignored = differencesOf(patch, after.object, { absent: true });
  if (ignored.length > 0) {
    throw new ServiceError(
      `The service accepted the update of customer ${customerId}, but not every change is visible yet. ` +
        `Check the customer.`,
      {
        code: 'not-updated',
        details: ignored,
        next: [paydesk('customers', 'get', customerId)],
      },
    );
  }
  const changes = Object.keys(patch).map((field) => ({
    field,
    before: customerField(before.object, field),
    after: customerField(after.object, field),
  }));
  return { customer: after.object, changes };
}
