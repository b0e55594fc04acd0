import { afterEach, beforeEach, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.js';
import { rewriteAnswers } from '../helpers/rewritten-answers.js';
import { startTestSandbox, type TestSandbox } from '../helpers/sandbox.js';
import { type HookDesk, openHookDesk } from './hook-desk.js';

let sandbox: TestSandbox;
let desk: HookDesk;

beforeEach(async () => {
  sandbox = await startTestSandbox();
  desk = await openHookDesk(sandbox);
});
afterEach(async () => {
  await desk.close();
  await sandbox.close();
});

const body = (fields: Record<string, unknown>) => JSON.stringify(fields);

it('a payment without a usable paymentId is an unread delivery', async () => {
  const baseUrl = await rewriteAnswers(sandbox, (text) =>
    text.replace(/"paymentId":\d+/, '"paymentId":null'),
  );
  const { appId, apiKey } = sandbox.app;
  const client = createClient({ baseUrl, appId, kind: 'sandbox', apiKey: () => apiKey });
  const listener = await desk.listen({ client });
  const { paymentId } = await sandbox.create();
  await listener.post(body({ paymentId }));
  const [delivery] = await listener.waitFor(1, 10_000);
  expect(delivery).toMatchObject({ verdict: 'unread', state: null });
  expect(delivery?.why).toContain('without a usable paymentId');
  await client.close();
});
