import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { endpointNames, endpointOf, pathOf, type EndpointName } from '../../../src/contract/endpoints.js';
import { schemasOf } from '../../../src/contract/schemas.js';
import { hostedBody, newReference, type TestSandbox } from '../../helpers/sandbox.js';
import { onEveryStore } from './stores.js';

interface Example {
  parameters?: Record<string, string | number>;
  query?: Record<string, string>;
  body?: object;
  /** What the answer must have. */
  shows?: object;
}

const plainBody = () => {
  const { returnUrl: _, showPayRecurringInCheckout: __, ...body } = hostedBody();
  return body;
};

/** How to come to a successful call of each endpoint. */
const examples: Record<EndpointName, (sandbox: TestSandbox) => Promise<Example>> = {
  createHostedPayment: async () => ({
    body: hostedBody(),
    shows: {
      paymentState: 'Created',
      paymentStateId: 1,
      capturedAmount: 0,
      fraudStatus: 'Unknown',
      paymentFlow: 'HostedPage',
      autoPayment: 'None',
      redirectUrl: expect.stringContaining('/checkout/'),
      returnUrl: 'http://127.0.0.1:9/thanks',
      customerId: 'c1',
    },
  }),
  createPayment: async () => ({
    body: plainBody(),
    shows: { paymentState: 'Created', paymentFlow: 'Direct' },
  }),
  createProviderHostedPayment: async ({ app }) => ({
    body: {
      ...plainBody(),
      returnUrl: 'http://127.0.0.1:9/thanks',
      paymentProfileId: app.profiles[0]?.paymentProfileId,
    },
    shows: { paymentFlow: 'ProviderHostedPage', redirectUrl: expect.stringContaining('/provider/') },
  }),
  capturePayment: async (sandbox) => {
    const { paymentId } = await sandbox.create({ autoCapture: false });
    await sandbox.pay(paymentId);
    return { parameters: { paymentId }, shows: { paymentState: 'Capturing' } };
  },
  cancelPayment: async (sandbox) => {
    const { paymentId } = await sandbox.create();
    return { parameters: { paymentId }, shows: { paymentState: 'Cancelling' } };
  },
  refundPayment: async (sandbox) => {
    const { paymentId } = await sandbox.create();
    await sandbox.pay(paymentId);
    return {
      parameters: { paymentId },
      query: { description: 'parcel lost & found, 10 %' },
      shows: { paymentState: 'Refunding', capturedAmount: 10.5 },
    };
  },
  unholdPayment: async (sandbox) => {
    const { paymentId } = await sandbox.create({ autoCapture: false });
    await sandbox.pay(paymentId, 'held');
    return { parameters: { paymentId }, shows: { paymentState: 'Authorised' } };
  },
  recheckPayment: async (sandbox) => {
    const { paymentId } = await sandbox.create({ autoCapture: false });
    await sandbox.pay(paymentId, 'unknown-charged');
    return { parameters: { paymentId }, shows: { paymentState: 'Authorised', changed: true } };
  },
  getPaymentByReference: async (sandbox) => {
    const { paymentId, referenceId } = await sandbox.create({ referenceId: `a/b c?%ü#${newReference()}` });
    return { parameters: { referenceId }, shows: { paymentId, referenceId } };
  },
  getPayment: async (sandbox) => {
    const payment = await sandbox.create();
    return { parameters: { paymentId: payment.paymentId }, shows: payment };
  },
  createAutoPayment: async (sandbox) => {
    const customer = { customerId: newReference() };
    const { paymentId } = await sandbox.create({ registerAutoPayment: true, customerOrder: { customer } });
    await sandbox.pay(paymentId);
    return {
      body: { referenceId: newReference(), amount: 5, autoCapture: true, customerOrder: { customer } },
      shows: { paymentState: 'Captured', paymentFlow: 'AutoPayment', currency: 'EUR', capturedAmount: 5 },
    };
  },
  createCustomer: async () => {
    const customer = {
      customerId: newReference(),
      firstName: 'Ada',
      lastName: 'Lovelace',
      email: 'ada@example.org',
      mobileNumber: '+44 20 7946 0000',
      fraudPolicyId: 1,
    };
    return { body: customer, shows: customer };
  },
  getCustomer: async (sandbox) => {
    const { body } = await sandbox.call('POST', '/customers', { customerId: newReference() });
    return {
      parameters: { customerId: body.customerId as string },
      shows: {
        customerId: body.customerId,
        app: {
          appId: sandbox.app.appId,
          friendlyName: 'Sandbox shop',
          isSandbox: true,
          isBlocked: false,
          createdTime: expect.stringMatching(/^\d{4}-.*Z$/),
        },
      },
    };
  },
  listCustomers: async (sandbox) => {
    await sandbox.call('POST', '/customers', { customerId: newReference() });
    return { query: { limit: '1' }, shows: { items: [{ app: {} }] } };
  },
  updateCustomer: async (sandbox) => {
    const customerId = newReference();
    await sandbox.call('POST', '/customers', { customerId, firstName: 'Ada', email: 'ada@example.org' });
    return {
      parameters: { customerId },
      body: { lastName: 'King', mobileNumber: '0123456' },
      shows: {
        customerId,
        firstName: 'Ada',
        lastName: 'King',
        email: 'ada@example.org',
        mobileNumber: '0123456',
      },
    };
  },
  listPaymentMethods: async (sandbox) => ({
    parameters: { customerId: await withMethod(sandbox) },
    shows: [
      {
        paymentMethodType: 'CreditCard',
        card: { cardBrand: 'Visa', cardType: 'credit' },
        isActive: true,
        paymentProfileId: sandbox.app.profiles[0]?.paymentProfileId,
      },
    ],
  }),
  removePaymentMethod: async (sandbox) => {
    const customerId = await withMethod(sandbox);
    return { parameters: { customerId, paymentMethodId: await methodOf(sandbox, customerId) } };
  },
  stopAutoPayment: async (sandbox) => {
    const customerId = await withMethod(sandbox);
    const customerAutomaticProfileId = await methodOf(sandbox, customerId, 'customerAutomaticProfileId');
    return { parameters: { customerId, customerAutomaticProfileId } };
  },
  getPanelLink: async (sandbox) => {
    const customerId = await withMethod(sandbox);
    return { parameters: { customerId }, shows: { url: expect.stringContaining(`${sandbox.url}/panel/`) } };
  },
};

