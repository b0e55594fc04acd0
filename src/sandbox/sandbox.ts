import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defaultAnswers, type AnswerChoices } from './answers.js';
import { assembleSandbox } from './assembly.js';
import { createLiveFeed } from './console/live.js';
import type { SandboxApp, SandboxStatus } from './control/answers.js';
import type { ControlAnswers, ControlInputs, ControlRoute } from './control/api.js';
import type { Control } from './control/control.js';
import { createEngine, type SandboxEngine } from './engine.js';
import { Refusal } from './domain/refusal.js';
import { isOwnMachine, localUrl } from './http/host-names.js';
import { createApiListener } from './http/api-listener.js';
import { createRequestListener, startListening, type RequestLine } from './http/server.js';
import { closeServer } from '../close-server.js';
import { withoutPassword } from '../store/location.js';
import type { Worker } from './worker.js';

/** How long requests in flight may still take when it stops. */
const DRAIN_MS = 1_000;

export interface SandboxOptions {
  /** `:memory:`, a file, or postgres://… */
  location: string;
  /** An export of a sandbox to begin with. Only a database that is not in use takes it. */
  contents?: string | undefined;
  /** Where the clock stands at the beginning and after a reset, stopped. Otherwise it is never turned back. */
  clock?: number | undefined;
  host?: string;
  /** Lets other machines reach it, where the host does. */
  allowRemote?: boolean;
  /** 0 picks a free one. */
  port?: number;
  seed?: number;
  answers?: Partial<AnswerChoices>;
  rateLimit?: number;
  webhookHosts?: string[];
  realNow?: () => number;
  onRequest?(line: RequestLine): void;
  onError?(error: unknown): void;
  /** A webhook will never be sent, and why. */
  onNotSent?(text: string): void;
  /** Asked for through the control API. */
  onStop?(): void;
  /** The name under which the desk knows an app of this sandbox, for the commands that pages show. */
  profileOf?(url: string, appId: string): string | undefined;
}

/** A running sandbox. */
export interface Sandbox {
  readonly url: string;
  readonly consoleUrl: string;
  readonly controlToken: string;
  readonly engine: SandboxEngine;
  readonly control: Control;
  readonly worker: Worker;
  apps(): Promise<SandboxApp[]>;
  /** The control API, without a request. */
  ask<Route extends ControlRoute>(route: Route, input: ControlInputs[Route]): Promise<ControlAnswers[Route]>;
  /** Ends requests in flight, then everything else. */
  close(): Promise<void>;
}

export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { host = '127.0.0.1', port = 0 } = options;
  const remote = !isOwnMachine(host);
  if (remote) checkRemote(host, options);
  const onError = options.onError ?? (() => {});
  const answers: AnswerChoices = { ...defaultAnswers, ...options.answers };
  const listener = Promise.withResolvers<RequestListener>();
  const server = await startListening(host, port, listener.promise);
  const url = localUrl(host, (server.address() as AddressInfo).port);
  const engine = await openEngine(options, url).catch((error: unknown) => {
    server.close();
    throw error;
  });
  const controlToken = randomBytes(24).toString('base64url');
  const { rateLimit, webhookHosts = [], onNotSent } = options;
  const parts = assembleSandbox({
    engine,
    answers,
    url,
    remote,
    webhookHosts,
    rateLimit,
    onError,
    onNotSent,
  });
  const { worker, addresses, apps } = parts;
  const control = parts.controlVia('control');
  const live = createLiveFeed(engine);
  // Not needed to answer for the service: loaded when the first of these requests comes.
  const controlTools = {
    engine,
    control,
    addresses,
    status: () => describe(engine, options, answers, url),
    stop: () => options.onStop?.(),
  };
  const loadApp = async () => {
    const { createHttpApp } = await import('./http-app.js');
    return createHttpApp({
      ...controlTools,
      consoleControl: parts.controlVia('console'),
      live,
      token: controlToken,
      url,
      profileOf: (appId) => options.profileOf?.(url, appId),
      onError,
    });
  };
  const close = async () => {
    live.close();
    await closeServer(server, DRAIN_MS);
    await parts.close();
  };
  await beginWith(engine, control, options).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const { onRequest } = options;
  listener.resolve(createRequestListener(createApiListener(parts.handle), loadApp, { remote, onRequest }));
  // Takes up what an earlier run left: jobs and webhooks.
  engine.refresh();

  return {
    url,
    consoleUrl: `${url}/console?token=${controlToken}`,
    controlToken,
    engine,
    control,
    worker,
    apps,
    async ask(route, input) {
      const { askControl } = await import('./http/control-handlers.js');
      return askControl(route, input, controlTools);
    },
    close,
  };
}

function checkRemote(host: string, { allowRemote = false, seed }: SandboxOptions): void {
  if (!allowRemote)
    throw new RangeError(`Other machines could reach the sandbox on ${host}: allowRemote is needed.`);
  // A seed makes the keys known to everybody: nobody else may reach them.
  if (seed !== undefined)
    throw new RangeError(`With a seed the sandbox listens on this machine alone, not on ${host}.`);
}

function openEngine({ location, seed, realNow, clock }: SandboxOptions, url: string): Promise<SandboxEngine> {
  return createEngine({
    location,
    ...(seed !== undefined && { seed }),
    ...(realNow && { realNow }),
    ...(clock !== undefined && { clock }),
    owner: { pid: process.pid, url },
  });
}

async function describe(
  engine: SandboxEngine,
  options: SandboxOptions,
  answers: AnswerChoices,
  url: string,
): Promise<SandboxStatus> {
  const { now, stopped } = await engine.clock.read();
  const count = async (table: 'payments' | 'customers') => {
    const { total } = await engine.store.db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    return total;
  };
  const waiting = await engine.store.db
    .selectFrom('events')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('finished', '=', 0)
    .executeTakeFirstOrThrow();
  return {
    url,
    pid: process.pid,
    generation: (await engine.generations.read()).id,
    database: withoutPassword(options.location),
    clock: { now: new Date(now).toISOString(), stopped },
    payments: await count('payments'),
    customers: await count('customers'),
    webhooksWaiting: waiting.total,
    faults: (await engine.faults.list()).length,
    webhookHosts: options.webhookHosts ?? [],
    answers: Object.fromEntries(
      Object.entries(answers).filter(
        ([name, variant]) => variant !== defaultAnswers[name as keyof AnswerChoices],
      ),
    ),
  };
}

async function beginWith(
  engine: SandboxEngine,
  control: Control,
  { contents, clock }: Pick<SandboxOptions, 'contents' | 'clock'>,
): Promise<void> {
  if (contents !== undefined) {
    await requireUnused(engine);
    await control.import(contents);
  }
  if (clock !== undefined) {
    await control.clock({ action: 'stop' });
    await control.clock({ action: 'set', value: clock });
  }
}

async function requireUnused({ store }: SandboxEngine): Promise<void> {
  for (const table of ['payments', 'customers'] as const) {
    const first = await store.db.selectFrom(table).select('app_id').limit(1).executeTakeFirst();
    if (first) throw new Refusal('operation-not-allowed', `The database already contains ${table}.`);
  }
}
