import { describe, expect, test } from 'vitest';
import { customer } from '../../src/contract/customer.js';
import { customerBody, customerPatch } from '../../src/contract/customer-request.js';
import { endpointNames, endpointOf } from '../../src/contract/endpoints.js';
import { openApiDocument } from '../../src/contract/openapi.js';
import { payment } from '../../src/contract/payment.js';
import { autoPaymentBody, hostedPaymentBody } from '../../src/contract/payment-request.js';
import { fieldErrors } from '../../src/contract/problem.js';
import { problems } from '../../src/contract/problem-codes.js';

const body = {
  referenceId: 'r1',
  amount: 10.5,
  currency: 'EUR',
  returnUrl: 'https://shop.example/thanks',
  autoCapture: true,
  showPayRecurringInCheckout: false,
  customerOrder: { customer: { customerId: 'c1' } },
};

const problemsOf = (schema: typeof hostedPaymentBody, value: unknown) => {
  const parsed = schema.safeParse(value);
  return parsed.success ? [] : fieldErrors(parsed.error);
};

describe('requests are judged strictly', () => {
  test('what is right passes unchanged', () => {
    expect(hostedPaymentBody.parse(body)).toEqual(body);
    expect(problemsOf(hostedPaymentBody, body)).toEqual([]);
  });

  test.each([
    ['referenceId', 5, 'must be a string'],
    ['referenceId', undefined, 'is required'],
    ['referenceId', ' r', 'must not begin or end with a space'],
    ['referenceId', '..', 'must be something that a path can name'],
    ['currency', 'eur', 'must be three capital letters, for example EUR'],
    ['returnUrl', 'mailto:a@b.example', 'must be an absolute http or https address'],
    ['returnUrl', 'https://a b', 'must be an absolute http or https address'],
    ['autoCapture', 'true', 'must be true or false'],
    [
      'expirationTime',
      '2026-02-30T00:00:00Z',
      'must be an ISO 8601 instant, for example 2026-12-01T12:00:00Z',
    ],
    ['expirationTime', '2026-12-01', 'must be an ISO 8601 instant, for example 2026-12-01T12:00:00Z'],
    [
      'expirationTime',
      '2026-12-01T12:00:00',
      'must be an ISO 8601 instant, for example 2026-12-01T12:00:00Z',
    ],
    ['paymentProfiles', [], 'must name at least one provider profile, or be left out'],
    ['paymentProfiles', 1, 'must be a list of provider profile ids'],
    ['checkoutMethods', [], 'must name at least one method, or be left out'],
    ['customerOrder', 'c1', 'must be an object'],
    ['fraudPolicyId', 0, 'must be a positive whole number'],
    ['fraudPolicyId', '1', 'must be a whole number'],
    ['nickname', 'x', 'is not a field of this request'],
  ])('%s = %j %s', (path, value, message) => {
    expect(problemsOf(hostedPaymentBody, { ...body, [path]: value })).toEqual([{ path, message }]);
  });

  test.each(['2026-12-01T12:00:00Z', '2026-12-01T12:00:00.123Z', '2026-12-01T12:00:00+02:00'])(
    'expirationTime may be %s',
    (expirationTime) => {
      expect(problemsOf(hostedPaymentBody, { ...body, expirationTime })).toEqual([]);
    },
  );

  test('fields deep inside are named by their whole path', () => {
    const items = [{ name: '', amount: -1, quantity: 0, category: 'Food', colour: 'red' }];
    const wrong = { ...body, customerOrder: { customer: { customerId: 'c1' }, amount: { items } } };
    expect(
      problemsOf(hostedPaymentBody, wrong)
        .map(({ path }) => path)
        .toSorted(),
    ).toEqual(
      ['amount', 'category', 'colour', 'name', 'quantity'].map(
        (key) => `customerOrder.amount.items.0.${key}`,
      ),
    );
  });

  test('an auto-payment has no currency, a PATCH no customerId and no policy', () => {
    expect(autoPaymentBody.safeParse({ ...body, currency: 'EUR' }).success).toBe(false);
    const charge = { referenceId: 'r', amount: 1, autoCapture: true, customerOrder: body.customerOrder };
    expect(autoPaymentBody.safeParse(charge).success).toBe(true);
    expect(customerPatch.safeParse({ customerId: 'x' }).success).toBe(false);
    expect(customerPatch.safeParse({ fraudPolicyId: 1 }).success).toBe(false);
    expect(customerBody.safeParse({ customerId: 'x', mobileNumber: '0'.repeat(1001) }).success).toBe(false);
    expect(customerBody.safeParse({ customerId: 'x', mobileNumber: '+49 (30) 12-34.5' }).success).toBe(true);
  });
});

describe('answers are read tolerantly', () => {
  test('fields that we do not know are kept, states that we do not know pass', () => {
    const strange = {
      paymentId: 1,
      paymentState: 'Frozen',
      shopColour: 'red',
      payInfo: { wallet: { kind: 'x' } },
    };
    expect(payment.parse(strange)).toEqual(strange);
    expect(customer.parse({ tier: 'gold', app: { region: 'eu' } })).toEqual({
      tier: 'gold',
      app: { region: 'eu' },
    });
    expect(payment.parse({})).toEqual({});
  });
});

describe('the OpenAPI document', () => {
  const document = openApiDocument() as {
    paths: Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>>;
    components: Record<'schemas' | 'responses', Record<string, unknown>>;
  };

  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

  test('has every endpoint once, with its status; both reads of a payment are one operation', () => {
    const documented = endpointNames.filter((name) => name !== 'getPaymentByReference');
    expect(operations.map((operation) => operation.operationId).toSorted()).toEqual(documented.toSorted());
    for (const { operationId, responses } of operations) {
      const { success, repeat } = endpointOf(operationId as (typeof endpointNames)[number]);
      const successes = Object.keys(responses).filter((status) => status.startsWith('2'));
      expect(successes).toEqual(repeat === 'keyed' && success === 201 ? ['200', '201'] : [String(success)]);
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '403', '429', 'default']));
    }
  });

  test('has only patterns that every engine reads', () => {
    const patterns = Array.from(
      JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g),
      (match) => String(JSON.parse(match[1] as string)),
    );
    expect(patterns.length).toBeGreaterThan(5);
    expect(patterns.filter((pattern) => /\\p\{|\(\?[^:]/.test(pattern))).toEqual([]);
  });

  test('refers only to schemas that it has', () => {
    const references = JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g);
    const names = new Set(Array.from(references, (match) => match[1] as string));
    expect(names.size).toBeGreaterThan(10);
    for (const name of names) {
      const [, kind, schema] = /^#\/components\/(schemas|responses)\/(\w+)$/.exec(name) ?? [];
      expect(document.components[kind as 'schemas' | 'responses']).toHaveProperty(schema as string);
    }
  });

  test('is the same every time', () => {
    expect(JSON.stringify(openApiDocument())).toBe(JSON.stringify(document));
  });
});

test('every problem has a status of failure and a title', () => {
  for (const { status, title } of Object.values(problems)) {
    expect(status).toBeGreaterThanOrEqual(400);
    expect(title).toMatch(/^[A-Z]/);
  }
});
