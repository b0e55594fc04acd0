import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { closeServer } from '../../src/close-server.js';
import { startListening } from '../../src/sandbox/http/server.js';

test('a request that comes before there is anything to answer it waits', async () => {
  const listener = Promise.withResolvers<RequestListener>();
  const server = await startListening('127.0.0.1', 0, listener.promise);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const arrived = new Promise((resolve) => server.once('request', resolve));
  const early = fetch(url);
  await arrived;
  listener.resolve((_incoming, outgoing) => void outgoing.end('here'));
  expect(await (await early).text()).toBe('here');
  expect(await (await fetch(url)).text()).toBe('here');
  await closeServer(server, 1_000);
});
