import type { JsonObject } from '../contract/json.js';
import { defaultAnswers, type AnswerChoices } from './answers.js';
import { assembleSandbox } from './assembly.js';
import { changesSince, type Changes, type ChangesMark } from './changes.js';
import type { SandboxApp } from './control/answers.js';
import type { Control } from './control/control.js';
import { showPayment } from './domain/payments.js';
import { createEngine } from './engine.js';
import type { ServiceRequest } from './http/service-request.js';
import type { ServiceAnswer } from './http/service.js';
import type { ReceiveWebhook } from './outbox/webhook-sender.js';

interface EmbeddedOptions {
  /** The same seed makes the same ids, keys and outcomes. */
  seed: number;
  /** Where the clock stands. It moves by `advanceTo` alone. */
  clock: number;
  /** The address in its links; nothing listens there. */
  url: string;
  answers?: Partial<AnswerChoices>;
  /** Hosts besides loopback that webhooks may go to. */
  webhookHosts: string[];
  receive: ReceiveWebhook;
  onError(error: unknown): void;
}

/** The whole service inside this process, in memory and without sockets: a request is a call. */
export interface EmbeddedSandbox {
  readonly control: Control;
  handle(request: ServiceRequest): Promise<ServiceAnswer>;
  apps(): Promise<SandboxApp[]>;
  /** Runs all that is due, and lets the webhooks of it leave. */
  drain(): Promise<void>;
  /** By its clock. */
  now(): Promise<number>;
  /** Everything due on the way happens in order and at its time. */
  advanceTo(instant: number): Promise<void>;
  changesSince(mark: ChangesMark): Promise<Changes>;
  /** A payment as the service shows it, past all faults. */
  payment(key: string): Promise<JsonObject>;
  close(): Promise<void>;
}

export async function openEmbeddedSandbox(options: EmbeddedOptions): Promise<EmbeddedSandbox> {
  const { seed, clock, url, webhookHosts, receive, onError } = options;
  const answers = { ...defaultAnswers, ...options.answers };
  const engine = await createEngine({ location: ':memory:', seed, clock, realNow: () => clock });
  const parts = assembleSandbox({ engine, answers, url, webhookHosts, receive, onError });
  const { worker, addresses, handle, apps, close } = parts;
  const control = parts.controlVia('control');
  let mayBeDue = true;
  engine.onDueWork(() => (mayBeDue = true));
  return {
    control,
    handle,
    apps,
    async drain() {
      if (!mayBeDue) return;
      mayBeDue = false;
      await worker.drain();
    },
    now: async () => (await engine.clock.read()).now,
    advanceTo: (instant) => worker.advanceTo(instant),
    changesSince: (mark) => changesSince(engine, mark),
    payment: async (key) => showPayment(await control.payment(key, undefined), addresses) as JsonObject,
    close,
  };
}
