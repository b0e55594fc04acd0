import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  controlOperation,
  controlRoutes,
  splitRoute,
  type ControlRoute,
} from '../../../src/sandbox/control/api.js';
import type { TestSandbox } from '../../helpers/sandbox.js';
import { inMemory } from './stores.js';

interface Sent {
  parameters?: Record<string, string | number>;
  body?: unknown;
  raw?: string;
  query?: string;
}

type Json = Record<string, unknown>;

/** A payment that has been through everything, with a webhook that nobody takes. */
async function playedPayment(sandbox: TestSandbox): Promise<number> {
  const { paymentId } = await sandbox.create({ webhookUrl: 'http://127.0.0.1:9/hooks' });
  await sandbox.pay(paymentId);
  await sandbox.call('POST', `/payments/${paymentId}/refund`);
  await sandbox.settle();
  return paymentId;
}

const paid = async (sandbox: TestSandbox, card?: string): Promise<Sent> => {
  const { paymentId } = await sandbox.create();
  if (card) await sandbox.pay(paymentId, card);
  return { parameters: { key: paymentId } };
};

/** A request for each route that is carried out. */
const requests: Record<ControlRoute, (sandbox: TestSandbox) => Promise<Sent>> = {
  'GET /status': async () => ({}),
  'POST /stop': async () => ({}),
  'POST /payments/{key}/pay': async (sandbox) => ({ ...(await paid(sandbox)), body: { card: 'approved' } }),
  'POST /payments/{key}/provider': async (sandbox) => ({
    ...(await paid(sandbox)),
    body: { answer: 'hold' },
  }),
  'GET /payments/{key}/books': (sandbox) => paid(sandbox, 'approved'),
  'GET /payments/{key}/story': async (sandbox) => ({ parameters: { key: await playedPayment(sandbox) } }),
  'GET /settlement': async (sandbox) => {
    await paid(sandbox, 'approved');
    return { query: 'defects=amount&seed=3' };
  },
  'GET /settlement/defects': async (sandbox) => {
    await paid(sandbox, 'approved');
    return { query: 'defects=amount&seed=3' };
  },
  async 'POST /webhooks/{id}/resend'(sandbox) {
    const key = await playedPayment(sandbox);
    const { body } = await sandbox.control<{ events: Array<{ id: number }> }>(
      'GET',
      `/payments/${key}/story`,
    );
    return { parameters: { id: body.events[0]!.id } };
  },
  'GET /clock': async () => ({}),
  'POST /clock': async () => ({ body: { action: 'advance', value: 1000 } }),
  async 'GET /faults'(sandbox) {
    await sandbox.control('POST', '/faults', {
      kind: 'latency',
      delayMs: 1,
      afterCommit: true,
      probability: 0.1,
    });
    return {};
  },
  'POST /faults': async () => ({ body: { kind: 'rate-limit', retryAfterS: 7, next: 1 } }),
  'DELETE /faults': async () => ({}),
  async 'DELETE /faults/{id}'(sandbox) {
    const { body } = await sandbox.control<{ id: number }>('POST', '/faults', { kind: 'truncate', next: 1 });
    return { parameters: { id: body.id } };
  },
  'GET /apps': async () => ({}),
  'POST /apps': async () => ({ body: { friendlyName: 'Another shop' } }),
  'PATCH /apps/{appId}': async (sandbox) => ({
    parameters: { appId: sandbox.app.appId },
    body: { webhookUrl: null, policy: { name: 'Large', rule: 'hold-above', threshold: '100.00' } },
  }),
  'POST /seed': async () => ({}),
  'POST /reset': async () => ({}),
  'GET /export': async () => ({}),
  'POST /import': async (sandbox) => ({ raw: (await sandbox.control('GET', '/export')).text }),
};

async function send(sandbox: TestSandbox, route: ControlRoute) {
  const { parameters = {}, body, raw, query } = await requests[route](sandbox);
  const { method, path } = splitRoute(route);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(parameters[name]));
  const asked = query === undefined ? filled : `${filled}?${query}`;
  return sandbox.control<unknown>(method, asked, body, raw === undefined ? {} : { raw });
}

inMemory((bench) => {
  const sandbox = bench.shared();

  test.each(controlRoutes)('%s answers as the table says, with nothing else', async (route) => {
    const { answer, status = 200, mediaTypes = ['application/json'] } = controlOperation(route);
    const { body, ...answered } = await send(sandbox(), route);
    expect(answered).toMatchObject({ status, headers: { 'content-type': mediaTypes[0] } });
    expect(body).toEqual(answer.parse(body));
  });

  test('the document has every route of the table, and the health check', () => {
    const text = readFileSync(new URL('../../../docs/sandbox-openapi.json', import.meta.url), 'utf8');
    const { paths } = JSON.parse(text) as { paths: Record<string, Json> };
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const known = controlRoutes.map((route) => route.replace(' /', ' /_sandbox/'));
    expect(documented.toSorted()).toEqual(['GET /healthz', ...known].toSorted());
  });

  test('/healthz answers without a key', async () => {
    const { status, body } = await sandbox().call('GET', '//healthz', undefined, { key: null });
    expect({ status, body }).toEqual({ status: 200, body: { status: 'ok' } });
  });
});
