import { expect, test } from 'vitest';
import { createRuns } from '../../../src/sandbox-control/runs.js';
import { temporaryHome } from '../../helpers/desk.js';
import { startReceiver } from '../../helpers/sandbox.js';

test('a sandbox that answers slowly on a busy machine is running', async () => {
  const server = await startReceiver();
  server.answer({ status: 200, body: '{}', delayMs: 2_500 });
  const run = {
    url: new URL(server.url).origin,
    consoleUrl: server.url,
    controlToken: 'token',
    pid: process.pid,
    database: ':memory:',
    startedTime: new Date().toISOString(),
  };
  const runs = createRuns(temporaryHome());
  runs.write(run);
  expect(await runs.alive()).toEqual([run]);
  await server.close();
});
