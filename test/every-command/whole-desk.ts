// A desk on which every command can be run in this process: commands on the service act on a sandbox of the test, those on
// a sandbox on one that `sandbox start` has started.

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { envOf, openTestDesk, type TestDesk } from '../helpers/desk.js';
import { type InProcessOptions, runInProcess } from '../helpers/in-process.js';
import { type Receiver, startReceiver } from '../helpers/sandbox.js';
import { commandClass, serviceCases } from './cases.js';
import { settlementWords } from './settlement.js';

type Words = Array<string | number>;

export interface Case {
  words: Words | ((desk: TestDesk, receiver: Receiver) => Words | Promise<Words>);
  /** What the command has done, as stderr must tell it. Without it the command changes nothing. */
  outcome?: RegExp;
  /** Another exit code, of a command that prints nothing to stdout. */
  exit?: number;
  /** Run first, as usual. */
  before?: Array<[string, ...string[]]>;
}

/** The outcome of commands that have changed something at the service. */
const outcomes: Record<string, RegExp> = {
  'payments:create': /^payment\t\d+/m,
  'payments:charge': /^payment\t\d+/m,
  'payments:capture': /Authorised\tCapturing\taccepted/,
  'payments:cancel': /Authorised\tCancelling\taccepted/,
  'payments:refund': /Captured\tRefunding\taccepted/,
  'payments:unhold': /Held\tCaptur(ing|ed)/,
  'payments:recheck': /Captured/,
  'customers:create': /^customer\tref-/m,
  'customers:update': /\+491701234567/,
  'customers:remove-method': /^Removed method/m,
  'customers:stop-auto-payment': /^Stopped auto-payment/m,
};

const remote: Record<string, Case> = Object.fromEntries(
  Object.entries(serviceCases).map(([name, words]) => [
    name,
    { words, ...(outcomes[name] ? { outcome: outcomes[name] } : {}) },
  ]),
);

const local: Record<string, Case> = {
  'sandbox:start': { words: ['--memory', '--port', 0, '--no-profiles'], outcome: /^sandbox\thttp/m },
  'sandbox:status': { words: [] },
  'sandbox:seed': { words: [], outcome: /seed-captured/ },
  'sandbox:provider': { words: ['seed-processing', 'confirm'], outcome: /seed-processing/ },
  'sandbox:apps': { words: [] },
  'sandbox:apps:list': { words: [] },
  'sandbox:apps:create': { words: ['Another shop'], outcome: /Another shop/ },
  'sandbox:apps:set': { words: ['{app}', '--webhook-url', '{receiver}'], outcome: /hook/ },
  'sandbox:clock': { words: [] },
  'sandbox:clock:show': { words: [] },
  'sandbox:clock:stop': { words: [], outcome: /20\d\d-/ },
  'sandbox:clock:advance': { words: ['1s'], outcome: /20\d\d-/ },
  'sandbox:clock:resume': { words: [], outcome: /20\d\d-/ },
  'sandbox:clock:set': { words: ['2036-01-01T00:00:00Z'], outcome: /2036-01-01/ },
  'sandbox:fault': { words: [], before: [['sandbox:fault:add', 'latency', '--next', '1', '--delay', '1ms']] },
  'sandbox:fault:list': { words: [] },
  'sandbox:fault:add': { words: ['latency', '--next', 1, '--delay', '1ms'], outcome: /latency/ },
  'sandbox:fault:clear': { words: [], outcome: /\d/ },
  'sandbox:pay': { words: ['seed-created', '--card', 'approved'], outcome: /seed-created/ },
  'sandbox:resend': { words: ['seed-created'], outcome: /hook/ },
  'sandbox:books': { words: ['seed-captured'] },
  'sandbox:settlement': { words: ['{home}/settlement.csv', '--defects', 'amount'], outcome: /amount/ },
  'sandbox:export': { words: [] },
  'sandbox:import': {
    words: ['{home}/all.json'],
    outcome: /\d/,
    before: [['sandbox:export', '{home}/all.json']],
  },
  'sandbox:reset': { words: [], outcome: /./ },
  'profiles:add': {
    words: ['shop', '--base-url', 'https://pay.example', '--app-id', 'a1', '--sandbox', '--api-key-stdin'],
    outcome: /shop/,
  },
  'profiles:list': { words: [] },
  'profiles:show': { words: ['shop'] },
  'profiles:set': { words: ['shop', '--quiet-period', '5m'], outcome: /shop/ },
  'profiles:alias': { words: ['shop', 'OnHold=Held'], outcome: /OnHold/ },
  'profiles:use': { words: ['shop'], outcome: /shop/ },
  'profiles:remove': { words: ['shop'], outcome: /shop/ },
  'scenario:run': { words: ['approved-card'] },
  'scenario:list': { words: [] },
  'scenario:show': { words: ['approved-card'] },
  'customers:forget': { words: ['nobody', '--yes'], outcome: /nothing to remove/ },
  'scenario:new': { words: ['{home}/new.yaml', '--name', 'new'] },
  'payments:find': { words: ['c1'] },
  // Its counts go to stderr.
  'payments:import': { words: ['{home}/orders.csv'], exit: 0 },
  reconcile: { words: ['{home}/provider.csv', '--map', '{home}/provider.yaml'], exit: 0 },
  'reconcile:map': {
    words: async () => ['{home}/provider.csv', '--out', `{home}/${randomUUID()}.yaml`, '--yes'],
  },
  'payments:list': { words: [] },
  'payments:resolve': { words: ['x'], exit: 2 },
  history: { words: [] },
  whoami: { words: [] },
  completion: { words: ['bash'] },
  'completion:words': { words: ['bash', 'payments', 'ge'] },
  'ledger:adopt': { words: [], outcome: /./ },
  'ledger:lock-probe': { words: ['{home}/probe.db'] },
  demo: { words: [] },
  'batch:plan': { words: ['{home}/rows.csv', '--action', 'recheck'] },
  'batch:apply': {
    words: ['{home}/plan.json'],
    before: [['batch:plan', '{home}/rows.csv', '--action', 'recheck', '--out', '{home}/plan.json']],
    outcome: /recheck/,
  },
  'batch:status': { words: [] },
  'batch:report': { words: ['{batch}'] },
  'batch:resume': { words: ['{batch}'], outcome: /recheck/ },
  'webhook:listen': { words: ['--port', 0, '--tunnel', 'none', '--json'] },
  'webhook:send': {
    words: async ({ paid }, receiver) => [(await paid()).paymentId, '--to', receiver.url],
    outcome: /200/,
  },
  'webhook:events': { words: [] },
  'webhook:show': { words: [1] },
  'webhook:replay': { words: [1, '--to', '{receiver}'], outcome: /200/ },
  'sandbox:stop': { words: ['--port', 1], outcome: /./ },
  // What is printed is printed by the command that it runs.
  'sandbox:exec': { words: ['--', 'true'], exit: 0 },
  'sandbox:exec-guard': { words: [], exit: 0 },
};

