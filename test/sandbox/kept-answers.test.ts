import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { defaultAnswers } from '../../src/sandbox/answers.js';
import { createEngine } from '../../src/sandbox/engine.js';
import { startNextGeneration } from '../../src/sandbox/generation.js';
import { createAddresses } from '../../src/sandbox/http/addresses.js';
import { createKeptAnswers } from '../../src/sandbox/http/kept-answers.js';
import { createService } from '../../src/sandbox/http/service.js';
import { openStore, type Migration, type Store } from '../../src/store/store.js';
import { hostedBody } from '../helpers/sandbox.js';

interface Tables {
  note: { text: string };
}

const migrations: Migration[] = [
  { name: 'notes', up: (db) => db.schema.createTable('note').addColumn('text', 'text').execute() },
];

/** The file of a sandbox, which no other process can open, or that of a desk. */
async function openFile(exclusive: boolean): Promise<Store<Tables>> {
  const folder = mkdtempSync(join(tmpdir(), 'paydesk-kept-'));
  const store = await openStore<Tables>({
    location: join(folder, 'kept.db'),
    schema: 'kept',
    migrations,
    exclusive,
  });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  return store;
}

/** Answers with all notes, and counts how often an answer is made. */
async function openNotes({ exclusive = true } = {}) {
  const store = await openFile(exclusive);
  const answer = createKeptAnswers(store);
  const add = (text: string) => store.transaction((tx) => tx.insertInto('note').values({ text }).execute());
  const notes = async () => {
    const rows = await store.db.selectFrom('note').select('text').execute();
    return rows.map(({ text }) => text).join();
  };
  let made = 0;
  const read = (key = 'notes', onRead: () => Promise<unknown> = async () => {}) =>
    answer(key, async () => {
      made += 1;
      const body = await notes();
      await onRead();
      return { status: 200, headers: { 'content-type': 'text/plain' }, body };
    });
  return { add, read, made: () => made };
}

/** The service without sockets, with one payment. */
async function openService() {
  const engine = await createEngine({ location: ':memory:' });
  onTestFinished(() => engine.close());
  const service = createService({
    engine,
    answers: defaultAnswers,
    addressesAt: (host) => createAddresses(engine, () => `http://${host}`),
    onError: (error) => {
      throw error;
    },
  });
  const [app] = await engine.apps.all();
  const send = async (method: string, path: string, host: string, body = '') => {
    const headers: Record<string, string> = {
      authorization: `Bearer ${app?.api_key}`,
      'content-type': 'application/json',
      host,
    };
    const answer = await service.handle({
      method,
      appId: app?.app_id ?? '',
      path,
      query: new URLSearchParams(),
      header: (name) => headers[name],
      body: () => Promise.resolve(body),
    });
    return JSON.parse(answer.body) as { paymentId: number; redirectUrl: string };
  };
  const { paymentId } = await send('POST', '/payments/hosted-page', 'shop', JSON.stringify(hostedBody()));
  const linkAt = async (host: string) => (await send('GET', `/payments/${paymentId}`, host)).redirectUrl;
  return { engine, linkAt };
}

describe('the link in an answer', () => {
  test('is of the host that was called', async () => {
    const { linkAt } = await openService();
    expect([await linkAt('one'), await linkAt('two'), await linkAt('one')]).toEqual([
      expect.stringMatching('^http://one/'),
      expect.stringMatching('^http://two/'),
      expect.stringMatching('^http://one/'),
    ]);
  });

  test('is of the generation, even if it was read between the commit that started one and its announcement', async () => {
    const { engine, linkAt } = await openService();
    const next = await engine.store.transaction((tx) => startNextGeneration(tx, engine.store.engine, 1));
    const early = await linkAt('shop');
    engine.generations.started(next);
    const late = await linkAt('shop');
    expect(late).not.toBe(early);
    expect(await linkAt('shop')).toBe(late);
  });
});

describe('kept answers', () => {
  test('are made once, and again after the next commit', async () => {
    const { add, read, made } = await openNotes();
    await add('one');
    expect([(await read()).body, (await read()).body, made()]).toEqual(['one', 'one', 1]);
    await add('two');
    expect([(await read()).body, (await read()).body, made()]).toEqual(['one,two', 'one,two', 2]);
  });

  test('are kept by what was asked', async () => {
    const { read, made } = await openNotes();
    await read('a');
    await read('b');
    await read('a');
    expect(made()).toBe(2);
  });

  test('are not kept when something is committed while they are made', async () => {
    const { add, read } = await openNotes();
    expect((await read('notes', () => add('meanwhile'))).body).toBe('');
    expect((await read()).body).toBe('meanwhile');
  });

  test('share no headers with each other', async () => {
    const { read } = await openNotes();
    (await read()).headers['x-request-id'] = 'first';
    expect((await read()).headers).toEqual({ 'content-type': 'text/plain' });
  });

  test('are at most 2,000', async () => {
    const { read, made } = await openNotes();
    await read('first');
    for (let number = 0; number < 2_000; number += 1) await read(`${number}`);
    await read('first');
    expect(made()).toBe(2_002);
  });

  test('are made each time where another process may commit', async () => {
    const { read, made } = await openNotes({ exclusive: false });
    await read();
    await read();
    expect(made()).toBe(2);
  });
});
