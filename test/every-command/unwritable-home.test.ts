import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFlags, envOf, openTestDesk, type TestDesk } from '../helpers/desk.js';
import { newReference, type Receiver, startReceiver } from '../helpers/sandbox.js';
import { runInProcess } from '../helpers/in-process.js';
import { commandClass, commandNames, serviceCases } from './cases.js';
import { settlementWords } from './settlement.js';

/** Nobody can make a folder there, not even root. */
const HOME = '/dev/null/home';

let desk: TestDesk;
let folder: string;
let receiver: Receiver;
beforeAll(async () => {
  desk = await openTestDesk();
  receiver = await startReceiver();
  folder = mkdtempSync(join(tmpdir(), 'paydesk-work-'));
});
afterAll(async () => {
  await receiver.close();
  await desk.sandbox.close();
  rmSync(folder, { recursive: true });
});

type Words = Array<string | number>;
type Case = (desk: TestDesk) => Words | Promise<Words>;
const words =
  (...given: Words): Case =>
  () =>
    given;

/** What is kept in the home is needed for these. */
const needsHome: Record<string, Case> = {
  'payments:charge': serviceCases['payments:charge']!,
  'payments:capture': serviceCases['payments:capture']!,
  'payments:cancel': serviceCases['payments:cancel']!,
  'payments:refund': serviceCases['payments:refund']!,
  'payments:unhold': serviceCases['payments:unhold']!,
  'payments:check': serviceCases['payments:check']!,
  'customers:forget': words('c1', '--yes'),
  'payments:find': words('ana'),
  'payments:import': () => {
    const file = join(folder, 'orders.csv');
    writeFileSync(file, 'payment\n1\n');
    return [file];
  },
  reconcile: () => settlementWords(folder),
  'payments:list': words(),
  'payments:resolve': words('id:1'),
  'batch:plan': () => {
    const file = join(folder, 'rows.csv');
    writeFileSync(file, 'payment\n1\n');
    return [file, '--action', 'refund', '--out', join(folder, 'plan.json')];
  },
  'batch:apply': words('plan.json'),
  'batch:resume': words('b-1'),
  'batch:status': words(),
  'batch:report': words('b-1'),
  history: words(),
  'ledger:adopt': words(),
  'profiles:add': () => [
    'shop',
    '--base-url',
    desk.sandbox.url,
    '--app-id',
    desk.sandbox.app.appId,
    '--sandbox',
    '--api-key-stdin',
  ],
  'profiles:alias': words('shop', 'OnHold=Held'),
  'profiles:use': words('shop'),
  'profiles:remove': words('shop'),
  'sandbox:start': words('--port', 0),
  'webhook:listen': words('--port', 0, '--tunnel', 'none', '--count', 1),
  'webhook:events': words(),
  'webhook:show': words(1),
  'webhook:replay': words(1),
  'webhook:send': async ({ paid }) => [(await paid()).paymentId, '--to', receiver.url],
};

/** Work without a home. */
const needsNone: Record<string, Case> = {
  // Its reference keeps it from being made twice; on a live app it needs the ledger all the same.
  'payments:create': () => createFlags(newReference()),
  'payments:get': serviceCases['payments:get']!,
  'payments:explain': serviceCases['payments:explain']!,
  'payments:watch': serviceCases['payments:watch']!,
  'payments:recheck': serviceCases['payments:recheck']!,
  'customers:create': serviceCases['customers:create']!,
  'customers:get': serviceCases['customers:get']!,
  'customers:list': serviceCases['customers:list']!,
  'customers:find': serviceCases['customers:find']!,
  'customers:update': serviceCases['customers:update']!,
  'customers:methods': serviceCases['customers:methods']!,
  'customers:remove-method': serviceCases['customers:remove-method']!,
  'customers:stop-auto-payment': serviceCases['customers:stop-auto-payment']!,
  'customers:panel-link': serviceCases['customers:panel-link']!,
  api: serviceCases['api']!,
  whoami: words(),
  'profiles:list': words(),
  'scenario:run': words('approved-card'),
  'scenario:list': words(),
  'scenario:show': words('approved-card'),
  'reconcile:map': () => [settlementWords(folder)[0]!, '--out', join(folder, 'map.yaml'), '--yes'],
  'scenario:new': () => [join(folder, 'new.yaml'), '--name', 'new'],
  'scenario:record': serviceCases['scenario:record']!,
  completion: words('bash'),
  'completion:words': words('bash', 'payments'),
  'ledger:lock-probe': () => [join(folder, 'probe.db')],
  'sandbox:stop': words(),
  // These bring a home of their own.
  'sandbox:exec': words('--', 'true'),
  'sandbox:exec-guard': words(),
  demo: words(),
};

const noProfile = { code: 4, told: 'There is no profile "shop".' };
const noSandbox = { code: 1, told: 'No sandbox is running.' };

