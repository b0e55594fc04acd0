import { paydesk } from '../next-command.js';
import type { Client } from '../client/client.js';
import { scalarText, type JsonObject } from '../contract/json.js';
import { type PaydeskError, ServiceError, UnknownOutcomeError } from '../errors.js';

/** A stored method, named by its own number or by that of its registration. */
export interface MethodName {
  customerId: string;
  by: 'paymentMethodId' | 'customerAutomaticProfileId';
  value: string;
}

/**
 * The method as the service lists it; undefined where its list does not show such names, which leaves it to the
 * service to judge. The customer is read too, so that an app that is not the profile's stops the command in time.
 */
export async function findMethod(client: Client, name: MethodName): Promise<JsonObject | undefined> {
  await client.getCustomer(name.customerId);
  const listed = await lookUp(client, name);
  if (listed === 'absent') throw notFound(name);
  return listed === 'not-shown' ? undefined : listed;
}

/** Removes a stored method. `before` is what `findMethod` found. */
export const removeMethod = (
  client: Client,
  name: MethodName,
  before: JsonObject | undefined,
): Promise<void> =>
  settled(client, name, {
    before,
    send: () => client.removePaymentMethod(name.customerId, name.value),
    isOver: () => false,
  });

/** Stops an auto-payment registration. `before` is what `findMethod` found. */
export const stopAutoPayment = (
  client: Client,
  name: MethodName,
  before: JsonObject | undefined,
): Promise<void> =>
  settled(client, name, {
    before,
    send: () => client.stopAutoPayment(name.customerId, name.value),
    isOver: (method) => method.isActive === false,
  });

/** `knownToShow` says that the list had such a name before: one that is gone now is not merely left out. */
async function lookUp(
  client: Client,
  { customerId, by, value }: MethodName,
  knownToShow = false,
): Promise<JsonObject | 'absent' | 'not-shown'> {
  const { methods, isWhole } = await client.paymentMethods(customerId);
  const found = methods.find(({ object }) => scalarText(object[by]) === value);
  if (found) return found.object;
  const shows =
    knownToShow || methods.length === 0 || methods.some(({ object }) => Object.hasOwn(object, by));
  return isWhole && shows ? 'absent' : 'not-shown';
}

interface Removal {
  before: JsonObject | undefined;
  send: () => Promise<{ repeated: boolean }>;
  /** Whether a method that is still listed shows that it was carried out. */
  isOver: (method: JsonObject) => boolean;
}

/** An answer that proves nothing is settled by the list: what was in it before and is gone now was removed. */
async function settled(client: Client, name: MethodName, { before, send, isOver }: Removal): Promise<void> {
  const doubt = await send().then(({ repeated }) => (repeated ? goneOnRepeat(name) : undefined), doubtIn);
  if (doubt === undefined) return;
  const after = await lookUp(client, name, before !== undefined).catch(() => 'not-shown' as const);
  const isThere = typeof after !== 'string' && !isOver(after);
  if (before !== undefined && after !== 'not-shown' && !isThere) return;
  const next = [paydesk('customers', 'methods', name.customerId)];
  if (doubt instanceof UnknownOutcomeError) throw doubt.with({ next });
  const { message, code, httpStatus, details } = doubt;
  if (isThere) throw doubt.with({ message: `${message} The customer still has ${describe(name)}.`, next });
  throw new UnknownOutcomeError(`The outcome is unknown. ${message}`, { code, httpStatus, details, next });
}

/** An error that leaves open what was done; throws any other. */
function doubtIn(error: unknown): PaydeskError {
  if (error instanceof UnknownOutcomeError) return error;
  if (error instanceof ServiceError && error.code === 'odd-answer') return error;
  throw error;
}

const describe = ({ by, value }: MethodName): string =>
  by === 'paymentMethodId' ? `method ${value}` : `auto-payment registration ${value}`;

function goneOnRepeat(name: MethodName): UnknownOutcomeError {
  return new UnknownOutcomeError(
    `The outcome is unknown: an answer was lost, and the service then found no ${describe(name)}.`,
    { code: 'answer-lost', httpStatus: 404 },
  );
}

function notFound(name: MethodName): ServiceError {
  return new ServiceError(`Customer ${name.customerId} has no ${describe(name)}. Nothing was changed.`, {
    code: 'not-found',
    saysNothingSent: true,
    next: [paydesk('customers', 'methods', name.customerId)],
  });
}
