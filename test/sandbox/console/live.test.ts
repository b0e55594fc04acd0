import { expect, onTestFinished, test } from 'vitest';
import { MAX_WATCHERS } from '../../../src/sandbox/console/live.js';
import { startTestSandbox, eventually, type TestSandbox } from '../../helpers/sandbox.js';
import { describeWithPostgres } from '../../helpers/postgres.js';
import { visitConsole } from '../../pages/console-visitor.js';
import { onEveryStore } from '../conformance/stores.js';

interface Stream {
  status: number;
  /** How many times there was news. */
  news(): number;
  /** How it ended: by the server, or cut off. */
  ended: Promise<'closed' | 'cut'>;
  cancel(): void;
}

async function open(sandbox: TestSandbox, query = ''): Promise<Stream> {
  const { cookie } = await visitConsole(sandbox);
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  const answer = await fetch(`${sandbox.url}/console/live${query}`, {
    headers: { cookie },
    signal: abort.signal,
  });
  let text = '';
  const ended = (async () => {
    try {
      for await (const chunk of answer.body!) text += Buffer.from(chunk).toString('utf8');
      return 'closed';
    } catch {
      return 'cut';
    }
  })();
  if (answer.status === 200) await eventually(() => expect(text).toContain('retry:'));
  return {
    status: answer.status,
    news: () => text.split('event: change').length - 1,
    ended,
    cancel: () => abort.abort(),
  };
}

onEveryStore((bench) => {
  test('news of every change: created, paid, asked for, delivered, the clock and the faults', async () => {
    const sandbox = await bench.start();
    const receiver = await bench.receiver();
    const brings = async (act: () => Promise<unknown>) => {
      await sandbox.settle();
      const stream = await open(sandbox);
      await act();
      await eventually(() => expect(stream.news()).toBeGreaterThan(0));
      stream.cancel();
    };
    let id = 0;
    await brings(async () => ({ paymentId: id } = await sandbox.create({ webhookUrl: receiver.url })));
    await brings(() => sandbox.pay(id, 'declined'));
    // Declined again: no change of state, but other details.
    await brings(() => sandbox.pay(id, 'declined'));
    await brings(() => sandbox.call('POST', `/payments/${id}/recheck`));
    await brings(() => sandbox.control('POST', '/clock', { action: 'stop' }));
    await brings(() => sandbox.control('POST', '/faults', { kind: 'latency', next: 1, delayMs: 1 }));
    const { body } = await sandbox.control<{ events: Array<{ id: number }> }>('GET', `/payments/${id}/story`);
    await brings(() => sandbox.control('POST', `/webhooks/${body.events[0]!.id}/resend`));
  });

  test('who watches one payment hears nothing of another', async () => {
    const sandbox = await bench.start();
    const [mine, other] = [await sandbox.create(), await sandbox.create()];
    const ofMine = await open(sandbox, `?payment=${mine.paymentId}`);
    const ofAll = await open(sandbox);
    await sandbox.pay(other.paymentId);
    await eventually(() => expect(ofAll.news()).toBeGreaterThan(0));
    // On a shared database any process may have changed anything.
    if (bench.store !== 'postgres') expect(ofMine.news()).toBe(0);
    await sandbox.pay(mine.paymentId);
    await eventually(() => expect(ofMine.news()).toBeGreaterThan(0));
  });

  test('ends with the sandbox, which does not wait for it', async () => {
    const sandbox = await bench.start();
    const streams = [await open(sandbox), await open(sandbox)];
    await sandbox.close();
    expect(await Promise.all(streams.map(({ ended }) => ended))).toEqual(['closed', 'closed']);
  });
});

test('a burst is told of in a few events, and what comes soon after one is told of too', async () => {
  const sandbox = await startTestSandbox();
  onTestFinished(() => sandbox.close());
  const stream = await open(sandbox);
  const began = performance.now();
  await sandbox.create();
  await sandbox.create();
  await eventually(() => expect(stream.news()).toBeGreaterThanOrEqual(2));
  await Promise.all(Array.from({ length: 60 }, () => sandbox.create()));
  // One at once, and then at most one every 100 ms, however long this machine takes.
  expect(stream.news()).toBeLessThanOrEqual(2 + (performance.now() - began) / 100);
});

test('only so many may watch at once; who leaves makes room', async () => {
  const sandbox = await startTestSandbox();
  onTestFinished(() => sandbox.close());
  const streams: Stream[] = [];
  for (let count = 0; count < MAX_WATCHERS; count += 1) streams.push(await open(sandbox));
  expect((await open(sandbox)).status).toBe(503);
  streams[0]!.cancel();
  await eventually(async () => expect((await open(sandbox)).status).toBe(200));
});

test('nothing without the cookie', async () => {
  const sandbox = await startTestSandbox();
  onTestFinished(() => sandbox.close());
  for (const headers of [{}, { cookie: `paydesk-console-${new URL(sandbox.url).port}=x` }]) {
    const answer = await fetch(`${sandbox.url}/console/live`, { headers });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([403, 'text/html; charset=UTF-8']);
  }
});

describeWithPostgres('two sandboxes on one PostgreSQL', (postgres) => {
  test('a change in one is news in the other', async () => {
    const location = await postgres().createDatabase();
    const [here, there] = [await startTestSandbox({ location }), await startTestSandbox({ location })];
    onTestFinished(async () => {
      await here.close();
      await there.close();
    });
    const { paymentId } = await there.create({ webhookUrl: 'http://127.0.0.1:9/hook' });
    await there.settle();
    const first = await open(here);
    // The first look only says where things stand, so that what comes before it is no news.
    await eventually(async () => {
      await there.create();
      await eventually(() => expect(first.news()).toBeGreaterThan(0), 1_000);
    });
    const brings = async (act: () => Promise<unknown>) => {
      const stream = await open(here, `?payment=${paymentId}`);
      await act();
      await eventually(() => expect(stream.news()).toBeGreaterThan(0));
      stream.cancel();
    };
    await brings(() => there.control('POST', `/payments/${paymentId}/provider`, { answer: 'hold' }));
    await brings(() => there.call('POST', `/payments/${paymentId}/recheck`));
    await brings(() => there.control('POST', '/clock', { action: 'stop' }));
    await brings(() => there.control('POST', '/faults', { kind: 'latency', next: 1 }));
  });
});