/** Name a profile or a sandbox of this home, which has none. */
const findsNothing: Record<string, { words: Case; code: number; told: string }> = {
  'profiles:show': { words: words('shop'), ...noProfile },
  'profiles:set': { words: words('shop', '--read-only'), ...noProfile },
  'sandbox:status': { words: words(), ...noSandbox },
  'sandbox:seed': { words: words(), ...noSandbox },
  'sandbox:reset': { words: words(), ...noSandbox },
  'sandbox:export': { words: words(), ...noSandbox },
  'sandbox:settlement': { words: words(), ...noSandbox },
  'sandbox:import': {
    words: () => {
      const file = join(folder, 'contents.json');
      writeFileSync(file, '{}');
      return [file];
    },
    ...noSandbox,
  },
  'sandbox:pay': { words: words(1, '--card', 'approved'), ...noSandbox },
  'sandbox:provider': { words: words(1, 'confirm'), ...noSandbox },
  'sandbox:resend': { words: words(1), ...noSandbox },
  'sandbox:books': { words: words(1), ...noSandbox },
  'sandbox:apps': { words: words(), ...noSandbox },
  'sandbox:apps:list': { words: words(), ...noSandbox },
  'sandbox:apps:create': { words: words('Another shop'), ...noSandbox },
  'sandbox:apps:set': { words: words('app_1', '--blocked'), ...noSandbox },
  'sandbox:clock': { words: words(), ...noSandbox },
  'sandbox:clock:show': { words: words(), ...noSandbox },
  'sandbox:clock:stop': { words: words(), ...noSandbox },
  'sandbox:clock:resume': { words: words(), ...noSandbox },
  'sandbox:clock:advance': { words: words('1s'), ...noSandbox },
  'sandbox:clock:set': { words: words('2036-01-01'), ...noSandbox },
  'sandbox:fault': { words: words(), ...noSandbox },
  'sandbox:fault:list': { words: words(), ...noSandbox },
  'sandbox:fault:add': { words: words('latency', '--next', 1, '--delay', '1ms'), ...noSandbox },
  'sandbox:fault:clear': { words: words(), ...noSandbox },
};

it('every command has a case', () => {
  const covered = [needsHome, needsNone, findsNothing].flatMap((cases) => Object.keys(cases));
  expect([...covered, 'doctor'].toSorted()).toEqual(commandNames.toSorted());
});

async function run(name: string, make: Case, more: Record<string, string> = {}) {
  const argv = (await make(desk)).map(String);
  const env = { ...envOf(desk.sandbox), PAYDESK_HOME: HOME, ...more };
  const Class = await commandClass(name);
  desk.requests();
  return runInProcess(Class, argv, {
    env,
    input: desk.sandbox.app.apiKey,
    terminal: name === 'payments:resolve',
    now: new Date(),
  });
}

describe('a home that cannot be written', () => {
  it.each(Object.keys(needsHome))('%s names it and ends with 4, and nothing has changed', async (name) => {
    const ran = await run(name, needsHome[name]!);
    const told = ran.stderr.replaceAll(/\s+/g, ' ');
    expect({ code: ran.code, told }).toEqual({ code: 4, told: expect.stringContaining(HOME) as string });
    expect(told).toContain('cannot be written: a part of its path is not a folder');
    expect(told).toContain('Set PAYDESK_HOME to a folder that you can write.');
    expect(told).not.toContain('a bug');
    expect(desk.requests().filter((line) => !line.startsWith('GET '))).toEqual([]);
  });

  it.each(Object.keys(needsNone))('%s works', async (name) => {
    const { code, stderr } = await run(name, needsNone[name]!);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) as string });
  });

  it.each(Object.entries(findsNothing))('%s says what is not there', async (name, { words, code, told }) => {
    const ran = await run(name, words);
    expect(ran).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(told) as string });
    expect(ran.stderr).not.toContain('a bug');
  });

  it('doctor names it and fails', async () => {
    const { code, stdout } = await run('doctor', words('--json'));
    expect(code).toBe(1);
    expect(stdout).toContain('cannot be written: a part of its path is not a folder');
  });

  it.each(['payments:get', 'whoami'])('%s without an app in the environment names it', async (name) => {
    const none = { PAYDESK_BASE_URL: '', PAYDESK_APP_ID: '', PAYDESK_API_KEY: '' };
    const { code, stderr } = await run(name, words(...(name === 'whoami' ? [] : ['a1'])), none);
    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining(HOME) as string });
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain('cannot be written: a part of its path is not a folder');
  });

  it('a live app needs it for a charge as well', async () => {
    const confirm = ['--confirm', desk.sandbox.live.appId];
    const make = () => [...createFlags(newReference()), ...confirm];
    const ran = await run('payments:create', make, envOf(desk.sandbox, 'live'));
    expect(ran).toMatchObject({ code: 4, stderr: expect.stringContaining('Nothing was sent.') as string });
    expect(desk.requests().filter((line) => !line.startsWith('GET '))).toEqual([]);
  });
});

describe('a home that cannot be looked into', () => {
  let home: Record<string, string>;
  beforeAll(() => {
    // As with a folder of somebody else, asking whether a file is there fails; root may look into every folder.
    symlinkSync('loop', join(folder, 'loop'));
    home = { PAYDESK_HOME: join(folder, 'loop', 'home') };
  });

  // The last two write to a folder of their own choice, and did so above.
  const others = ['profiles:list', 'reconcile:map', 'scenario:new'];
  const working = Object.keys(needsNone).filter((name) => !others.includes(name));
  it.each(working)('%s works', async (name) => {
    const { code, stderr } = await run(name, needsNone[name]!, home);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) as string });
  });

  const needing = { ...needsHome, 'profiles:list': words() };
  it.each(Object.entries(needing))('%s names it and ends with 4', async (name, make) => {
    const { code, stderr } = await run(name, make, home);
    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining('loop') as string });
    expect(stderr).not.toContain('a bug');
  });

  it('doctor names it and fails', async () => {
    const { code, stdout } = await run('doctor', words('--json'), home);
    expect(code).toBe(4);
    expect(stdout).toContain('config.json cannot be read: its links lead in a circle');
    expect(stdout).not.toContain('a bug');
  });
});