async function withMethod(sandbox: TestSandbox): Promise<string> {
  const customerId = newReference();
  const { paymentId } = await sandbox.create({
    registerAutoPayment: true,
    customerOrder: { customer: { customerId } },
  });
  await sandbox.pay(paymentId);
  return customerId;
}

async function methodOf(
  sandbox: TestSandbox,
  customerId: string,
  field = 'paymentMethodId',
): Promise<number> {
  const { body } = await sandbox.call<Array<Record<string, number>>>(
    'GET',
    `/customers/${customerId}/payment-methods`,
  );
  return body[0]?.[field] as number;
}

test('the service has the nineteen endpoints of the specification', () => {
  const table = endpointNames.map((name) => `${endpointOf(name).method} ${endpointOf(name).path}`);
  expect(table.toSorted()).toEqual([
    'DELETE /customers/{customerId}/auto-payments/{customerAutomaticProfileId}',
    'DELETE /customers/{customerId}/payment-methods/{paymentMethodId}',
    'GET /customers',
    'GET /customers/{customerId}',
    'GET /customers/{customerId}/panel-link',
    'GET /customers/{customerId}/payment-methods',
    'GET /payments/referenceId:{referenceId}',
    'GET /payments/{paymentId}',
    'PATCH /customers/{customerId}',
    'POST /customers',
    'POST /payments',
    'POST /payments/auto-payment',
    'POST /payments/hosted-page',
    'POST /payments/provider-hosted-page',
    'POST /payments/{paymentId}/cancel',
    'POST /payments/{paymentId}/capture',
    'POST /payments/{paymentId}/recheck',
    'POST /payments/{paymentId}/refund',
    'POST /payments/{paymentId}/unhold',
  ]);
  expect(Object.keys(examples).toSorted()).toEqual(endpointNames.toSorted());
});

