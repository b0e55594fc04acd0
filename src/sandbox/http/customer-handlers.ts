import {
  insertCustomer,
  requireCustomer,
  sameCustomer,
  showCustomer,
  patchCustomer,
} from '../domain/customers.js';
import { listMethods, deleteMethod, showMethod, stopRegistration } from '../domain/methods.js';
import { Refusal } from '../domain/refusal.js';
import { PANEL_LINK_MS } from './addresses.js';
import type { CustomerEndpoint, Handlers } from './call.js';
import { customerPages } from './customer-pages.js';
import { integer } from './path-integer.js';

export const customerHandlers: Handlers<CustomerEndpoint> = {
  async createCustomer(call) {
    const { body } = call;
    const { customer, created } = await call.engine.write((work) => insertCustomer(work, call.app, body));
    if (!created && !sameCustomer(customer, body)) {
      throw new Refusal(
        'customer-conflict',
        `Customer ${body.customerId} exists and differs from this request.`,
      );
    }
    return { status: created ? 201 : 200, body: showCustomer(customer, call.app) };
  },

  async getCustomer({ engine, app, parameters }) {
    const customer = await engine.read((work) => requireCustomer(work, app.app_id, parameters.customerId));
    return { status: 200, body: showCustomer(customer, app) };
  },

  async updateCustomer({ engine, app, parameters, body }) {
    const customer = await engine.write((work) => patchCustomer(work, app, parameters.customerId, body));
    return { status: 200, body: showCustomer(customer, app) };
  },

  listCustomers: (call) => customerPages[call.answers['customer-list']](call),

  async listPaymentMethods({ engine, app, parameters }) {
    const customerId = parameters.customerId;
    const methods = await engine.read(async (work) => {
      await requireCustomer(work, app.app_id, customerId);
      return listMethods(work, app.app_id, customerId);
    });
    return { status: 200, body: methods.map(showMethod) };
  },

  async removePaymentMethod({ engine, app, parameters }) {
    const methodId = integer(parameters, 'paymentMethodId');
    await engine.write((work) => deleteMethod(work, app.app_id, parameters.customerId, methodId));
    return { status: 204, body: undefined };
  },

  async stopAutoPayment({ engine, app, parameters }) {
    const id = integer(parameters, 'customerAutomaticProfileId');
    await engine.write((work) => stopRegistration(work, app.app_id, parameters.customerId, id));
    return { status: 204, body: undefined };
  },

  async getPanelLink({ engine, app, parameters, addresses }) {
    const customerId = parameters.customerId;
    await engine.read((work) => requireCustomer(work, app.app_id, customerId));
    const expires = (await engine.clock.read()).now + PANEL_LINK_MS;
    return {
      status: 200,
      body: {
        url: addresses.panel(app.app_id, customerId, expires),
        expiresTime: new Date(expires).toISOString(),
      },
    };
  },
};