/** Every command, in an order in which it finds what it needs. */
export const wholeCases: Record<string, Case> = { ...remote, ...local };

export interface WholeDesk {
  /** The words of a case, with the names of what is there. */
  filled(words: Case['words']): Promise<string[]>;
  run(
    name: string,
    argv: string[],
    options?: InProcessOptions,
  ): Promise<Awaited<ReturnType<typeof runInProcess>>>;
  close(): Promise<void>;
}

export async function openWholeDesk(): Promise<WholeDesk> {
  const home = mkdtempSync(join(tmpdir(), 'paydesk-whole-'));
  const [desk, receiver] = await Promise.all([openTestDesk(), startReceiver()]);
  writeFileSync(join(home, 'orders.csv'), `payment\n${(await desk.paid()).paymentId}\n`);
  writeFileSync(join(home, 'rows.csv'), `payment\n${(await desk.paid()).paymentId}\n`);
  settlementWords(home);
  const ready = Promise.withResolvers<string>();
  let stopSandbox = () => {};
  const sandboxEnded = runInProcess(
    await commandClass('sandbox:start'),
    ['--memory', '--port', '0', '--json'],
    {
      env: { PAYDESK_HOME: home },
      now: new Date(),
      onStart: (interrupt) => (stopSandbox = interrupt),
      onWrite: (text) => ready.resolve(text),
    },
  );
  const { apps } = JSON.parse(await ready.promise) as { apps: Array<{ appId: string }> };

  /** Commands on a sandbox look for it in the home; the others have their app from the environment. */
  const envFor = (name: string) => ({
    PAYDESK_HOME: home,
    ...(/^(sandbox|profiles):/.test(name) ? {} : envOf(desk.sandbox)),
  });

  const run: WholeDesk['run'] = async (name, argv, options = {}) =>
    runInProcess(await commandClass(name), argv, {
      now: new Date(),
      input: 'sk_test_key\n',
      ...options,
      env: { ...envFor(name), ...options.env },
    });

  async function newestBatch(): Promise<string> {
    const { stdout } = await run('batch:status', ['--json']);
    return (JSON.parse(stdout) as Array<{ id: string }>)[0]!.id;
  }

  return {
    run,
    async filled(words) {
      const texts = (typeof words === 'function' ? await words(desk, receiver) : words).map(String);
      const batch = texts.includes('{batch}') ? await newestBatch() : '';
      const names = { '{receiver}': receiver.url, '{app}': apps[0]!.appId, '{batch}': batch };
      return texts.map((text) =>
        text in names ? names[text as keyof typeof names] : text.replace('{home}', home),
      );
    },
    async close() {
      stopSandbox();
      await sandboxEnded;
      await receiver.close();
      await desk.sandbox.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
