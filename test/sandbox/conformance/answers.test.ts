import { describe, expect, test } from 'vitest';
import { answerVariants, type AnswerName } from '../../../src/sandbox/answers.js';
import {
  hostedBody,
  newReference,
  type Answer,
  type Received,
  type ShownPayment,
  type TestSandbox,
} from '../../helpers/sandbox.js';
import { inMemory, onEveryStore, type Bench } from './stores.js';

const HOSTED = '/payments/hosted-page';

/** What is worth seeing of an answer. */
const brief = ({ status, headers, text }: Answer<unknown>) => ({
  status,
  type: headers['content-type'],
  text,
});

async function stored(
  sandbox: TestSandbox,
): Promise<{ customerId: string; method: number; registration: number }> {
  const customerId = newReference();
  const { paymentId } = await sandbox.create({
    registerAutoPayment: true,
    customerOrder: { customer: { customerId } },
  });
  await sandbox.pay(paymentId);
  const { body } = await sandbox.control<{ tables: { methods: Array<{ payment_method_id: number }> } }>(
    'GET',
    '/export',
  );
  const method = body.tables.methods.at(-1)?.payment_method_id as number;
  return { customerId, method, registration: method + 4000 };
}

type Trial = (sandbox: TestSandbox, variant: string, bench: Bench) => Promise<void>;

