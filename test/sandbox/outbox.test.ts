import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defaultAnswers } from '../../src/sandbox/answers.js';
import { createEngine } from '../../src/sandbox/engine.js';
import { createOutbox } from '../../src/sandbox/outbox/outbox.js';
import { temporaryHome } from '../helpers/desk.js';
import { eventually, startReceiver, startTestSandbox } from '../helpers/sandbox.js';

const HOUR = 3_600_000;

test('a webhook that another process is sending is looked at now and then, and not all the time', async () => {
  const location = join(temporaryHome(), 'sandbox.db');
  const receiver = await startReceiver();
  receiver.answer('hang');
  const sandbox = await startTestSandbox({ location });
  await sandbox.create({ webhookUrl: receiver.url });
  await receiver.waitFor(1);
  await sandbox.close();

  const engine = await createEngine({ location });
  const lease = { lease_until: Date.now() + HOUR, lease_owner: 'another process' };
  await engine.store.transaction((tx) => tx.updateTable('events').set(lease).execute());
  let looks = 0;
  const outbox = createOutbox({
    engine: {
      ...engine,
      waitUntil(instant) {
        looks += 1;
        return engine.waitUntil(instant);
      },
    },
    answers: defaultAnswers,
    webhookHosts: [],
    onError: (error) => {
      throw error;
    },
  });
  const began = performance.now();
  engine.refresh();
  await eventually(() => expect(looks).toBeGreaterThanOrEqual(4));
  expect((performance.now() - began) / (looks - 1)).toBeGreaterThan(50);
  expect(receiver.requests).toHaveLength(1);
  await outbox.stop();
  await engine.close();
  await receiver.close();
});
