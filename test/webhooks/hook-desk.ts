import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { createClient } from '../../src/client/client.js';
import { systemClock, type Clock } from '../../src/client/clock.js';
import { retryPolicy } from '../../src/client/retry.js';
import { type DeskDatabase, openDeskDatabase } from '../../src/ledger/database.js';
import { createOwner } from '../../src/store/owner.js';
import type { Delivery } from '../../src/webhooks/inbox/delivery.js';
import { createInbox, type Inbox } from '../../src/webhooks/inbox/inbox.js';
import {
  type Listener,
  type ListenEvent,
  type ListenOptions,
  startListener,
} from '../../src/webhooks/start-listener.js';
import { parseTarget, type Target } from '../../src/webhooks/forwarding/targets.js';
import { createNoTunnel } from '../../src/webhooks/tunnels/without-program.js';
import { eventually, type TestSandbox } from '../helpers/sandbox.js';

export const everything = { states: [], payments: [], paths: [] };

export interface TestListener extends Listener {
  readonly events: ListenEvent[];
  readonly errors: unknown[];
  /** Deliveries that were read and passed on, in the order in which that was so. */
  settled(): Delivery[];
  /** Waits until that many are. */
  waitFor(count: number, ms?: number): Promise<Delivery[]>;
  /** Sends something to it, as the service would. */
  post(body: string | Uint8Array, options?: PostOptions): Promise<number>;
}

export interface PostOptions {
  /** After the secret, with its slash and query. */
  rest?: string;
  headers?: Record<string, string> | string[];
  method?: string;
}

export interface HookDesk {
  database: DeskDatabase;
  inbox: Inbox;
  app: { baseUrl: string; appId: string };
  /** Starts a listener on this database, also as if on another machine; all of them are stopped in the end. */
  listen(
    options?: Partial<Omit<ListenOptions, 'targets'>> & { to?: string[]; machine?: string },
  ): Promise<TestListener>;
  close(): Promise<void>;
}

/** What a target that is typed on another machine stands for. */
export function targetOn(machine: string, text: string): Target {
  const target = parseTarget(text);
  return { ...target, key: target.key.replace(hostname(), machine) };
}

/** Whatever it waits for between two reads, it waits a twentieth of that. */
const hurried: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms / 20, signal) };

/** The inbox of a sandbox's app: in a file of its own, or at the location given. */
export async function openHookDesk(sandbox: TestSandbox, location?: string): Promise<HookDesk> {
  const folder = mkdtempSync(join(tmpdir(), 'paydesk-hooks-'));
  const database = await openDeskDatabase({
    location: location ?? join(folder, 'desk.db'),
    operator: 'test',
  });
  const client = createClient({
    baseUrl: sandbox.url,
    appId: sandbox.app.appId,
    kind: 'sandbox',
    apiKey: () => sandbox.app.apiKey,
    // As often as usual, without the waits between.
    retry: { ...retryPolicy, baseMs: 5, capMs: 5 },
  });
  const app = { baseUrl: sandbox.url, appId: sandbox.app.appId };
  const running = new Set<TestListener>();

  return {
    database,
    inbox: createInbox(database.store),
    app,
    async listen({ to = [], machine = hostname(), ...options } = {}) {
      const events: ListenEvent[] = [];
      const errors: unknown[] = [];
      const listener = await startListener({
        store: database.store,
        client,
        app,
        owner: createOwner(),
        clock: hurried,
        port: 0,
        orAnother: false,
        tunnel: createNoTunnel(),
        retriesFailed: true,
        targets: to.map((text) => targetOn(machine, text)),
        filter: everything,
        ack: 'immediate',
        chaos: undefined,
        // However slow the machine is, all attempts are made before the time for them is over.
        retries: { delaysMs: [20, 20, 20], withinMs: 60_000 },
        interactive: false,
        signal: new AbortController().signal,
        note: () => {},
        onEvent: (event) => events.push(event),
        onError: (error) => errors.push(error),
        ...options,
      });
      const settled = () => events.flatMap((event) => (event.type === 'settled' ? [event.delivery] : []));
      const test: TestListener = {
        ...listener,
        get url() {
          return listener.url;
        },
        events,
        errors,
        settled,
        waitFor: (count, ms) =>
          eventually(() => {
            const all = settled();
            if (all.length < count)
              throw new Error(`${all.length} of ${count} are through; ${errors.join()}`);
            return all;
          }, ms),
        post: (body, more) => postTo(listener.url, body, more),
        async stop() {
          running.delete(test);
          await listener.stop();
        },
      };
      running.add(test);
      return test;
    },
    async close() {
      for (const listener of running) await listener.stop();
      await client.close();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function postTo(
  url: string,
  body: string | Uint8Array,
  { rest = '', headers = { 'content-type': 'application/json' }, method = 'POST' }: PostOptions = {},
): Promise<number> {
  const answer = await request(url + rest, { method: method as 'POST', headers, body });
  await answer.body.dump();
  return answer.statusCode;
}
