import { paydesk } from '../next-command.js';
import type { Client } from '../client/client.js';
import { scalarText, type JsonObject } from '../contract/json.js';
import { UnknownOutcomeError } from '../errors.js';

/** A stored method, named by its own number or by that of its registration. */
export interface MethodName {
  customerId: string;
  by: 'paymentMethodId' | 'customerAutomaticProfileId';
  value: string;
}

/**
 * The method as the service lists it; undefined when the list does not show it, which is for the service to judge.
 * The customer is read too, so that an app that is not the profile's stops the command in time.
 */
export async function findMethod(client: Client, name: MethodName): Promise<JsonObject | undefined> {
  await client.getCustomer(name.customerId);
  const { methods } = await client.paymentMethods(name.customerId);
  return methods.find(({ object }) => scalarText(object[name.by]) === name.value)?.object;
}

/** Removes a stored method. */
export const removeMethod = (client: Client, name: MethodName): Promise<void> =>
  settled(
    client,
    name,
    () => client.removePaymentMethod(name.customerId, name.value),
    () => false,
  );

/** Stops an auto-payment registration. */
export const stopAutoPayment = (client: Client, name: MethodName): Promise<void> =>
  settled(
    client,
    name,
    () => client.stopAutoPayment(name.customerId, name.value),
    (method) => method.isActive === false,
  );

/** When every answer was lost, the list of methods tells whether it was carried out. */
async function settled(
  client: Client,
  name: MethodName,
  send: () => Promise<unknown>,
  isOver: (method: JsonObject) => boolean,
): Promise<void> {
  try {
    await send();
  } catch (error) {
    if (!(error instanceof UnknownOutcomeError)) throw error;
    const method = await findMethod(client, name).catch(() => 'unknown' as const);
    if (method === undefined || (method !== 'unknown' && isOver(method))) return;
    throw error.with({ next: [paydesk('customers', 'methods', name.customerId)] });
  }
}
