import Check from '../../../src/commands/payments/check.js';
import Cancel from '../../../src/commands/payments/cancel.js';
import Capture from '../../../src/commands/payments/capture.js';
import Charge from '../../../src/commands/payments/charge.js';
import Create from '../../../src/commands/payments/create.js';
import Explain from '../../../src/commands/payments/explain.js';
import List from '../../../src/commands/payments/list.js';
import Find from '../../../src/commands/payments/find.js';
import Import from '../../../src/commands/payments/import.js';
import Get from '../../../src/commands/payments/get.js';
import Recheck from '../../../src/commands/payments/recheck.js';
import Refund from '../../../src/commands/payments/refund.js';
import Unhold from '../../../src/commands/payments/unhold.js';
import Watch from '../../../src/commands/payments/watch.js';
import type { SandboxOptions } from '../../../src/sandbox/sandbox.js';
import {
  addFault,
  type DeskOptions,
  type Env,
  envOf,
  makePaid,
  type Ran,
  runCommand,
  temporaryHome,
} from '../../helpers/desk.js';
import {
  eventually,
  newReference,
  type ShownPayment,
  startTestSandbox,
  type TestSandbox,
} from '../../helpers/sandbox.js';

const commands = {
  create: Create,
  charge: Charge,
  get: Get,
  capture: Capture,
  cancel: Cancel,
  refund: Refund,
  unhold: Unhold,
  recheck: Recheck,
  check: Check,
  explain: Explain,
  watch: Watch,
  list: List,
  find: Find,
  import: Import,
};
export type Verb = keyof typeof commands;

const home = temporaryHome();

/** Runs `paydesk payments VERB …` in this process against an app. */
export const payments = (
  env: Env,
  verb: Verb,
  args: Array<string | number>,
  options: DeskOptions = {},
): Promise<Ran> =>
  runCommand(commands[verb], args, { ...options, env: { PAYDESK_HOME: home, ...env, ...options.env } });

export interface TestDesk {
  sandbox: TestSandbox;
  /** As a script: pipes. */
  run(verb: Verb, args: Array<string | number>, options?: DeskOptions): Promise<Ran>;
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
  const sandbox = await startTestSandbox(options);
  const paid: TestDesk['paid'] = (card, fields) => makePaid(sandbox, card, fields);
  return {
    sandbox,
    run: (verb, args, more) => payments(envOf(sandbox), verb, args, more),
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
      const wait = eventually(async () => {
        const { body } = await sandbox.control<Array<{ remaining: number | null }>>('GET', '/faults');
        if (body.some(({ remaining }) => remaining !== null && remaining > 0))
          throw new Error('A fault has not happened yet.');
      });
      void wait.finally(callback);
    },
    requests: () => sandbox.lines.splice(0).map(({ method, path }) => `${method} ${path}`),
  };
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

export { envOf, newReference };
export type { Json, Ran } from '../../helpers/desk.js';
