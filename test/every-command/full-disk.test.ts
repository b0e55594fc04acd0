import { closeSync, mkdtempSync, openSync, rmSync, write, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { envOf, openTestDesk, type TestDesk } from '../commands/payments/desk.js';
import type { OutputStream } from '../../src/output/streams.js';
import { runInProcess } from '../helpers/in-process.js';
import { type Receiver, startReceiver } from '../helpers/sandbox.js';
import { commandClass, commandNames, serviceCases } from './cases.js';

// Every command writes to /dev/full, which takes nothing. Commands on the service act on a sandbox of the test, those on
// a sandbox on one that `sandbox start` has started; all of them run in this process.

type Words = Array<string | number>;

interface Case {
  words: Words | ((desk: TestDesk) => Words | Promise<Words>);
  /** What the command has done, as stderr must tell it. Without it the command changes nothing. */
  outcome?: RegExp;
  /** Another exit code, of a command that prints nothing to stdout. */
  exit?: number;
  /** Run first, as usual. */
  before?: Array<[string, ...string[]]>;
}

let desk: TestDesk;
let receiver: Receiver;
let full: number;
let stopSandbox = () => {};
let sandboxEnded: Promise<unknown>;
const home = mkdtempSync(join(tmpdir(), 'paydesk-full-'));
const at = (name: string) => join(home, name);

/** The outcome of commands that have changed something at the service. */
const outcomes: Record<string, RegExp> = {
  'payments:create': /^payment\t\d+/m,
  'payments:charge': /^payment\t\d+/m,
  'payments:capture': /Authorised\tCapturing\taccepted/,
  'payments:cancel': /Authorised\tCancelling\taccepted/,
  'payments:refund': /Captured\tRefunding\taccepted/,
  'payments:unhold': /Held\tCapturing/,
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
  'sandbox:export': { words: [] },
  'sandbox:import': { words: [at('all.json')], outcome: /\d/, before: [['sandbox:export', at('all.json')]] },
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
  'payments:find': { words: ['x'] },
  'payments:import': { words: [at('orders.csv')] },
  'payments:list': { words: [] },
  'payments:resolve': { words: ['x'], exit: 2 },
  history: { words: [] },
  whoami: { words: [] },
  completion: { words: ['bash'] },
  'completion:words': { words: ['bash', 'payments', 'ge'] },
  'ledger:adopt': { words: [], outcome: /./ },
  'ledger:lock-probe': { words: [at('probe.db')] },
  demo: { words: [] },
  'batch:plan': { words: [at('rows.csv'), '--action', 'recheck'] },
  'batch:apply': {
    words: [at('plan.json')],
    before: [['batch:plan', at('rows.csv'), '--action', 'recheck', '--out', at('plan.json')]],
    outcome: /recheck/,
  },
  'batch:status': { words: [] },
  'batch:report': { words: ['{batch}'] },
  'batch:resume': { words: ['{batch}'], outcome: /recheck/ },
  'webhook:listen': { words: ['--port', 0, '--tunnel', 'none', '--json'] },
  'webhook:send': {
    words: async ({ paid }) => [(await paid()).paymentId, '--to', receiver.url],
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

const cases: Record<string, Case> = { ...remote, ...local };

async function filled(words: Case['words']): Promise<string[]> {
  const texts = (typeof words === 'function' ? await words(desk) : words).map(String);
  const batch = texts.includes('{batch}') ? await newestBatch() : '';
  const at = { '{receiver}': receiver.url, '{app}': sandboxApp, '{batch}': batch };
  return texts.map((text) => (text in at ? at[text as keyof typeof at] : text));
}

async function newestBatch(): Promise<string> {
  const { stdout } = await run('batch:status', ['--json']);
  return (JSON.parse(stdout) as Array<{ id: string }>)[0]!.id;
}

let sandboxApp = '';

/** Commands on a sandbox look for it in the home; the others have their app from the environment. */
const envFor = (name: string) => ({
  PAYDESK_HOME: home,
  ...(/^(sandbox|profiles):/.test(name) ? {} : envOf(desk.sandbox)),
});

async function run(name: string, argv: string[], toFull = false) {
  const stdout: OutputStream = {
    write: (text, done) => write(full, text, (error) => done?.(error)),
  };
  return runInProcess(await commandClass(name), argv, {
    env: envFor(name),
    now: new Date(),
    input: 'sk_test_key\n',
    ...(toFull ? { stdout } : {}),
  });
}

beforeAll(async () => {
  full = openSync('/dev/full', 'w');
  desk = await openTestDesk();
  receiver = await startReceiver();
  writeFileSync(at('orders.csv'), `payment\n${(await desk.paid()).paymentId}\n`);
  writeFileSync(at('rows.csv'), `payment\n${(await desk.paid()).paymentId}\n`);
  const ready = Promise.withResolvers<string>();
  sandboxEnded = runInProcess(await commandClass('sandbox:start'), ['--memory', '--port', '0', '--json'], {
    env: { PAYDESK_HOME: home },
    now: new Date(),
    onStart: (interrupt) => (stopSandbox = interrupt),
    onWrite: (text) => ready.resolve(text),
  });
  const { apps } = JSON.parse(await ready.promise) as { apps: Array<{ appId: string }> };
  sandboxApp = apps[0]!.appId;
}, 60_000);

afterAll(async () => {
  stopSandbox();
  await sandboxEnded;
  closeSync(full);
  await receiver.close();
  await desk.sandbox.close();
  rmSync(home, { recursive: true, force: true });
});

it('every command has a case', () => {
  expect(Object.keys(cases).toSorted()).toEqual(commandNames.toSorted());
});

it.each(Object.entries(cases))('%s says that its output is lost', async (name, wanted) => {
  for (const [other, ...words] of wanted.before ?? []) {
    expect(await run(other, words)).toMatchObject({ code: 0 });
  }
  const { code, stderr } = await run(name, await filled(wanted.words), true);
  expect({ code, stderr }).toEqual({ code: wanted.exit ?? 10, stderr: expect.any(String) });
  if (wanted.exit !== undefined) return;
  expect(stderr).toContain('Error: The output could not be written: the disk is full.');
  const [, after = ''] = stderr.split('the disk is full.');
  if (wanted.outcome) expect(after).toMatch(wanted.outcome);
  expect(after.includes('Nothing was changed.')).toBe(wanted.outcome === undefined);
});