/** How each gap shows in each of its variants. */
const trials: Record<AnswerName, Trial> = {
  async 'repeated-reference'(sandbox, variant) {
    const body = hostedBody();
    const { body: first } = await sandbox.call('POST', HOSTED, body);
    const again = await sandbox.call('POST', HOSTED, body);
    const other = await sandbox.call('POST', HOSTED, { ...body, amount: 99 });
    const expected = { existing: [200, 409], conflict: [409, 409], created: [201, 201] }[variant];
    expect([again.status, other.status]).toEqual(expected);
    for (const { status, body: shown } of [again, other]) if (status < 300) expect(shown).toEqual(first);
  },
  async operations(sandbox, variant) {
    const paid = async () => {
      const { paymentId } = await sandbox.create({ autoCapture: false });
      await sandbox.pay(paymentId);
      return paymentId;
    };
    const held = await sandbox.create();
    await sandbox.pay(held.paymentId, 'held');
    const [captured, cancelled] = [await paid(), await paid()];
    const answers = [
      await sandbox.call('POST', `/payments/${captured}/capture`),
      await sandbox.call('POST', `/payments/${cancelled}/cancel`),
      await sandbox.call('POST', `/payments/${held.paymentId}/unhold`),
      await sandbox.call('POST', `/payments/${captured}/recheck`),
    ];
    await sandbox.settle();
    answers.push(await sandbox.call('POST', `/payments/${captured}/refund`));
    for (const answer of answers) {
      if (variant === 'empty') expect(brief(answer)).toEqual({ status: 200, type: undefined, text: '' });
      else if (variant === 'no-content')
        expect(brief(answer)).toEqual({ status: 204, type: undefined, text: '' });
      else if (variant === 'result')
        expect(brief(answer)).toMatchObject({ status: 200, text: '{"result":"ok"}' });
      else {
        expect(answer.status).toBe(variant === 'accepted' ? 202 : 200);
        expect(answer.body).toMatchObject({
          paymentId: expect.any(Number),
          paymentState: expect.any(String),
        });
      }
    }
    await sandbox.settle();
    expect((await sandbox.read(captured)).paymentState).toBe('Refunded');
    expect((await sandbox.read(cancelled)).paymentState).toBe('Cancelled');
  },
  async 'customer-list'(sandbox, variant) {
    for (const customerId of ['a', 'b', 'c']) await sandbox.call('POST', '/customers', { customerId });
    const { body } = await sandbox.call<Record<string, unknown>>('GET', '/customers');
    const three = [{ customerId: 'a' }, { customerId: 'b' }, { customerId: 'c' }];
    if (variant === 'array') expect(body).toMatchObject(three);
    if (variant === 'customers') expect(body).toMatchObject({ customers: three });
    if (variant === 'cursor') expect(body).toMatchObject({ items: three, nextCursor: null });
    if (variant === 'pages') {
      expect(body).toMatchObject({ data: three, total: 3, page: 1, pageSize: 50 });
      const second = await sandbox.call('GET', '/customers?page=2&pageSize=2');
      expect(second.body).toMatchObject({ data: [{ customerId: 'c' }], total: 3, page: 2, pageSize: 2 });
      expect((await sandbox.call('GET', '/customers?page=3&pageSize=2')).body).toMatchObject({ data: [] });
      for (const query of ['page=0', 'page=-1', 'page=x', 'pageSize=0', 'pageSize=-5', 'page=99999999999']) {
        expect((await sandbox.call('GET', `/customers?${query}`)).status).toBe(400);
      }
    }
  },
  async 'customer-written'(sandbox, variant) {
    const created = await sandbox.call('POST', '/customers', { customerId: 'a' });
    const updated = await sandbox.call('PATCH', '/customers/a', { firstName: 'Ada' });
    if (variant === 'empty') {
      expect(brief(created)).toEqual({ status: 201, type: undefined, text: '' });
      expect(brief(updated)).toEqual({ status: 204, type: undefined, text: '' });
    } else {
      expect(created).toMatchObject({ status: 201, body: { customerId: 'a' } });
      expect(updated).toMatchObject({ status: 200, body: { firstName: 'Ada' } });
    }
    expect((await sandbox.call('GET', '/customers/a')).body).toMatchObject({ firstName: 'Ada' });
  },
  async 'payment-methods'(sandbox, variant) {
    const { customerId, method } = await stored(sandbox);
    const { body } = await sandbox.call<unknown>('GET', `/customers/${customerId}/payment-methods`);
    const full = [{ paymentMethodId: method, card: { cardBrand: 'Visa' } }];
    if (variant === 'ids') expect(body).toEqual([method]);
    else expect(body).toMatchObject(variant === 'items' ? { items: full } : full);
  },
  async 'panel-link'(sandbox, variant) {
    const { customerId } = await stored(sandbox);
    const { body } = await sandbox.call<unknown>('GET', `/customers/${customerId}/panel-link`);
    const fields = body as Record<string, string>;
    const url = variant === 'string' ? (body as string) : fields[variant === 'object' ? 'url' : variant];
    expect(Object.keys(fields).length).toBe(
      { object: 2, string: (body as string).length, panelLink: 1, link: 1 }[variant],
    );
    expect((await fetch(url as string)).status).toBe(200);
  },
  async deleted(sandbox, variant) {
    const first = await stored(sandbox);
    const answers = [
      await sandbox.call('DELETE', `/customers/${first.customerId}/auto-payments/${first.registration}`),
      await sandbox.call('DELETE', `/customers/${first.customerId}/payment-methods/${first.method}`),
    ];
    const expected = { 'no-content': [204, ''], body: [200, '{"deleted":true}'], empty: [200, ''] }[variant];
    for (const { status, text } of answers) expect([status, text]).toEqual(expected);
  },
  async errors(sandbox, variant) {
    const invalid = await sandbox.call('POST', HOSTED, { ...hostedBody(), amount: 0, currency: 'x' });
    const missing = await sandbox.call('GET', '/payments/1');
    const stranger = await sandbox.call('GET', '/payments/1', undefined, { key: null });
    expect([invalid.status, missing.status, stranger.status]).toEqual([400, 404, 401]);
    const detail = 'There is no payment 1 in this app.';
    const errors = [{ path: 'amount' }, { path: 'currency' }];
    switch (variant) {
      case 'problem':
        expect(invalid.headers['content-type']).toBe('application/problem+json');
        expect(invalid.body).toMatchObject({
          type: 'urn:paydesk:problem:invalid-request',
          status: 400,
          code: 'invalid-request',
          errors,
          requestId: invalid.headers['x-request-id'],
        });
        expect(missing.body).toMatchObject({ title: 'Not found', detail, code: 'not-found' });
        break;
      case 'error':
        expect(missing.body).toEqual({ error: { code: 'not-found', message: detail } });
        break;
      case 'message':
        expect(missing.body).toEqual({ message: detail });
        break;
      case 'errors':
        expect(invalid.body).toMatchObject({ errors });
        expect(missing.body).toEqual({ errors: [{ path: '', message: detail }] });
        break;
      case 'text':
        expect(brief(missing)).toEqual({ status: 404, type: 'text/plain; charset=utf-8', text: detail });
        break;
      case 'html':
        expect(brief(missing)).toMatchObject({
          type: 'text/html; charset=utf-8',
          text: expect.stringMatching(/^<!doctype html>.*<h1>Not found<\/h1>/),
        });
        break;
      default:
        expect(brief(missing)).toEqual({ status: 404, type: undefined, text: '' });
    }
  },
  async auth(sandbox, variant) {
    const unknown = await sandbox.call('GET', '/customers', undefined, { key: 'nobody' });
    const other = await sandbox.call('GET', '/customers', undefined, { key: sandbox.live.apiKey });
    const expected = { distinct: [401, 403], unauthorized: [401, 401], 'not-found': [404, 404] }[variant];
    expect([unknown.status, other.status]).toEqual(expected);
  },
  async statuses(sandbox, variant) {
    const { showPayRecurringInCheckout: _, ...body } = hostedBody();
    const held = await sandbox.create();
    await sandbox.pay(held.paymentId, 'held');
    const answers = [
      await sandbox.call('POST', '/payments/provider-hosted-page', { ...body, paymentProfileId: 1 }),
      await sandbox.call('POST', `/payments/${held.paymentId}/unhold`),
      await sandbox.call('POST', `/payments/${held.paymentId}/recheck`),
      await sandbox.call('POST', `/payments/${(await sandbox.create()).paymentId}/cancel`),
    ];
    const expected = { usual: [201, 200, 200, 200], 200: [200, 200, 200, 200], 202: [202, 202, 202, 200] }[
      variant
    ];
    expect(answers.map((answer) => answer.status)).toEqual(expected);
    expect(answers[0]?.body).toMatchObject({ paymentState: 'Created' });
  },
  async urls(sandbox, variant) {
    const { showPayRecurringInCheckout: _, ...body } = hostedBody({ webhookUrl: 'http://127.0.0.1:9/' });
    const provider = await sandbox.call<ShownPayment>('POST', '/payments/provider-hosted-page', {
      ...body,
      paymentProfileId: 1,
    });
    const read = await sandbox.call('GET', `/payments/${provider.body.paymentId}`);
    const names = ['redirectUrl', 'returnUrl', 'webhookUrl'];
    for (const answer of [provider, read]) {
      expect(names.filter((name) => name in answer.body)).toEqual(variant === 'absent' ? [] : names);
    }
    const hosted = await sandbox.create();
    expect(hosted).toHaveProperty('redirectUrl');
    expect((await sandbox.call('GET', `/payments/${hosted.paymentId}`)).body).toHaveProperty('redirectUrl');
  },
  async phone(sandbox, variant) {
    await sandbox.call('POST', '/customers', { customerId: 'a' });
    const { status } = await sandbox.call('PATCH', '/customers/a', { phoneNumber: '12345' });
    expect(status).toBe(variant === 'phoneNumber' ? 200 : 400);
    const usual = await sandbox.call('PATCH', '/customers/a', { mobileNumber: '54321' });
    expect(usual.body).toMatchObject({ mobileNumber: '54321' });
  },
  async values(sandbox, variant) {
    const { paymentId } = await sandbox.create({ registerAutoPayment: true });
    const values = async () => {
      const { body } = await sandbox.call('GET', `/payments/${paymentId}`);
      return [body.autoPayment, body.fraudStatus, body.paymentFlow];
    };
    const isOther = variant === 'other';
    expect(await values()).toEqual(
      isOther ? ['NotRequested', 'Pending', 'Checkout'] : ['None', 'Unknown', 'HostedPage'],
    );
    await sandbox.pay(paymentId);
    expect(await values()).toEqual(
      isOther ? ['Active', 'Passed', 'Checkout'] : ['Registered', 'Verified', 'HostedPage'],
    );
  },
  async states(sandbox, variant, bench) {
    const receiver = await bench.receiver();
    const { paymentId } = await sandbox.create({ autoCapture: false, webhookUrl: receiver.url });
    const shown = async () => (await sandbox.call('GET', `/payments/${paymentId}`)).body;
    await sandbox.pay(paymentId, 'held');
    const isOther = variant === 'other';
    expect(await shown()).toMatchObject({ paymentState: isOther ? 'OnHold' : 'Held', paymentStateId: 4 });
    await sandbox.call('POST', `/payments/${paymentId}/unhold`);
    expect(await shown()).toMatchObject({ paymentState: isOther ? 'Authorized' : 'Authorised' });
    await sandbox.settle();
    expect(receiver.states()).toEqual(
      isOther ? ['Created', 'OnHold', 'Authorized'] : ['Created', 'Held', 'Authorised'],
    );
  },
  async 'retry-after'(sandbox, variant) {
    await sandbox.control('POST', '/faults', { kind: 'rate-limit', next: 1, retryAfterS: 3 });
    const { status, headers } = await sandbox.call('GET', '/customers');
    expect(status).toBe(429);
    expect(headers['retry-after']).toBe(variant === 'present' ? '3' : undefined);
  },
  async 'webhook-body'(sandbox, variant, bench) {
    const receiver = await bench.receiver();
    const { paymentId, referenceId } = await sandbox.create({ webhookUrl: `${receiver.url}?shop=7` });
    await sandbox.settle();
    const [{ method, path, headers, text, body }] = receiver.requests as [Received];
    expect(method).toBe('POST');
    const full = {
      eventId: expect.stringMatching(/^evt_[0-9a-f]{24}$/),
      type: 'payment.state-changed',
      appId: sandbox.app.appId,
      paymentId,
      referenceId,
      paymentState: 'Created',
      paymentStateId: 1,
      occurredTime: expect.stringMatching(/Z$/),
    };
    const type = headers['content-type'];
    switch (variant) {
      case 'full':
        expect(body).toEqual(full);
        break;
      case 'payment-id':
        expect(body).toEqual({ paymentId });
        break;
      case 'reference-id':
        expect(body).toEqual({ referenceId });
        break;
      case 'nested':
        expect(body).toEqual({ id: full.eventId, type: full.type, data: { payment: full } });
        break;
      case 'form':
        expect(type).toBe('application/x-www-form-urlencoded');
        expect(Object.fromEntries(new URLSearchParams(text))).toEqual({
          ...full,
          paymentId: String(paymentId),
          paymentStateId: '1',
        });
        break;
      default:
        expect(text).toBe('');
        expect(path).toBe(`/hook?shop=7&paymentId=${paymentId}&referenceId=${referenceId}`);
    }
    if (variant !== 'query') expect(path).toBe('/hook?shop=7');
    if (variant !== 'query' && variant !== 'form') expect(type).toBe('application/json');
  },
};

