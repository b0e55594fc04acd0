import { paydesk } from '../next-command.js';
import type { Client } from '../client/client.js';
import type { CustomerBody } from '../contract/customer-request.js';
import type { JsonObject } from '../contract/json.js';
import { ServiceError } from '../errors.js';
import { differencesOf, type Difference } from './compare-customer.js';

export interface CreatedCustomer {
  created: boolean;
  customer: JsonObject;
}

/**
 * Creates a customer, or finds the one that has the identifier already and compares it with what was asked for.
 * Calls `unsure` when an answer was lost, so that nobody can say which of the two it was.
 */
export async function createCustomer(
  client: Client,
  body: CustomerBody,
  unsure: () => void,
): Promise<CreatedCustomer> {
  const { customerId, ...asked } = body;
  const result = await client.createCustomer(body);
  const read = await client.readBackCustomer(result.value, customerId).catch((error: unknown) => {
    // The identifier is taken, and yet there is nobody to compare with: the conflict is what can be told.
    if (result.conflict && error instanceof ServiceError) throw conflictError(customerId, result.conflict);
    throw error;
  });
  const differences = differencesOf(asked, read.object, { absent: result.created === false });
  if (differences.length > 0) throw differentError(customerId, differences);
  if (result.created === 'unknown' && result.earlierMayHaveArrived) unsure();
  return { created: result.created !== false, customer: read.object };
}

function differentError(customerId: string, differences: Difference[]): ServiceError {
  return new ServiceError(`Customer ${customerId} already exists with other details. Nothing was changed.`, {
    code: 'customer-differs',
    saysNothingSent: true,
    details: differences,
    next: [paydesk('customers', 'get', customerId), paydesk('customers', 'update', customerId)],
  });
}

function conflictError(
  customerId: string,
  conflict: { message: string; httpStatus: number; code?: string },
): ServiceError {
  return new ServiceError(`The service refused to create customer ${customerId}: ${conflict.message}`, {
    code: conflict.code ?? 'conflict',
    httpStatus: conflict.httpStatus,
  });
}
