// A sandbox and a desk of a scenario's own: in memory, in this process, with one clock and no sockets.

import { createClient } from '../../client/client.js';
import { openDeskDatabase } from '../../ledger/database.js';
import type { Desk } from '../../payments/desk.js';
import { beforeFirstChange, type EmbeddedSandbox, openEmbeddedSandbox } from '../../sandbox/index.js';
import { parseDuration } from '../../typed-values.js';
import type { SandboxChange, World } from '../world.js';
import { createDirectTransport } from './direct-transport.js';
import { createReceiver } from './receiver.js';
import { asCommand, createActors, createOwnSandbox } from './steering.js';
import { createTimeline } from './timeline.js';

interface OwnWorldOptions {
  seed: number;
  /** Where the clock stands. */
  clock: number;
  quietMs: number;
  signal: AbortSignal;
}

const SANDBOX_URL = 'http://sandbox.test';
const RECEIVER = 'receiver.test';
const WAIT_MS = 5 * 60_000;
const SETTLING_MS = 5_000;

export async function openOwnWorld({ seed, clock, quietMs, signal }: OwnWorldOptions): Promise<World> {
  const errors: unknown[] = [];
  const sandbox = await openEmbeddedSandbox({
    seed,
    clock,
    url: SANDBOX_URL,
    webhookHosts: [RECEIVER],
    receive: (target, webhook) =>
      target.hostname === RECEIVER
        ? receive(target, webhook).then(() => ({ status: 200, answer: '' }))
        : undefined,
    onError: (error) => errors.push(error),
  });
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  // A handler of webhooks may take its time, and Ctrl-C must not wait for it.
  const drain = () => Promise.race([sandbox.drain(), aborted]);
  const timeline = createTimeline(clock, sandbox.advanceTo);
  const [app] = await sandbox.apps();
  if (!app) throw new Error('The sandbox has no app.');
  const steady = () => ({ boot: 'scenario', ms: timeline.now() });
  const database = await openDeskDatabase({
    location: ':memory:',
    operator: 'scenario',
    now: () => timeline.now(),
    steady,
  });
  const receive = createReceiver({ database, sandbox, app: { baseUrl: SANDBOX_URL, appId: app.appId } });
  await sandbox.control.changeApp(app.appId, { webhookUrl: `http://${RECEIVER}/` });
  const common = {
    baseUrl: SANDBOX_URL,
    appId: app.appId,
    kind: 'sandbox',
    isSandbox: true,
    apiKey: () => app.apiKey,
    clock: timeline,
    // The same pauses between attempts in every run.
    random: () => 0.5,
    transport: createDirectTransport({ handle: sandbox.handle, drain }, timeline),
  } as const;
  const desk: Desk = {
    client: createClient({ ...common, signal }),
    settling: createClient({ ...common, timeouts: { attemptMs: SETTLING_MS, overallMs: SETTLING_MS } }),
    ledger: database.ledger,
    app: { baseUrl: SANDBOX_URL, appId: app.appId, kind: 'sandbox', profile: undefined },
    quietMs,
    clock: timeline,
    steady: timeline.now,
    signal,
    waitMs: WAIT_MS,
    note: () => {},
  };
  let references = 0;
  return {
    desk,
    database,
    steady,
    newReference: (hint) => `${hint}-${(references += 1)}`,
    actors: createActors(sandbox),
    own: createOwnSandbox(sandbox, timeline, app),
    look: (payment) => asCommand(() => sandbox.payment(payment)),
    async settle() {
      await drain();
      const [error] = errors;
      if (error !== undefined) throw error;
    },
    changes: createChangeFeed(sandbox),
    async close() {
      await sandbox.close();
      await database.close();
    },
  };
}

const DEFAULT_QUIET_PERIOD = '2s';
export const quietMsOf = (text: string | undefined): number => parseDuration(text ?? DEFAULT_QUIET_PERIOD);

/** Tells what happened in the sandbox since it was last asked: changes first, then what the provider and webhooks did. */
function createChangeFeed(sandbox: EmbeddedSandbox): () => Promise<SandboxChange[]> {
  let mark = beforeFirstChange;
  return async () => {
    const changes = await sandbox.changesSince(mark);
    ({ mark } = changes);
    const states = changes.events.map(({ time, payment_id, from_state, to_state, cause }): SandboxChange => {
      const text = from_state === null ? to_state : `${from_state} → ${to_state}`;
      return { time, kind: 'state', payment: String(payment_id), text: `${text} (${cause})` };
    });
    const provider = changes.exchanges.map(({ time, payment_id, kind, done, answer }): SandboxChange => {
      const result = done === 1 ? 'done' : answer;
      return { time, kind: 'provider', payment: String(payment_id), text: `told to ${kind}: ${result}` };
    });
    const webhooks = changes.deliveries.map(
      ({ time, payment_id, to_state, status, error }): SandboxChange => {
        const answer = status === null ? (error ?? 'no answer') : String(status);
        return { time, kind: 'webhook', payment: String(payment_id), text: `${to_state}: ${answer}` };
      },
    );
    return [...states, ...provider, ...webhooks].sort((one, other) => one.time - other.time);
  };
}
