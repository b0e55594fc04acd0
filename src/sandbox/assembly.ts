// The parts of a sandbox around its database, put together: the same with sockets and without.

import { loadOnce } from '../concurrency.js';
import type { AnswerChoices } from './answers.js';
import { createControl } from './control/control.js';
import type { SandboxEngine } from './engine.js';
import { createAddresses } from './http/addresses.js';
import type { ServiceRequest } from './http/service-request.js';
import type { ServiceAnswer } from './http/service.js';
import { showApp } from './http/show-app.js';
import { createOutbox, type OnNotSent } from './outbox/outbox.js';
import type { ReceiveWebhook } from './outbox/webhook-sender.js';
import { createWorker } from './worker.js';

interface AssemblyOptions {
  engine: SandboxEngine;
  answers: AnswerChoices;
  /** What its links begin with. */
  url: string;
  /** Other machines call: their links begin with the host that they called. */
  remote?: boolean;
  /** Hosts besides loopback that webhooks may go to. */
  webhookHosts: string[];
  receive?: ReceiveWebhook;
  rateLimit?: number | undefined;
  onError(error: unknown): void;
  onNotSent?: OnNotSent | undefined;
}

type Handle = (request: ServiceRequest) => Promise<ServiceAnswer>;

export function assembleSandbox(options: AssemblyOptions) {
  const {
    engine,
    answers,
    url,
    remote = false,
    webhookHosts,
    receive,
    rateLimit,
    onError,
    onNotSent,
  } = options;
  const outbox = createOutbox({ engine, answers, webhookHosts, receive, onError, onNotSent });
  const worker = createWorker({ engine, outbox, onError });
  const addresses = createAddresses(engine, () => url);
  // A health check right after the start does not wait for the service: its first request loads it.
  let service: Handle | undefined;
  const loadService = loadOnce(async (): Promise<Handle> => {
    const { createService } = await import('./http/service.js');
    service = createService({
      engine,
      answers,
      addressesAt: (called) =>
        remote && called !== undefined ? createAddresses(engine, () => `http://${called}`) : addresses,
      ...(rateLimit !== undefined && { rateLimit }),
      onError,
    }).handle;
    return service;
  });
  return {
    worker,
    addresses,
    handle: (request: ServiceRequest) =>
      service ? service(request) : loadService().then((loaded) => loaded(request)),
    controlVia: (via: 'control' | 'console') => createControl(engine, worker, outbox, via),
    apps: async () => (await engine.apps.all()).map(showApp),
    async close() {
      await worker.stop();
      await outbox.stop();
      await engine.close();
    },
  };
}
