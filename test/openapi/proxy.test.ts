import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { envOf, openTestDesk, type TestDesk } from '../helpers/desk.js';
import { newReference } from '../helpers/sandbox.js';
import { commandClass, refusedCases, serviceCases } from '../every-command/cases.js';
import { runInProcess } from '../helpers/in-process.js';
import { startPrism, type ValidatingProxy } from './prism.js';

const document = fileURLToPath(new URL('../../docs/openapi.json', import.meta.url));

let desk: TestDesk;
let proxy: ValidatingProxy;
beforeAll(async () => {
  desk = await openTestDesk();
  proxy = await startPrism(document, desk.sandbox.url);
});
afterAll(async () => {
  await proxy.close();
  await desk.sandbox.close();
});

async function throughProxy(name: string, words: Array<string | number>) {
  const env = { ...envOf(desk.sandbox), PAYDESK_BASE_URL: proxy.url };
  const argv = [...words.map(String), '--json'];
  desk.requests();
  const { code, stdout } = await runInProcess(await commandClass(name), argv, { env, now: new Date() });
  return { code, stdout, violations: proxy.violations(), reached: desk.requests().length > 0 };
}

describe('through a validating proxy', () => {
  it.each(Object.keys(serviceCases))('%s works', async (name) => {
    const ran = await throughProxy(name, await serviceCases[name]!(desk));
    expect(ran).toMatchObject({ violations: [], code: 0, reached: true });
  });

  it.each(Object.keys(refusedCases))('%s is refused as described', async (name) => {
    const ran = await throughProxy(name, refusedCases[name]!);
    expect(ran).toMatchObject({ violations: [], code: 1, reached: true });
  });

  it.each(['a/b', 'ref 1', 'order-17', '100%', 'é', '12345678'])(
    'payments get finds the reference %s',
    async (start) => {
      const referenceId = `${start}-${newReference()}`;
      const { paymentId } = await desk.sandbox.create({ referenceId });
      const ran = await throughProxy('payments:get', [referenceId]);
      expect(ran).toMatchObject({ violations: [], code: 0 });
      expect(JSON.parse(ran.stdout)).toMatchObject({ paymentId, referenceId });
    },
  );
});

type Call = [method: string, path: string, body?: unknown, key?: string];

async function call([method, path, body, key = desk.sandbox.app.apiKey]: Call) {
  const response = await fetch(`${proxy.url}/api/apps/${desk.sandbox.app.appId}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, violations: proxy.violations(), text: await response.text() };
}

const plain = (referenceId: string) => ({
  referenceId,
  amount: 12.5,
  currency: 'EUR',
  autoCapture: true,
  customerOrder: { customer: { customerId: 'c1' } },
});

describe('what commands hardly ever meet', () => {
  it('a create that is repeated is answered with 200', async () => {
    const body = plain(newReference());
    expect(await call(['POST', '/payments', body])).toMatchObject({ status: 201, violations: [] });
    expect(await call(['POST', '/payments', body])).toMatchObject({ status: 200, violations: [] });
    const other = { ...body, amount: 13 };
    expect(await call(['POST', '/payments', other])).toMatchObject({ status: 409, violations: [] });
  });

  it('a provider-hosted payment needs no returnUrl', async () => {
    const body = { ...plain(newReference()), paymentProfileId: 1 };
    const answer = await call(['POST', '/payments/provider-hosted-page', body]);
    expect(answer).toMatchObject({ status: 201, violations: [] });
    expect(JSON.parse(answer.text)).not.toHaveProperty('returnUrl');
  });

  it('a wrong key, an unknown payment and a move that is not possible', async () => {
    const { paymentId } = await desk.paid();
    expect(await call(['GET', '/customers', undefined, 'sk_wrong'])).toMatchObject({
      status: 401,
      violations: [],
    });
    expect(await call(['GET', '/payments/1'])).toMatchObject({ status: 404, violations: [] });
    expect(await call(['POST', `/payments/${paymentId}/capture`])).toMatchObject({
      status: 422,
      violations: [],
    });
  });

  it('a body that is not as described stays at the proxy', async () => {
    desk.requests();
    const { returnUrl: _, ...body } = { ...plain(newReference()), returnUrl: '', amount: 'ten' };
    const { status, violations } = await call(['POST', '/payments', body]);
    expect({ status, found: violations.length > 0, sent: desk.requests() }).toEqual({
      status: 422,
      found: true,
      sent: [],
    });
  });
});
