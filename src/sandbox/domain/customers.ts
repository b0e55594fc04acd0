import type { Customer } from '../../contract/customer.js';
import type { CustomerBody, CustomerPatch } from '../../contract/customer-request.js';
import type { CustomerOrder } from '../../contract/order.js';
import type { CustomerRow } from '../schema.js';
import { checkPolicy, type App } from './apps.js';
import { Refusal } from './refusal.js';
import { enrolCustomerRow } from './statements.js';
import type { Work } from './work.js';

/** A first payment makes the customer; a later one only fills in what was not known. */
export async function enrolCustomer(
  work: Work,
  appId: string,
  buyer: CustomerOrder['customer'],
): Promise<void> {
  await enrolCustomerRow(work.tx, work.store.engine, {
    app_id: appId,
    customer_id: buyer.customerId,
    // An empty name tells nothing, and a later one could not take its place.
    first_name: buyer.firstName || null,
    last_name: buyer.lastName || null,
    email: buyer.email || null,
    mobile_number: buyer.phoneNumber || null,
    fraud_policy_id: null,
    created_time: work.now,
  });
}

export async function insertCustomer(
  work: Work,
  app: App,
  body: CustomerBody,
): Promise<{ customer: CustomerRow; created: boolean }> {
  checkPolicy(app, body.fraudPolicyId);
  const inserted = await work.tx
    .insertInto('customers')
    .values({
      app_id: app.app_id,
      customer_id: body.customerId,
      first_name: body.firstName ?? null,
      last_name: body.lastName ?? null,
      email: body.email ?? null,
      mobile_number: body.mobileNumber ?? null,
      fraud_policy_id: body.fraudPolicyId ?? null,
      created_time: work.now,
    })
    .onConflict((conflict) => conflict.columns(['app_id', 'customer_id']).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (inserted) return { customer: inserted, created: true };
  const customer = await requireCustomer(work, app.app_id, body.customerId);
  return { customer, created: false };
}

/** Whether a repeated creation asks for the customer that is there. */
export function sameCustomer(customer: CustomerRow, body: CustomerBody): boolean {
  return (
    customer.first_name === (body.firstName ?? null) &&
    customer.last_name === (body.lastName ?? null) &&
    customer.email === (body.email ?? null) &&
    customer.mobile_number === (body.mobileNumber ?? null) &&
    customer.fraud_policy_id === (body.fraudPolicyId ?? null)
  );
}

export async function patchCustomer(
  work: Work,
  app: App,
  customerId: string,
  patch: CustomerPatch,
): Promise<CustomerRow> {
  const customer = await requireCustomer(work, app.app_id, customerId);
  // Only what is given: another request may be changing the rest at this moment.
  const changes = {
    ...(patch.firstName !== undefined && { first_name: patch.firstName }),
    ...(patch.lastName !== undefined && { last_name: patch.lastName }),
    ...(patch.email !== undefined && { email: patch.email }),
    ...(patch.mobileNumber !== undefined && { mobile_number: patch.mobileNumber }),
  };
  if (Object.keys(changes).length === 0) return customer;
  return work.tx
    .updateTable('customers')
    .set(changes)
    .where('id', '=', customer.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function findCustomer(
  work: Pick<Work, 'tx'>,
  appId: string,
  customerId: string,
): Promise<CustomerRow | undefined> {
  return work.tx
    .selectFrom('customers')
    .selectAll()
    .where('app_id', '=', appId)
    .where('customer_id', '=', customerId)
    .executeTakeFirst();
}

export async function requireCustomer(
  work: Pick<Work, 'tx'>,
  appId: string,
  customerId: string,
): Promise<CustomerRow> {
  const customer = await findCustomer(work, appId, customerId);
  if (!customer) throw new Refusal('not-found', `There is no customer ${customerId} in this app.`);
  return customer;
}

export async function readCustomers(
  work: Pick<Work, 'tx'>,
  appId: string,
  { after, limit }: { after: number; limit: number },
): Promise<CustomerRow[]> {
  return work.tx
    .selectFrom('customers')
    .selectAll()
    .where('app_id', '=', appId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export function showCustomer(customer: CustomerRow, app: App): Customer {
  return {
    customerId: customer.customer_id,
    ...(customer.first_name !== null && { firstName: customer.first_name }),
    ...(customer.last_name !== null && { lastName: customer.last_name }),
    ...(customer.email !== null && { email: customer.email }),
    ...(customer.mobile_number !== null && { mobileNumber: customer.mobile_number }),
    ...(customer.fraud_policy_id !== null && { fraudPolicyId: customer.fraud_policy_id }),
    app: {
      appId: app.app_id,
      friendlyName: app.friendly_name,
      isSandbox: app.is_sandbox === 1,
      isBlocked: app.is_blocked === 1,
      createdTime: new Date(app.created_time).toISOString(),
    },
  };
}