const cases = (Object.keys(answerVariants) as AnswerName[]).flatMap((name) =>
  answerVariants[name].map((variant) => [name, variant] as const),
);

const tryVariants = (bench: Bench, some: typeof cases) =>
  test.each(some)('%s=%s', async (name, variant) => {
    const sandbox = await bench.start({ answers: { [name]: variant } });
    await trials[name](sandbox, variant, bench);
    expect(sandbox.errors).toEqual([]);
  });

// The shape of an answer is the same on every store; only the pages of the customer list are queries of their own.
onEveryStore((bench) =>
  tryVariants(
    bench,
    cases.filter(([name]) => name === 'customer-list'),
  ),
);

inMemory((bench) => {
  tryVariants(bench, cases);

  describe('several variants at once', () => {
    test('do not stand in each other’s way', async () => {
      const sandbox = await bench.start({ answers: { values: 'other', urls: 'absent', states: 'other' } });
      const { paymentId } = await sandbox.create();
      const { body } = await sandbox.call('GET', `/payments/${paymentId}`);
      // The addresses of a hosted page are specified, whatever its flow is called.
      expect(body).toMatchObject({ paymentFlow: 'Checkout', redirectUrl: expect.any(String) });
    });

    test('leave an imported value as it is, even one that every object has a member for', async () => {
      const sandbox = await bench.start({ answers: { values: 'other' } });
      const { paymentId } = await sandbox.create();
      const { text } = await sandbox.control('GET', '/export');
      const imported = await sandbox.control('POST', '/import', undefined, {
        raw: text.replace('"fraud_status":"Unknown"', '"fraud_status":"constructor"'),
      });
      expect(imported.status).toBe(200);
      const { body } = await sandbox.call('GET', `/payments/${paymentId}`);
      expect(body.fraudStatus).toBe('constructor');
    });
  });
});
