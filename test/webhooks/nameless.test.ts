import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.js';
import { systemClock } from '../../src/client/clock.js';
import type { ReadResult } from '../../src/webhooks/reading/read-record.js';
import { createReader } from '../../src/webhooks/reading/reader.js';
import { eventually, startTestSandbox, type TestSandbox } from '../helpers/sandbox.js';
import { type HookDesk, openHookDesk } from './hook-desk.js';

let sandbox: TestSandbox;
let desk: HookDesk;

beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());
beforeEach(async () => {
  desk = await openHookDesk(sandbox);
});
afterEach(() => desk.close());

const change = (text: string) =>
  desk.database.store.transaction((tx) => sql.raw(text).execute(tx)).then(() => undefined);

describe('a webhook that names no payment', () => {
  it('is finished by the same listener once its result can be written', async () => {
    const listener = await desk.listen();
    await change(`create trigger full before update of verdict on deliveries when new.verdict = 'none'
      begin select raise(abort, 'no room'); end`);
    await listener.post('{"n":1}');
    await eventually(() => expect(String(listener.errors[0])).toContain('no room'));
    await change('drop trigger full');
    const [delivery] = await listener.waitFor(1);
    expect(delivery).toMatchObject({ id: 1, verdict: 'none' });
  });

  it('is written down before the reader has stopped', async () => {
    const { appId, apiKey } = sandbox.app;
    const client = createClient({ baseUrl: sandbox.url, appId, kind: 'sandbox', apiKey: () => apiKey });
    const writing = Promise.withResolvers<ReadResult[]>();
    const write = () => writing.promise;
    const reader = createReader({
      store: desk.database.store,
      client,
      app: desk.app,
      recorder: { read: write, unread: write, failed: write },
      clock: systemClock,
      signal: new AbortController().signal,
      retries: undefined,
      onRead: () => {},
      onError: () => {},
    });
    reader.add({ id: 1, path: '', paymentId: null, referenceId: null, saidState: null, eventId: null });
    let stopped = false;
    const stopping = reader.stop().then(() => (stopped = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(stopped).toBe(false);
    writing.resolve([]);
    await stopping;
    await client.close();
  });
});
