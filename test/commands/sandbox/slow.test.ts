import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startInBackground } from '../../../src/sandbox-control/background.js';
import { createRuns } from '../../../src/sandbox-control/runs.js';
import { chooseSettings } from '../../../src/sandbox-control/settings.js';
import { temporaryHome } from '../../helpers/desk.js';
import { startReceiver } from '../../helpers/sandbox.js';

const noteOf = (url: string, pid: number) => ({
  url,
  consoleUrl: `${url}/console`,
  controlToken: 'token',
  pid,
  database: ':memory:',
  startedTime: new Date().toISOString(),
});

test('a sandbox that answers slowly on a busy machine is running', async () => {
  const server = await startReceiver();
  server.answer({ status: 200, body: '{}', delayMs: 2_500 });
  const run = noteOf(new URL(server.url).origin, process.pid);
  const runs = createRuns(temporaryHome());
  runs.write(run);
  expect(await runs.running()).toEqual([{ ...run, answers: true }]);
  await server.close();
});

test('a sandbox in the background that said that it is ready is not asked whether it answers', async () => {
  const folder = temporaryHome();
  const settings = chooseSettings({ host: '127.0.0.1', port: 0, memory: true }, folder);
  // A port where nothing ever answers: of a machine so busy that the sandbox does not get to it.
  const run = noteOf('http://127.0.0.1:9', process.pid);
  createRuns(folder).write(run);
  const program = join(folder, 'ready.cjs');
  writeFileSync(program, `console.log(${JSON.stringify(JSON.stringify({ url: run.url, apps: [] }))});`);
  const { signal } = new AbortController();
  const started = startInBackground(settings, {
    self: [process.execPath, program],
    env: process.env,
    signal,
  });
  await expect(started).resolves.toMatchObject({ ...run, apps: [] });
});
