import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/store/store.js';
import type { Store } from '../../src/store/store.js';
import { describeWithOwnPostgres } from '../helpers/postgres.js';
import { schemaOptions } from './fixtures.js';
import type { Tables } from './fixtures.js';

function insert(store: Store<Tables>, reference: string): Promise<unknown> {
  return store.transaction((tx) => tx.insertInto('payment').values({ reference }).execute());
}

/** As PostgreSQL writes it to a connection that an administrator ends. */
const TERMINATED = 'SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0';

/** The same database behind a proxy that can tell all connections that they are ended, without closing them. */
async function throughProxy(database: string) {
  const url = new URL(database);
  const [host, port] = [url.hostname || '127.0.0.1', Number(url.port || 5432)];
  const sockets = new Set<Socket>();
  const proxy = createServer((socket) => {
    sockets.add(socket);
    const server = connect(port, host);
    socket.pipe(server).pipe(socket);
    socket.on('error', () => {});
    server.on('error', () => {});
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return {
    location: url.href,
    endConnections() {
      const message = Buffer.from(`E....${TERMINATED}`);
      message.writeInt32BE(message.length - 1, 1);
      for (const socket of sockets) socket.write(message);
    },
  };
}

describeWithOwnPostgres('PostgreSQL', (postgres) => {
  test('that goes away is unavailable, and is used again once it is back', async (context) => {
    context.skip(!postgres().ours, 'the server is not ours to stop');
    const store = await openStore<Tables>(schemaOptions(await postgres().createDatabase()));
    await Promise.all(['a', 'b', 'c'].map((reference) => insert(store, reference)));

    const { promise: inside, resolve: entered } = Promise.withResolvers<void>();
    const { promise: crashed, resolve: proceed } = Promise.withResolvers<void>();
    const cut = store.transaction(async (tx) => {
      await tx.insertInto('payment').values({ reference: 'cut' }).execute();
      entered();
      await crashed;
      await tx.insertInto('payment').values({ reference: 'cut-2' }).execute();
    });
    const cutFailure = expect(cut).rejects.toMatchObject({ code: 'store-unavailable' });
    await inside;
    await postgres().crash();
    proceed();
    await cutFailure;
    await expect(insert(store, 'd')).rejects.toMatchObject({ code: 'store-unavailable' });
    await expect(store.db.selectFrom('payment').selectAll().execute()).rejects.toMatchObject({
      code: 'store-unavailable',
    });

    await postgres().start();
    await insert(store, 'e');
    const rows = await store.db.selectFrom('payment').select('reference').orderBy('reference').execute();
    expect(rows.map((row) => row.reference)).toEqual(['a', 'b', 'c', 'e']);
    await store.close();
  });

  test('that ends a connection between two queries is unavailable, before the connection is closed', async () => {
    const { location, endConnections } = await throughProxy(await postgres().createDatabase());
    const store = await openStore<Tables>(schemaOptions(location));
    const ended = store.transaction(async (tx) => {
      await tx.insertInto('payment').values({ reference: 'ended' }).execute();
      endConnections();
      // That takes several round trips: by then the connection was told.
      await (await openStore<Tables>(schemaOptions(location))).close();
      await tx.insertInto('payment').values({ reference: 'ended-2' }).execute();
    });
    await expect(ended).rejects.toMatchObject({ code: 'store-unavailable' });
    await store.close();
  });

  test('that hangs up before it has answered is unavailable', async () => {
    const hangUp = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
    await once(hangUp, 'listening');
    const { port } = hangUp.address() as AddressInfo;
    const location = `postgres://me@127.0.0.1:${port}/desk`;
    await expect(openStore<Tables>(schemaOptions(location))).rejects.toMatchObject({
      code: 'store-unavailable',
    });
    hangUp.close();
  });

  test('that refuses to write while it is used is unavailable', async () => {
    const location = await postgres().createDatabase();
    const store = await openStore<Tables>(schemaOptions(location));
    const readOnly = store.transaction(async (tx) => {
      await sql`set transaction read only`.execute(tx);
      await tx.insertInto('payment').values({ reference: 'a' }).execute();
    });
    await expect(readOnly).rejects.toMatchObject({ name: 'StoreError', code: 'store-unavailable' });
    const twice = store.transaction((tx) =>
      tx
        .insertInto('payment')
        .values([{ reference: 'b' }, { reference: 'b' }])
        .execute(),
    );
    await expect(twice).rejects.not.toHaveProperty('name', 'StoreError');
    await store.close();
  });

  test('keeps stores of different schemas apart in one database', async () => {
    const location = await postgres().createDatabase();
    const one = await openStore<Tables>(schemaOptions(location, { schema: 'paydesk_one' }));
    const two = await openStore<Tables>(schemaOptions(location, { schema: 'paydesk_two' }));
    await insert(one, 'a');
    expect(await two.db.selectFrom('payment').selectAll().execute()).toEqual([]);
    await Promise.all([one.close(), two.close()]);
  });

  test('keeps options that the address brings along', async () => {
    const location = `${await postgres().createDatabase()}?options=-c%20statement_timeout%3D7s`;
    const store = await openStore<Tables>(schemaOptions(location));
    await insert(store, 'a');
    expect(await store.db.selectFrom('payment').select('reference').execute()).toEqual([{ reference: 'a' }]);
    await store.close();
  });

  test.each(['off', 'local'])('has a commit on the disk where the database says %s', async (setting) => {
    const location = await postgres().createDatabase();
    const name = new URL(location).pathname.slice(1);
    const first = await openStore<Tables>(schemaOptions(location));
    await sql`alter database ${sql.id(name)} set synchronous_commit = ${sql.lit(setting)}`.execute(first.db);
    await first.close();
    for (const given of ['', `?options=-c%20synchronous_commit%3D${setting}`]) {
      const store = await openStore<Tables>(schemaOptions(`${location}${given}`));
      const { rows } = await sql`show synchronous_commit`.execute(store.db);
      expect(rows).toEqual([{ synchronous_commit: 'on' }]);
      await store.close();
    }
  });

  test('takes the locks from a process that is paused inside a transaction', async () => {
    const store = await openStore<Tables>(schemaOptions(await postgres().createDatabase()));
    const { rows } = await sql`show idle_in_transaction_session_timeout`.execute(store.db);
    expect(rows).toEqual([{ idle_in_transaction_session_timeout: '1min' }]);
    await store.close();
  });

  test('that cannot be used is named without its password', async () => {
    const url = new URL(postgres().url);
    url.password = 'geheim';
    url.pathname = '/nowhere';
    const missing = openStore<Tables>(schemaOptions(url.href));
    await expect(missing).rejects.toMatchObject({
      code: 'store-unusable',
      message: expect.stringMatching(/^The database 127\.0\.0\.1:\d+\/nowhere cannot be used: (?!.*geheim)/),
    });
    url.port = '1';
    await expect(openStore<Tables>(schemaOptions(url.href))).rejects.toMatchObject({
      code: 'store-unavailable',
      message: expect.stringMatching(/^The database 127\.0\.0\.1:1\/nowhere is not available (?!.*geheim)/),
    });
    await expect(openStore<Tables>(schemaOptions(`${postgres().url}?sslmode=require`))).rejects.toMatchObject(
      {
        code: 'store-unusable',
      },
    );
    await expect(openStore<Tables>(schemaOptions('postgres://me:geheim@[broken/x'))).rejects.toMatchObject({
      code: 'store-unusable',
      message: expect.not.stringContaining('geheim'),
    });
  });
});