onEveryStore((bench) => {
  const sandbox = bench.shared();

  describe('every endpoint', () => {
    test.each(endpointNames)('%s answers as the contract says', async (name) => {
      const { method, success } = endpointOf(name);
      const { answer } = schemasOf(name);
      const example = await examples[name](sandbox());
      const path = pathOf(name, { appId: sandbox().app.appId, ...example.parameters }, example.query);
      const { status, headers, text, body } = await sandbox().call(method, `/${path}`, example.body);
      expect({ status, text }).toMatchObject({ status: success });
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      if (answer === undefined) {
        expect(text).toBe('');
        return;
      }
      expect(headers['content-type']).toBe('application/json');
      // Numbers are judged after plain parsing here; the schema keeps exact ones as they are.
      expect(answer.safeParse(body)).toMatchObject({ success: true });
      expect(body).toMatchObject(example.shows as object);
    });

    test.each(endpointNames)('%s refuses without a key, before it looks at anything else', async (name) => {
      const { method } = endpointOf(name);
      const parameters = {
        appId: sandbox().app.appId,
        paymentId: 1,
        referenceId: 'x',
        customerId: 'x',
        paymentMethodId: 1,
        customerAutomaticProfileId: 1,
      };
      const { status, body } = await sandbox().call(method, `/${pathOf(name, parameters)}`, undefined, {
        key: null,
      });
      expect({ status, code: body.code }).toEqual({ status: 401, code: 'missing-authorization' });
    });
  });

  test('a payment shows every field that the specification lists once the provider was asked', async () => {
    const { paymentId } = await sandbox().create({
      webhookUrl: 'http://127.0.0.1:9/hook',
      customerOrder: {
        customer: { customerId: 'full', firstName: 'Ada', lastName: 'King', email: 'ada@example.org' },
      },
    });
    await sandbox().pay(paymentId);
    const { body } = await sandbox().call('GET', `/payments/${paymentId}`);
    expect(body).toEqual({
      appId: sandbox().app.appId,
      paymentId,
      paymentState: 'Captured',
      paymentStateId: 7,
      amount: 10.5,
      capturedAmount: 10.5,
      referenceId: expect.any(String),
      currency: 'EUR',
      autoCapture: true,
      paymentFlow: 'HostedPage',
      autoPayment: 'None',
      fraudStatus: 'Verified',
      redirectUrl: expect.any(String),
      returnUrl: 'http://127.0.0.1:9/thanks',
      webhookUrl: 'http://127.0.0.1:9/hook',
      customerId: 'full',
      payerIp: '127.0.0.1',
      createdTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      payInfo: {
        providerReferenceId: expect.stringMatching(/^ref_/),
        authorizeId: expect.stringMatching(/^aut_/),
        captureId: expect.stringMatching(/^cap_/),
        providerFee: 0.15,
        paymentProfile: {
          paymentProfileId: sandbox().app.profiles[0]?.paymentProfileId,
          paymentProfileName: 'Northbank',
          paymentMethodTypeString: 'CreditCard',
          isActive: true,
        },
        payer: {
          fullName: 'Ada King',
          email: 'ada@example.org',
          country: 'DE',
          card: {
            cardBrand: 'Visa',
            cardType: 'credit',
            cardExpiryMonth: expect.any(Number),
            cardExpiryYear: expect.any(Number),
          },
        },
      },
    });
  });

  test('customerOrder takes every member of the specification', async () => {
    const order = {
      customer: {
        customerId: 'orders',
        firstName: 'A',
        lastName: 'B',
        email: 'a@b.example',
        phoneNumber: '+49 30 1234',
      },
      orderId: 'O-1',
      description: 'Two books',
      amount: {
        total: 30.0,
        shipping: 0,
        totalTax: 1.2,
        discount: 0.5,
        handling: 0,
        insurance: 0,
        items: [
          {
            name: 'Book',
            amount: 15,
            quantity: 2,
            category: 'PhysicalGoods',
            sku: 'B-1',
            tax: 0.6,
            description: 'x',
          },
          { name: 'File', amount: 0, quantity: 1, category: 'DigitalGoods' },
        ],
      },
    };
    await sandbox().create({ customerOrder: order });
    const { body } = await sandbox().call('GET', '/customers/orders');
    expect(body).toMatchObject({ firstName: 'A', email: 'a@b.example', mobileNumber: '+49 30 1234' });
  });

  test('the OpenAPI document is served and lists the same endpoints', async () => {
    const { status, body } = await sandbox().call<{ paths: Record<string, Record<string, unknown>> }>(
      'GET',
      '//openapi.json',
      undefined,
      { key: null },
    );
    expect(status).toBe(200);
    const served = Object.entries(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const table = new Set(
      endpointNames.map((name) => {
        const { method, path } = endpointOf(name);
        // Routers cannot tell the two reads of a payment apart.
        const isRead = method === 'GET' && /^\/payments\/[^/]+$/.test(path);
        return `${method} /api/apps/{appId}${isRead ? '/payments/{payment}' : path}`;
      }),
    );
    expect(served.toSorted()).toEqual([...table].toSorted());
    expect(z.looseObject({ openapi: z.literal('3.1.0') }).safeParse(body).success).toBe(true);
  });
});
