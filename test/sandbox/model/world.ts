import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.js';
import { createHttp, type Answered, type Outcome } from './http.js';
import { startReceiver, type Receiver } from './receiver.js';

/** A real sandbox on a clock that only moves when it is told to, and a merchant that listens to it. */
export interface World {
  receiver: Receiver;
  /** Ids in the order in which the app has them. */
  profileIds: number[];
  policyIds: number[];
  api(method: string, path: string, body?: unknown): Promise<Outcome>;
  control(method: string, path: string, body?: unknown): Promise<Answered>;
  /** Changes the app that everything happens in. */
  changeApp(patch: object): Promise<void>;
  /** Stops and starts again on the same data; false where nothing would be left. */
  restart(): Promise<boolean>;
  /** What the sandbox itself reported as failed. */
  errors: unknown[];
  close(): Promise<void>;
}

export type Place = 'memory' | 'file' | { url: string; processes: number };

/** A fixed day, so that a run is the same on every day. */
const START = Date.UTC(2026, 4, 20, 12);

export async function createWorld(place: Place): Promise<World> {
  const folder = place === 'file' ? mkdtempSync(join(tmpdir(), 'paydesk-model-')) : undefined;
  const location =
    typeof place === 'object' ? place.url : folder === undefined ? ':memory:' : join(folder, 'sandbox.db');
  const count = typeof place === 'object' ? place.processes : 1;
  const errors: unknown[] = [];
  const http = createHttp();
  const receiver = await startReceiver({ stumbles });
  let sandboxes: Sandbox[] = [];
  let turn = 0;

  async function start(): Promise<void> {
    for (let index = 0; index < count; index++) {
      sandboxes.push(
        await startSandbox({
          location,
          seed: 1,
          realNow: () => START,
          onError: (error) => errors.push(error),
        }),
      );
    }
  }

  async function stop(): Promise<void> {
    for (const sandbox of sandboxes.splice(0)) await sandbox.close();
  }

  const next = () => sandboxes[turn++ % count] as Sandbox;

  async function control(method: string, path: string, body?: unknown): Promise<Answered> {
    const sandbox = next();
    const outcome = await http.call(method, `${sandbox.url}/_sandbox${path}`, sandbox.controlToken, body);
    if (outcome === 'lost') throw new Error(`no answer from the control API to ${method} ${path}`);
    return outcome;
  }

  await start();
  if (typeof place === 'object') await control('POST', '/reset', {});
  const [app] = await (sandboxes[0] as Sandbox).apps();
  if (!app) throw new Error('the sandbox has no app');
  const changeApp = async (patch: object) => {
    const { status } = await control('PATCH', `/apps/${app.appId}`, patch);
    if (status !== 200) throw new Error(`the app could not be changed: ${status}`);
  };
  await changeApp({ webhookUrl: receiver.url });

  return {
    receiver,
    profileIds: app.profiles.map((profile) => profile.paymentProfileId),
    policyIds: app.fraudPolicies.map((policy) => policy.fraudPolicyId),
    api: (method, path, body) =>
      http.call(method, `${next().url}/api/apps/${app.appId}${path}`, app.apiKey, body),
    control,
    changeApp,
    async restart() {
      if (place === 'memory') return false;
      await stop();
      await start();
      return true;
    },
    errors,
    async close() {
      await stop();
      await http.close();
      await receiver.close();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** One webhook in six is answered badly once, some of them twice: which ones, only their id decides. */
function stumbles(eventId: string): number {
  const byte = createHash('sha256').update(eventId).digest()[0] ?? 0;
  return byte % 6 === 0 ? 1 + (byte % 2) : 0;
}
