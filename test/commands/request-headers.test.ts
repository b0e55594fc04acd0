import { expect, it } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };
import Doctor from '../../src/commands/doctor.js';
import Get from '../../src/commands/payments/get.js';
import { httpServer, json } from '../helpers/servers.js';
import { runInProcess } from '../helpers/in-process.js';

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

it.each([
  ['payments get', Get, ['id:1']],
  ['doctor', Doctor, []],
])('%s says its version and passes the trace on', async (_name, Class, words) => {
  const server = await httpServer((_seen, response) => json(response, 200, { paymentId: 1, items: [] }));
  const app = { PAYDESK_BASE_URL: server.url, PAYDESK_APP_ID: 'app-1', PAYDESK_API_KEY: 'sk_test_1234' };
  await runInProcess(Class, words, { env: { ...app, TRACEPARENT } });
  expect(server.requests[0]?.headers).toMatchObject({
    'user-agent': `paydesk/${packageFile.version}`,
    traceparent: TRACEPARENT,
  });
  server.requests.length = 0;
  await runInProcess(Class, words, { env: { ...app, TRACEPARENT: 'nonsense\r\nx: 1' } });
  expect(server.requests[0]?.headers).not.toHaveProperty('traceparent');
});
