// The one desk of the tests: a sandbox, an app of it by environment, a home, and commands that run in this process.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxApp } from '../../src/sandbox/index.js';
import type { SandboxOptions } from '../../src/sandbox/sandbox.js';
import { type CommandClass, findCommand, type InProcessOptions, runInProcess } from './in-process.js';
import {
  type Client,
  eventually,
  newReference,
  type ShownPayment,
  startTestSandbox,
  type TestSandbox,
} from './sandbox.js';

export type Env = Record<string, string>;
// What a test looks at in JSON is named there.
export type Json = { [key: string]: Json } & Json[] & string;

export interface Ran {
  stdout: string;
  stderr: string;
  code: number;
  /** The parsed JSON of stdout. */
  json: Json;
}

export type DeskOptions = Omit<InProcessOptions, 'env'> & { env?: Env };

/** An empty folder; it is removed after the last test, together with all others. */
export const temporaryHome = (): string => mkdtempSync(join(tmpdir(), 'paydesk-home-'));

/** The environment that stands in for a profile. */
export function envOf(
  sandbox: Pick<Client, 'url'> & { app: SandboxApp; live: SandboxApp },
  kind: 'sandbox' | 'live' = 'sandbox',
): Env {
  const { appId, apiKey } = kind === 'live' ? sandbox.live : sandbox.app;
  return {
    PAYDESK_BASE_URL: sandbox.url,
    PAYDESK_APP_ID: appId,
    PAYDESK_API_KEY: apiKey,
    PAYDESK_KIND: kind,
  };
}

/** Runs a command; whatever a test looks at, the key of the app is never printed. */
export async function runCommand(
  Class: CommandClass,
  args: ReadonlyArray<string | number>,
  options: DeskOptions,
): Promise<Ran> {
  const { stdout, stderr, code } = await runInProcess(Class, args.map(String), options);
  const key = options.env?.['PAYDESK_API_KEY'];
  if (key && (stdout + stderr).includes(key)) throw new Error(`the key was printed:\n${stderr}`);
  return {
    stdout,
    stderr,
    code,
    get json() {
      return JSON.parse(stdout) as Json;
    },
  };
}

/** Runs what was typed, at the present time. */
export async function runTyped(
  args: ReadonlyArray<string | number>,
  options: DeskOptions & { home: string },
): Promise<Ran> {
  const { Class, id, rest } = await findCommand(args.map(String));
  const { home, ...more } = options;
  return runCommand(Class, rest, { now: new Date(), ...more, id, env: { PAYDESK_HOME: home, ...more.env } });
}

export interface TestDesk {
  sandbox: TestSandbox;
  home: string;
  env: Env;
  liveEnv: Env;
  /** Runs a command, or `paydesk payments VERB …`, as a script: pipes. */
  run(
    command: CommandClass | string,
    args: ReadonlyArray<string | number>,
    options?: DeskOptions,
  ): Promise<Ran>;
  /** A payment in that state; the clock is at your disposal. */
  paid(card?: string, fields?: Record<string, unknown>): Promise<ShownPayment>;
  authorised(): Promise<ShownPayment>;
  held(): Promise<ShownPayment>;
  /** A customer with a stored method. */
  stored(card?: string): Promise<string>;
  fault(fault: Record<string, unknown>): Promise<void>;
  /** Calls this once all faults that were to happen so many times have happened. */
  onceFaultHit(callback: () => void): void;
  /** Requests that reached the sandbox since the last time this was called, as `METHOD /path`. */
  requests(): string[];
}

/** A sandbox for one file of tests, and the commands pointed at it. */
export async function openTestDesk(options: Partial<SandboxOptions> = {}): Promise<TestDesk> {
  return deskAt(await startTestSandbox(options));
}

/** Another desk at the same sandbox, with a ledger of its own. */
export function deskAt(sandbox: TestSandbox): TestDesk {
  const home = temporaryHome();
  const env: Env = { ...envOf(sandbox), PAYDESK_HOME: home };
  const paid: TestDesk['paid'] = (card, fields) => makePaid(sandbox, card, fields);
  return {
    sandbox,
    home,
    env,
    liveEnv: { ...envOf(sandbox, 'live'), PAYDESK_HOME: home },
    async run(command, args, more = {}) {
      const Class = typeof command === 'string' ? await paymentsCommand(command) : command;
      return runCommand(Class, args, { ...more, env: { ...env, ...more.env } });
    },
    paid,
    authorised: () => paid('approved', { autoCapture: false }),
    held: () => paid('held'),
    async stored(card = 'approved') {
      const customerId = `c-${newReference()}`;
      await paid(card, { registerAutoPayment: true, customerOrder: { customer: { customerId } } });
      return customerId;
    },
    fault: (fault) => addFault(sandbox, fault),
    onceFaultHit(callback) {
      void waitForFaults(sandbox).finally(callback);
    },
    requests: () => sandbox.lines.splice(0).map(({ method, path }) => `${method} ${path}`),
  };
}

const paymentsCommand = async (verb: string): Promise<CommandClass> =>
  (await findCommand(['payments', verb])).Class;

const sharedHome = temporaryHome();

/** Runs `paydesk payments VERB …` against any app. */
export async function payments(
  env: Env,
  verb: string,
  args: ReadonlyArray<string | number>,
  options: DeskOptions = {},
): Promise<Ran> {
  const all = { PAYDESK_HOME: sharedHome, ...env, ...options.env };
  return runCommand(await paymentsCommand(verb), args, { ...options, env: all });
}

/** The flags that a hosted-page payment needs. */
export const createFlags = (reference: string, more: Record<string, string> = {}): string[] =>
  Object.entries({
    amount: '10.10',
    currency: 'EUR',
    customer: 'c_881',
    'return-url': 'https://shop.example/done',
    reference,
    ...more,
  }).flatMap(([name, value]) => [`--${name}`, value]);

/** A payment that a customer paid with this card, once everything due has happened. */
export async function makePaid(
  sandbox: Pick<TestSandbox, 'create' | 'pay' | 'settle' | 'read'>,
  card = 'approved',
  fields: Record<string, unknown> = {},
): Promise<ShownPayment> {
  const { paymentId } = await sandbox.create({ returnUrl: 'https://shop.example/done', ...fields });
  await sandbox.pay(paymentId, card);
  await sandbox.settle();
  return sandbox.read(paymentId);
}

export async function addFault(sandbox: Client, fault: Record<string, unknown>): Promise<void> {
  const { status, text } = await sandbox.control('POST', '/faults', fault);
  if (status >= 300) throw new Error(text);
}

/** Waits until all faults that were to happen so many times have happened. */
export const waitForFaults = (sandbox: Client): Promise<void> =>
  eventually(async () => {
    const { body } = await sandbox.control<Array<{ remaining: number | null }>>('GET', '/faults');
    if (body.some(({ remaining }) => remaining !== null && remaining > 0))
      throw new Error('A fault has not happened yet.');
  });
