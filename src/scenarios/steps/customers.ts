import { numberFromText, type JsonValue } from '../../contract/json.js';
import { contactFields } from '../../customers/contact-fields.js';
import { createCustomer } from '../../customers/create-customer.js';
import { recordCustomerChange, type CustomerChange } from '../../customers/record-change.js';
import {
  findMethod,
  removeMethod,
  stopAutoPayment,
  type MethodName,
} from '../../customers/stored-methods.js';
import { updateCustomer } from '../../customers/update-customer.js';
import type { Inputs } from '../schema.js';
import type { World } from '../world.js';
import type { StepResult } from './result.js';

type Action = keyof Inputs['customers'];
type Actions = { [A in Action]-?: NonNullable<Inputs['customers'][A]> };

const actions: { [A in Action]: (world: World, input: Actions[A]) => Promise<Done> } = {
  async create(world, input) {
    const policy = input['fraud-policy'];
    const customerId = String(input.customer);
    const body = {
      customerId,
      ...contactFields(input),
      ...(policy === undefined ? {} : { fraudPolicyId: Number(policy) }),
    };
    const { created, customer } = await createCustomer(world.desk.client, body, () => {});
    if (created) await record(world, { operation: 'customer-create', customerId });
    return { customerId, value: customer, created, summary: created ? 'created' : 'already there' };
  },
  async update(world, input) {
    const customerId = String(input.customer);
    const { customer, changes } = await updateCustomer(world.desk.client, customerId, contactFields(input));
    const what = changes.map(({ field }) => field).join(', ');
    await record(world, { operation: 'customer-update', customerId, what });
    return { customerId, value: customer, summary: `changed ${what}` };
  },
  async get({ desk }, { customer }) {
    const { object } = await desk.client.getCustomer(String(customer));
    return { customerId: String(customer), value: object, summary: 'read' };
  },
  async methods({ desk }, { customer }) {
    const { methods } = await desk.client.paymentMethods(String(customer));
    const objects = methods.map(({ object }) => object);
    return { customerId: String(customer), value: objects, summary: `${objects.length} stored` };
  },
  async 'remove-method'(world, { customer, method }) {
    const name = methodName(customer, 'paymentMethodId', method);
    const { client } = world.desk;
    await removeMethod(client, name, await findMethod(client, name));
    await record(world, { operation: 'remove-method', customerId: name.customerId, what: name.value });
    return {
      customerId: name.customerId,
      value: numberFromText(name.value),
      summary: `removed ${name.value}`,
    };
  },
  async 'stop-auto-payment'(world, { customer, registration }) {
    const name = methodName(customer, 'customerAutomaticProfileId', registration);
    const { client } = world.desk;
    await stopAutoPayment(client, name, await findMethod(client, name));
    await record(world, { operation: 'stop-auto-payment', customerId: name.customerId, what: name.value });
    return { customerId: name.customerId, value: name.value, summary: `stopped ${name.value}` };
  },
  async 'panel-link'(world, { customer }) {
    const customerId = String(customer);
    const { url } = await world.desk.client.panelLink(customerId);
    await record(world, { operation: 'panel-link', customerId });
    return { customerId, value: url, summary: 'link made' };
  },
};

interface Done {
  customerId: string;
  value: JsonValue;
  created?: boolean;
  summary: string;
}

export async function customersStep(world: World, input: Inputs['customers']): Promise<StepResult> {
  const [action] = Object.keys(input) as Action[];
  if (action === undefined) throw new Error('a step on customers without an action');
  const run = actions[action] as (world: World, input: unknown) => Promise<Done>;
  const { customerId, value, created, summary } = await run(world, input[action]);
  return {
    payments: [],
    customer: customerId,
    value,
    ...(created === undefined ? {} : { created }),
    summary: `${customerId}: ${summary}`,
  };
}

const methodName = (customer: string | number, by: MethodName['by'], value: string | number): MethodName => ({
  customerId: String(customer),
  by,
  value: String(value),
});

function record({ desk: { ledger, app, note } }: World, change: CustomerChange): Promise<void> {
  return recordCustomerChange({ ledger, note }, { ...app, name: app.profile }, change);
}
