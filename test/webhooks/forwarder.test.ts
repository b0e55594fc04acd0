import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOwner } from '../../src/store/owner.js';
import { createForwarder } from '../../src/webhooks/forwarding/forwarder.js';
import { forwardedRequest } from '../../src/webhooks/forwarding/forwarded-request.js';
import { planForwards } from '../../src/webhooks/forwarding/forward-plan.js';
import { createSender, type Sender } from '../../src/webhooks/forwarding/sender.js';
import { parseTarget } from '../../src/webhooks/forwarding/targets.js';
import { createInboxWriter } from '../../src/webhooks/inbox/inbox-writer.js';
import { openListener } from '../../src/webhooks/inbox/listeners.js';
import { namePayment } from '../../src/webhooks/inbox/name-payment.js';
import { type Receiver, startReceiver, startTestSandbox, type TestSandbox } from '../helpers/sandbox.js';
import { type HookDesk, openHookDesk } from './hook-desk.js';

let sandbox: TestSandbox;
let handler: Receiver;
let desk: HookDesk;

beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());
beforeEach(async () => {
  handler = await startReceiver();
  desk = await openHookDesk(sandbox);
});
afterEach(async () => {
  await desk.close();
  await handler.close();
});

const received = {
  time: 0,
  method: 'POST',
  path: '',
  query: '',
  headers: [['content-type', 'application/json']] as Array<[string, string]>,
  body: Buffer.from('{"n":1}'),
};

/** A store whose reads take until the next turn of the event loop, as those of a database elsewhere do. */
const slowReads = (store: HookDesk['database']['store']): typeof store => ({
  ...store,
  db: store.db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      await new Promise((resolve) => setImmediate(resolve));
      return result;
    },
  }),
});

describe('a forwarder that stops', () => {
  it('waits for what it was given after a read', async () => {
    const { store } = desk.database;
    const listener = await openListener(store, desk.app);
    const owner = createOwner();
    const target = parseTarget(handler.url);
    const named = namePayment(received);
    const facts = { ...named, listenerId: listener.id, id: 0, path: '', state: null };
    const forwards = planForwards(target, facts, Date.now(), undefined);
    const inboxWriter = createInboxWriter(store, listener.id, owner, () => true);
    const { leased } = await inboxWriter.add({ request: received, named, forwards });
    const seen: unknown[] = [];
    // It answers at once: a real target may take longer than a forwarder waits for it.
    const sender: Sender = {
      async send(request) {
        seen.push(Buffer.from(request.body).toString());
        return { time: Date.now(), status: 200, ms: 0, answer: '', error: null };
      },
      async close() {
        seen.push('closed');
      },
    };
    const forwarder = createForwarder({
      store: slowReads(store),
      listener,
      owner,
      targets: [target],
      sender,
      now: Date.now,
      onAttempt: () => {},
      onError: (error) => seen.push(error),
    });
    forwarder.take(leased);
    await forwarder.stop();
    expect(seen).toEqual(['{"n":1}', 'closed']);
    const rows = await store.db.selectFrom('forwards').select(['outcome', 'lease_owner']).execute();
    expect(rows).toEqual([{ outcome: 'delivered', lease_owner: null }]);
  });
});

describe('a sender that is closed', () => {
  const request = () =>
    forwardedRequest(received, parseTarget(handler.url), { hide: (text) => text, marks: [] });

  it('sends nothing more', async () => {
    const sender = createSender(Date.now);
    await sender.close();
    expect(await sender.send(request(), { skipVerify: false })).toBeUndefined();
    expect(handler.requests).toEqual([]);
  });
});
