import { expect, it, onTestFinished } from 'vitest';
import { createClient } from '../../src/client/client.js';
import { sendCreate } from '../../src/payments/send-create.js';
import { httpServer, json } from '../helpers/servers.js';

const body = { referenceId: 'inv-1', amount: 3, customerId: 'c' };
const payment = { paymentId: 7, ...body, currency: 'EUR', paymentState: 'Captured' };

/** A service with one reference, and a desk whose clock the test turns. */
async function openDesk() {
  let [posts, isMade, now] = [0, false, 0];
  const { url } = await httpServer(({ method, url: path }, response) => {
    if (method === 'POST') {
      posts += 1;
      return json(response, 200, payment);
    }
    if (path.includes('customers')) return json(response, 200, { customerId: 'c' });
    return isMade
      ? json(response, 200, payment)
      : json(response, 404, { message: 'there is no such payment' });
  });
  const client = createClient({ baseUrl: url, appId: 'app', kind: 'sandbox', apiKey: () => 'key' });
  onTestFinished(() => client.close());
  return {
    posts: () => posts,
    /** Another process makes the payment. */
    make: () => void (isMade = true),
    standStill: (ms: number) => void (now += ms),
    charge: (steps: { confirm?: () => void; record?: () => void }) =>
      sendCreate(
        client,
        { kind: 'charge', body, isNew: false, dryRun: false },
        {
          confirm: async () => steps.confirm?.(),
          record: async () => {
            steps.record?.();
            return { wasSent: false };
          },
          standingOf: async () => undefined,
          steady: () => now,
        },
      ),
  };
}

it('looks for the reference again after a while, and sends nothing that another process has sent', async () => {
  const desk = await openDesk();
  const made = await desk.charge({
    confirm() {
      desk.make();
      desk.standStill(1_001);
    },
    record: () => expect.fail('nothing is to be sent'),
  });
  expect([made, desk.posts()]).toEqual([expect.objectContaining({ created: false }), 0]);
});

it('sends at once what was looked for a moment ago', async () => {
  const desk = await openDesk();
  const made = await desk.charge({ confirm: () => desk.standStill(900) });
  expect([made, desk.posts()]).toEqual([expect.objectContaining({ created: true }), 1]);
});

it('sends nothing from a process that stood still right before the first byte', async () => {
  const desk = await openDesk();
  await expect(desk.charge({ record: () => desk.standStill(15_001) })).rejects.toThrow(
    'delayed for too long',
  );
  expect(desk.posts()).toBe(0);
});
