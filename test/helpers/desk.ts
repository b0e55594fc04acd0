// What every desk of the tests has: a home, an app of a sandbox by environment, and commands that run in this process.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxApp } from '../../src/sandbox/index.js';
import { findCommand, type InProcessOptions, runInProcess } from './in-process.js';
import type { Client, ShownPayment, TestSandbox } from './sandbox.js';

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
  Class: Parameters<typeof runInProcess>[0],
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
