import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createOwner } from '../../src/store/owner.js';
import { createNoTunnel } from '../../src/webhooks/tunnels/without-program.js';
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

const owner = createOwner();

/** A webhook that the handler refused, of which this owner holds the lease. */
async function leaseOne(): Promise<void> {
  handler.answer({ status: 500 });
  const listener = await desk.listen({ to: [handler.url] });
  await listener.post('{"n":1}');
  await listener.waitFor(1);
  await listener.stop();
  const lease = { finished: 0, lease_owner: owner.name, lease_until: Date.now() + 60_000 };
  await desk.database.store.transaction((tx) => tx.updateTable('deliveries').set(lease).execute());
}

const leaseOwners = async () =>
  (await desk.database.store.db.selectFrom('deliveries').select('lease_owner').execute()).map(
    ({ lease_owner }) => lease_owner,
  );

it('a listener whose port is taken gives its leases back', async () => {
  await leaseOne();
  const port = Number(new URL(handler.url).port);
  await expect(desk.listen({ owner, port })).rejects.toMatchObject({ code: 'port-taken' });
  expect(await leaseOwners()).toEqual([null]);
});

it('a listener that cannot start after its tunnel is open closes the tunnel, and gives its leases back', async () => {
  await leaseOne();
  await desk.database.store.transaction((tx) =>
    sql`create trigger no_retry before update of outcome on forwards when old.outcome = 'failed'
      begin select raise(abort, 'not again'); end`.execute(tx),
  );
  const tunnel = createNoTunnel();
  const seen: string[] = [];
  const watched: typeof tunnel = {
    ...tunnel,
    async start(options) {
      const connection = await tunnel.start(options);
      seen.push('opened');
      return {
        ...connection,
        async stop() {
          seen.push('stopped');
          await connection.stop();
        },
      };
    },
  };
  await expect(desk.listen({ owner, to: [handler.url], tunnel: watched })).rejects.toThrow('not again');
  expect(seen).toEqual(['opened', 'stopped']);
  expect(await leaseOwners()).toEqual([null]);
});
