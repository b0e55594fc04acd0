import { describe, expect, test } from 'vitest';
import {
  endpointNames,
  endpointOf,
  matchEndpoint,
  pathOf,
  pathParameters,
} from '../../src/contract/endpoints.js';

const values = {
  appId: 'app_1',
  paymentId: '42',
  referenceId: 'a/b ?#%ü',
  customerId: 'c/1 +',
  paymentMethodId: '7',
  customerAutomaticProfileId: '8',
};

describe('every endpoint', () => {
  test.each(endpointNames)('%s is found again by the path that is made for it', (name) => {
    const { method, path } = endpointOf(name);
    const url = pathOf(name, values);
    const below = url.slice('/api/apps/app_1'.length);
    const wanted = Object.fromEntries(
      pathParameters(path).map((key) => [key, values[key as keyof typeof values]]),
    );
    expect(matchEndpoint(method, below)).toEqual({ name, parameters: wanted });
  });

  test('is repeated as its kind allows', () => {
    const byKind = Object.groupBy(endpointNames, (name) => endpointOf(name).repeat);
    for (const name of endpointNames) {
      const { method, repeat } = endpointOf(name);
      expect({ name, isRead: repeat === 'read' }).toEqual({ name, isRead: method === 'GET' });
    }
    expect(byKind.settle?.toSorted()).toEqual([
      'cancelPayment',
      'capturePayment',
      'refundPayment',
      'unholdPayment',
    ]);
    expect(byKind.keyed?.toSorted()).toEqual([
      'createAutoPayment',
      'createCustomer',
      'createHostedPayment',
      'createPayment',
      'createProviderHostedPayment',
    ]);
  });

  test('answers with the status of the specification', () => {
    const stated = {
      createHostedPayment: 201,
      createPayment: 201,
      capturePayment: 200,
      cancelPayment: 200,
      refundPayment: 200,
      getPaymentByReference: 200,
      getPayment: 200,
      createAutoPayment: 200,
      createCustomer: 201,
      getCustomer: 200,
    } as const;
    for (const [name, status] of Object.entries(stated)) {
      expect({ name, status: endpointOf(name as keyof typeof stated).success }).toEqual({ name, status });
    }
  });
});

describe('pathOf', () => {
  test('puts the query behind and leaves out what is not given', () => {
    expect(pathOf('refundPayment', values, { description: 'lost & found', other: undefined })).toBe(
      '/api/apps/app_1/payments/42/refund?description=lost+%26+found',
    );
  });

  test('says which part is missing', () => {
    // @ts-expect-error -- the type asks for it too
    expect(() => pathOf('getPayment', { appId: 'x' })).toThrow('getPayment needs paymentId');
  });

  test('keeps what a part contains from changing the path', () => {
    const path = pathOf('getCustomer', { appId: '../admin', customerId: '../../x?y#z' });
    expect(path).toBe('/api/apps/..%2Fadmin/customers/..%2F..%2Fx%3Fy%23z');
  });
});

describe('matchEndpoint', () => {
  test('prefers literal paths', () => {
    expect(matchEndpoint('POST', '/payments/hosted-page')).toMatchObject({ name: 'createHostedPayment' });
    expect(matchEndpoint('POST', '/payments/auto-payment')).toMatchObject({ name: 'createAutoPayment' });
    expect(matchEndpoint('GET', '/payments/referenceId:5')).toEqual({
      name: 'getPaymentByReference',
      parameters: { referenceId: '5' },
    });
  });

  test('says which methods a path takes', () => {
    expect(matchEndpoint('PUT', '/customers')).toEqual({ allowed: ['POST', 'GET'] });
    expect(matchEndpoint('POST', '/customers/x')).toEqual({ allowed: ['GET', 'PATCH'] });
  });

  test.each([
    '',
    '/',
    '/payments/',
    '/payments/1/',
    '/payment',
    '/payments/%zz',
    '/customers/%00',
    '/customers/a/b',
  ])('knows nothing of GET %s', (path) => {
    expect(matchEndpoint('GET', path)).toBeUndefined();
  });
});
