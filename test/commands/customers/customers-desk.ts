import type { AnswerChoices } from '../../../src/sandbox/answers.js';
import { cleanUpAfterFile } from '../../helpers/clean-up.js';
import { type DeskOptions, openTestDesk, type Ran, type TestDesk } from '../../helpers/desk.js';
import type { CommandClass } from '../../helpers/in-process.js';

export interface CustomersDesk extends Omit<TestDesk, 'run' | 'fault'> {
  /** Runs a command against the sandbox app, or the live one. */
  run(Class: CommandClass, argv: string[], options?: DeskOptions & { live?: boolean }): Promise<Ran>;
  /** What was asked of the service since the last call of this, as `METHOD path`. */
  asked(): string[];
  /** Makes the next call of an endpoint, or all that follow, go wrong. */
  fault(kind: string, route: string, more?: Record<string, unknown>): Promise<void>;
  noFaults(): Promise<void>;
}

/** A sandbox that answers in the given way, and a desk that acts on it. */
export async function openCustomersDesk(answers: Partial<AnswerChoices> = {}): Promise<CustomersDesk> {
  const desk = await openTestDesk({ answers });
  const { sandbox } = desk;
  cleanUpAfterFile(() => sandbox.close());
  return {
    ...desk,
    run: (Class, argv, { live, env, ...options } = {}) =>
      desk.run(Class, argv, { ...options, env: { ...(live ? desk.liveEnv : {}), ...env } }),
    asked: () =>
      desk
        .requests()
        .filter((line) => line.includes(' /api/'))
        .map((line) => line.replace(/ \/api\/apps\/[^/]+/, ' ')),
    fault: (kind, route, more = { next: 1 }) => desk.fault({ kind, route, ...more }),
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
  { sandbox }: Pick<CustomersDesk, 'sandbox'>,
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
