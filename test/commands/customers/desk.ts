import { expect } from 'vitest';
import type { AnswerChoices } from '../../../src/sandbox/answers.js';
import { cleanUpAfterFile } from '../../helpers/clean-up.js';
import {
  runInProcess,
  type InProcessOptions,
  addFault,
  type Env,
  envOf,
  temporaryHome,
} from '../../helpers/desk.js';
import { startTestSandbox, type TestSandbox } from '../../helpers/sandbox.js';

type CommandClass = Parameters<typeof runInProcess>[0];
type RunResult = Awaited<ReturnType<typeof runInProcess>>;

export interface Desk {
  sandbox: TestSandbox;
  /** Runs a command against the sandbox app, or the live one; the key must not be seen. */
  run(
    Class: CommandClass,
    argv: string[],
    options?: InProcessOptions & { live?: boolean },
  ): Promise<RunResult>;
  /** The environment that stands in for a profile. */
  env(live?: boolean): Record<string, string>;
  /** What was asked of the service since the last call of this, as `METHOD path`. */
  asked(): string[];
  /** Makes the next call of an endpoint, or all that follow, go wrong. */
  fault(kind: string, route: string, more?: Record<string, unknown>): Promise<void>;
  noFaults(): Promise<void>;
}

/** A sandbox that answers in the given way, and a desk that acts on it. */
export async function startDesk(answers: Partial<AnswerChoices> = {}): Promise<Desk> {
  const sandbox = await startTestSandbox({ answers });
  cleanUpAfterFile(() => sandbox.close());
  const home = temporaryHome();
  const env = (live = false): Env => ({ ...envOf(sandbox, live ? 'live' : 'sandbox'), PAYDESK_HOME: home });
  return {
    sandbox,
    env,
    async run(Class, argv, { live, ...options } = {}) {
      const all = { ...env(live), ...options.env };
      const result = await runInProcess(Class, argv, { ...options, env: all });
      for (const key of [sandbox.app.apiKey, sandbox.live.apiKey, all['PAYDESK_API_KEY'] || 'sk_']) {
        expect(result.stdout + result.stderr).not.toContain(key);
      }
      return result;
    },
    asked() {
      const lines = sandbox.lines.splice(0).filter(({ path }) => path.startsWith('/api/'));
      return lines.map(({ method, path }) => `${method} ${path.replace(/^\/api\/apps\/[^/]+/, '')}`);
    },
    fault: (kind, route, more = { next: 1 }) => addFault(sandbox, { kind, route, ...more }),
    async noFaults() {
      await sandbox.control('DELETE', '/faults');
    },
  };
}

export const parsed = (result: { stdout: string }): unknown => JSON.parse(result.stdout);

export interface Method {
  paymentMethodId: number;
  customerAutomaticProfileId: number;
}

/** A customer with one stored method, made by a payment that registered it. */
export async function storedMethod(
  { sandbox }: Desk,
  customerId: string,
  { appId, apiKey } = sandbox.app,
): Promise<void> {
  const order = { customer: { customerId, firstName: 'Ada', email: 'ada@example.org' } };
  const { paymentId } = await sandbox.create(
    { registerAutoPayment: true, customerOrder: order },
    { appId, key: apiKey },
  );
  await sandbox.pay(paymentId);
}

/** Refusals of a command, whatever shape the service gave them. */
export function errorOf(result: { stdout: string }): Record<string, unknown> & { message: string } {
  return (parsed(result) as { error: Record<string, unknown> & { message: string } }).error;
}
