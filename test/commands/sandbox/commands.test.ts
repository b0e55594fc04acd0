import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { cardNames } from '../../../src/sandbox/domain/cards.js';
import { faultKindNames } from '../../../src/sandbox/domain/faults.js';
import { paydeskTty } from '../../helpers/run.js';
import { createHome, createPayment, type Home, type SandboxProcess } from './processes.js';

let home: Home;
let sandbox: SandboxProcess;
beforeAll(async () => {
  home = await createHome();
  sandbox = await home.start('--memory', '--seed', '7');
});
afterAll(() => home.remove());

interface Failure {
  error: { code: string; message: string; exit: number; next: string[]; details?: unknown };
}

const failure = async (args: string[], code: number) =>
  (await home.json<Failure>(['sandbox', ...args], code)).error;

/** What a terminal shows, and the exit code. */
async function terminal(...args: string[]): Promise<string> {
  const tty = await paydeskTty(['sandbox', ...args], { home: home.path });
  expect(await tty.ended()).toBe(0);
  return tty.text();
}

async function pipe(...args: string[]): Promise<string> {
  const { stdout, stderr, code } = await home.run(['sandbox', ...args]);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  return stdout;
}

async function control(method: string, path: string, body?: unknown): Promise<void> {
  const answer = await fetch(`${sandbox.ready.url}/_sandbox${path}`, {
    method,
    headers: { authorization: `Bearer ${sandbox.ready.controlToken}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(answer.ok).toBe(true);
}

describe('pay', () => {
  beforeEach(() => control('POST', '/reset'));

  test('shows the payment, and where it came from', async () => {
    for (const reference of ['inv-1', 'inv-2', 'inv-3']) await createPayment(sandbox.ready, reference);
    expect(await terminal('pay', 'inv-1')).toMatch(
      /^Payment 100001 {3}inv-1 +Captured\n[\s\S]+EUR 49\.90[\s\S]+\n {2}Created → Captured\n$/,
    );
    expect(await pipe('pay', '100002', '--card', 'declined')).toMatch(
      /^payment\t100002\nreference\tinv-2\nstate\tDeclined\n/,
    );
    const payment = await home.json(['sandbox', 'pay', 'ref:inv-3', '--card', 'three-d-secure']);
    expect(payment).toMatchObject({ referenceId: 'inv-3', paymentState: 'ActionRequired', amount: 49.9 });
    const challenged = await home.json(['sandbox', 'pay', 'id:100003', '--challenge', 'passed']);
    expect(challenged).toMatchObject({ paymentState: 'Captured' });
  });

  test('a method, a provider profile, and a method that is stored', async () => {
    await createPayment(sandbox.ready, 'inv-1');
    const chosen = ['--method', 'Paypal', '--provider-profile', '4', '--save-method'];
    const payment = await home.json<{ payInfo: unknown }>(['sandbox', 'pay', 'inv-1', ...chosen]);
    expect(payment.payInfo).toMatchObject({ paymentProfile: { paymentProfileId: 4 } });
    const [shop] = sandbox.ready.apps;
    const methods = await fetch(
      `${sandbox.ready.url}/api/apps/${shop!.appId}/customers/c_881/payment-methods`,
      {
        headers: { authorization: `Bearer ${shop!.apiKey}` },
      },
    );
    expect(await methods.json()).toMatchObject([{ paymentMethodType: 'Paypal', paymentProfileId: 4 }]);
  });

  test('the reference is looked for in the app of the profile, then in the others', async () => {
    const [shop, live] = sandbox.ready.apps;
    await createPayment(sandbox.ready, 'both', shop);
    await createPayment(sandbox.ready, 'both', live);
    await createPayment(sandbox.ready, 'live-only', live);
    const pay = ['sandbox', 'pay'];
    expect(await home.json([...pay, 'both'])).toMatchObject({ appId: shop!.appId });
    expect(await home.json([...pay, 'both', '--profile', 'local-live'])).toMatchObject({
      appId: live!.appId,
    });
    expect(await home.json([...pay, 'live-only'])).toMatchObject({ appId: live!.appId });
    expect(await failure(['pay', 'live-only', '--profile', 'local'], 1)).toMatchObject({ code: 'not-found' });
  });

  test('what cannot be: an unknown payment, card or profile, a payment that is paid', async () => {
    expect(await failure(['pay', 'nothing'], 1)).toMatchObject({
      code: 'not-found',
      message: 'The sandbox has no payment nothing.',
    });
    const { details } = await failure(['pay', 'inv-1', '--card', 'aproved'], 2);
    expect(details).toEqual([
      {
        input: '--card',
        value: 'aproved',
        problem: `one of ${cardNames.join(', ')}; did you mean approved?`,
      },
    ]);
    await createPayment(sandbox.ready, 'inv-1');
    expect((await failure(['pay', 'inv-1', '--method', 'Cash'], 2)).details).toMatchObject([
      { input: '--method' },
    ]);
    expect((await failure(['pay', 'inv-1', '--provider-profile', '99'], 2)).details).toMatchObject([
      { input: '--provider-profile' },
    ]);
    await home.json(['sandbox', 'pay', 'inv-1']);
    expect(await failure(['pay', 'inv-1'], 1)).toMatchObject({ code: 'operation-not-allowed' });
    expect((await failure(['pay', 'inv-1', '--profile', 'nobody'], 4)).code).toBe('profile-unknown');
  });
});

test('status', async () => {
  await control('POST', '/reset');
  const shown = await terminal('status');
  expect(shown).toMatch(/^Sandbox http:\S+ +running\n/);
  expect(shown).toMatch(/Database +in memory\n/);
  expect(shown).toContain(`  See:   ${sandbox.ready.consoleUrl}\n`);
  expect(await pipe('status')).toMatch(
    new RegExp(`^sandbox\t${sandbox.ready.url}\nstate\trunning\n[\\s\\S]+\npayments\t0\n`),
  );
  expect(await home.json(['sandbox', 'status'])).toMatchObject({
    url: sandbox.ready.url,
    pid: sandbox.pid,
    payments: 0,
    clock: { stopped: false },
    consoleUrl: sandbox.ready.consoleUrl,
  });
});

describe('seed, reset, export and import', () => {
  beforeEach(() => control('POST', '/reset'));

  test('seed adds a payment in every state, once', async () => {
    expect(await terminal('seed')).toBe(
      'Added 20 payments: one in every state, and several that are stuck.\n',
    );
    expect(await terminal('seed')).toBe('The ready-made set is there already.\n');
    expect(await pipe('seed')).toBe('seeded\t0\n');
    await control('POST', '/reset');
    expect(await home.json(['sandbox', 'seed'])).toEqual({ payments: 20 });
  });

  test('reset asks on a terminal, and not in a script', async () => {
    await control('POST', '/seed');
    const no = await paydeskTty(['sandbox', 'reset'], { home: home.path });
    await no.waitFor(`Empty the sandbox at ${sandbox.ready.url}? 20 payments will be lost.`);
    no.type('n');
    no.press('enter');
    expect(await no.ended()).toBe(130);
    expect(no.text()).toContain('Nothing was changed.');
    expect(await home.json(['sandbox', 'status'])).toMatchObject({ payments: 20 });
    const yes = await paydeskTty(['sandbox', 'reset'], { home: home.path });
    await yes.waitFor('will be lost');
    yes.type('y');
    yes.press('enter');
    await yes.waitFor('The sandbox is empty again; 20 payments gone.');
    expect(await yes.ended()).toBe(0);
    expect(await pipe('reset')).toBe('reset\t0\n');
    expect(await home.json(['sandbox', 'reset'])).toEqual({ reset: true, payments: 0 });
    const [{ appId }] = await home.json<[{ appId: string }]>(['sandbox', 'apps']);
    expect(appId).toBe(sandbox.ready.apps[0]!.appId);
  });

  test('what was exported can be imported, and is the same again', async () => {
    await control('POST', '/seed');
    await control('POST', '/clock', { action: 'stop' });
    const file = join(home.path, 'all.json');
    expect(await terminal('export', file)).toMatch(/^Wrote \S+all\.json \([\d,]+ bytes\)/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const document = readFileSync(file, 'utf8');
    expect(await pipe('export')).toBe(document);
    expect(await home.json(['sandbox', 'export'])).toEqual(JSON.parse(document));
    await control('POST', '/reset');
    expect(await pipe('import', file)).toBe('imported\t20\t4\n');
    expect(await pipe('export', '-')).toBe(document);
    const fromStdin = await home.run(['sandbox', 'import', '-', '--json'], document);
    expect(JSON.parse(fromStdin.stdout)).toEqual({ imported: true, payments: 20, customers: 4 });
    expect(await terminal('import', file)).toBe('The sandbox now holds 20 payments of 4 customers.\n');
  });

  test('a document or file that cannot be used changes nothing', async () => {
    await control('POST', '/seed');
    const file = join(home.path, 'bad.json');
    writeFileSync(file, '{"format":"paydesk-sandbox-1","tables":{}}');
    expect((await failure(['import', file], 2)).message).toContain('not an export of a sandbox');
    expect(await failure(['import', join(home.path, 'none.json')], 2)).toMatchObject({ code: 'bad-file' });
    expect(await failure(['export', home.path], 2)).toMatchObject({ code: 'bad-file' });
    expect((await failure(['import'], 2)).details).toMatchObject([{ input: 'FILE' }]);
    expect(await home.json(['sandbox', 'status'])).toMatchObject({ payments: 20 });
  });
});

test('clock', async () => {
  await control('POST', '/reset');
  const iso = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;
  expect(await terminal('clock')).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}running\n$/);
  expect(await pipe('clock', 'show')).toMatch(new RegExp(`^${iso}\trunning\n$`));
  const { now } = await home.json<{ now: string }>(['sandbox', 'clock', 'stop']);
  const later = (days: number) => new Date(Date.parse(now) + days * 86_400_000).toISOString();
  expect(await home.json(['sandbox', 'clock', 'advance', '7d'])).toEqual({ now: later(7), stopped: true });
  expect(await terminal('clock', 'advance', '24h')).toMatch(/stopped {2}\(8 days ahead\)\n$/);
  expect(await pipe('clock', 'set', later(30))).toBe(`${later(30)}\tstopped\n`);
  expect(await pipe('clock', 'resume')).toMatch(new RegExp(`^${iso}\trunning\n$`));
  expect(await failure(['clock', 'set', '2020-01-01'], 2)).toMatchObject({
    details: [{ input: 'the time', problem: expect.stringContaining('would turn the clock back') }],
  });
  expect((await failure(['clock', 'set', '24h'], 2)).details).toMatchObject([
    { problem: expect.stringContaining('paydesk sandbox clock advance 24h') },
  ]);
  expect((await failure(['clock', 'advance', 'soon'], 2)).details).toMatchObject([{ input: 'DURATION' }]);
  await control('POST', '/reset');
});

describe('fault', () => {
  beforeEach(() => control('DELETE', '/faults'));

  test('add, list and clear', async () => {
    expect(await terminal('fault', 'add', 'latency', '--delay', '3s', '--route', 'get')).toMatch(
      /^Fault \d+: latency, get, strikes every one \(delay 3\.0 s\)\.\n$/,
    );
    const limit = ['rate-limit', '--probability', '0.25', '--retry-after', '2s'];
    const fault = await home.json<{ id: number }>(['sandbox', 'fault', 'add', ...limit]);
    expect(fault).toMatchObject({ kind: 'rate-limit', route: '*', probability: 0.25, retryAfterS: 2 });
    expect(await terminal('fault')).toMatch(/rate-limit +everywhere +25 % of them +0 +retry after 2 s/);
    expect(await pipe('fault', 'list', '--columns', 'kind,route,strikes')).toBe(
      'latency\tget\tevery one\nrate-limit\t*\t25 % of them\n',
    );
    expect(await home.json<unknown[]>(['sandbox', 'fault'])).toHaveLength(2);
    expect(await pipe('fault', 'clear', String(fault.id))).toBe('cleared\t1\n');
    expect(await terminal('fault', 'clear')).toBe('Cleared 1 fault.\n');
    expect(await home.json(['sandbox', 'fault', 'clear'])).toEqual({ cleared: 0 });
    const none = await home.run(['sandbox', 'fault', 'list']);
    expect(none).toMatchObject({
      stdout: '',
      code: 0,
      stderr: expect.stringContaining('There are no faults.'),
    });
  });

  test('one that strikes once is used up', async () => {
    const once = ['error-after-commit', '--route', 'create', '--next', '1', '--status', '502'];
    await home.json(['sandbox', 'fault', 'add', ...once]);
    expect((await createPayment(sandbox.ready, `fault-${Date.now()}`)).status).toBe(502);
    expect((await createPayment(sandbox.ready, `fault-${Date.now()}`)).status).toBe(201);
    expect(await terminal('fault')).toMatch(/error-after-commit +create +used up +1 +status 502/);
  });

  test('what cannot be: an unknown kind, route or id, and bad values', async () => {
    expect((await failure(['fault', 'add', 'latancy'], 2)).details).toEqual([
      {
        input: 'KIND',
        value: 'latancy',
        problem: `one of ${faultKindNames.join(', ')}; did you mean latency?`,
      },
    ]);
    expect((await failure(['fault', 'add', 'latency', '--route', 'x'], 2)).details).toMatchObject([
      { input: '--route', problem: expect.stringContaining('must be one of *, capture') },
    ]);
    const values = ['--next', '0', '--probability', '2', '--status', '404', '--delay', 'long'];
    const { details } = await failure(['fault', 'add', 'latency', ...values], 2);
    const inputs = (details as Array<{ input: string }>).map(({ input }) => input);
    expect(new Set(inputs)).toEqual(new Set(['--next', '--probability', '--status', '--delay']));
    expect(await failure(['fault', 'clear', '999'], 1)).toMatchObject({ message: 'There is no fault 999.' });
  });
});

test('books', async () => {
  await control('POST', '/reset');
  await control('POST', '/seed');
  expect(await terminal('books', 'seed-refunded')).toBe(
    '  instruction  told  done\n' +
      '  authorize       1     1\n' +
      '  capture         1     1\n' +
      '  refund          1     1\n' +
      '  void            0     0\n',
  );
  expect(await pipe('books', 'seed-captured')).toBe(
    'authorize\t1\t1\ncapture\t1\t1\nrefund\t0\t0\nvoid\t0\t0\n',
  );
  expect(await home.json(['sandbox', 'books', 'seed-captured'])).toEqual({
    paymentId: expect.any(Number),
    authorize: { told: 1, done: 1 },
    capture: { told: 1, done: 1 },
    refund: { told: 0, done: 0 },
    void: { told: 0, done: 0 },
  });
  expect((await home.run(['sandbox', 'books', 'seed-captured', '--jq', '.capture.done'])).stdout).toBe('1\n');
  expect(await failure(['books', 'id:1'], 1)).toMatchObject({ code: 'not-found' });
});

describe('apps', () => {
  beforeEach(() => control('POST', '/reset'));
  const appId = () => sandbox.ready.apps[0]!.appId;

  test('list shows provider profiles and fraud policies', async () => {
    const shown = await terminal('apps');
    expect(shown).toMatch(new RegExp(`^App ${appId()} {3}Sandbox shop +sandbox\n`));
    expect(shown).toMatch(/5 {2}Slowbank +CreditCard, window 3 days, answers after 1 minute\n/);
    expect(shown).toMatch(/Policies +1 {2}Allow all\n/);
    expect(shown).not.toContain('sk_sandbox');
    expect(Math.max(...shown.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect((await pipe('apps', 'list')).split('\n')[0]).toMatch(
      new RegExp(`^${appId()}\tSandbox shop\tsandbox\tno\t\t\t1 Northbank CreditCard; .*\t1 Allow all; `),
    );
    expect(await pipe('apps', 'list', '--columns', 'app,key', '--csv')).toContain(
      `${appId()},${sandbox.ready.apps[0]!.apiKey}\n`,
    );
    expect(await home.json(['sandbox', 'apps'])).toMatchObject(sandbox.ready.apps);
  });

  test('create makes one with a key of its own', async () => {
    const shown = await terminal('apps', 'create', 'Second shop');
    expect(shown).toMatch(/^App app_\w+ {3}Second shop +sandbox\n {2}Key +sk_sandbox_\w+\n/);
    expect(shown).toContain('paydesk profiles add NAME');
    expect(await pipe('apps', 'create', 'Third')).toMatch(
      /^app\tapp_\w+\nreference\tThird\nstate\tsandbox\nkey\tsk_/,
    );
    const live = await home.json(['sandbox', 'apps', 'create', 'Fourth', '--live']);
    expect(live).toMatchObject({
      friendlyName: 'Fourth',
      isSandbox: false,
      apiKey: expect.stringMatching(/^sk_live_/),
    });
    expect((await failure(['apps', 'create', ' '], 2)).details).toMatchObject([{ input: 'NAME' }]);
  });

  test('set changes what was named, and nothing else', async () => {
    const set = (...flags: string[]) => home.json(['sandbox', 'apps', 'set', appId(), ...flags]);
    const url = 'http://127.0.0.1:3000/hooks';
    expect(await set('--webhook-url', url, '--fraud-policy', '2')).toMatchObject({
      webhookUrl: url,
      fraudPolicyId: 2,
    });
    expect(await set('--blocked')).toMatchObject({ isBlocked: true, webhookUrl: url, fraudPolicyId: 2 });
    expect(await terminal('apps', 'set', appId(), '--no-blocked')).toContain('Hold above 100  (of this app)');
    expect(await set('--no-webhook', '--no-fraud-policy')).toMatchObject({
      isBlocked: false,
      webhookUrl: null,
      fraudPolicyId: null,
    });
    const changed = await set(
      '--provider-profile',
      '5',
      '--no-active',
      '--window',
      '2d',
      '--answer-delay',
      '0',
    );
    const profile = (changed['profiles'] as Array<{ paymentProfileId: number }>).find(
      (one) => one.paymentProfileId === 5,
    );
    expect(profile).toMatchObject({ isActive: false, windowMs: 172_800_000, delayMs: 0 });
    expect(await pipe('apps', 'set', appId(), '--provider-profile', '5', '--active')).toMatch(/^app\tapp_/);
  });

  test('what cannot be: nothing to change, another app, ids of others, contradictions', async () => {
    const set = (code: number, ...flags: string[]) => failure(['apps', 'set', ...flags], code);
    expect((await set(2, appId())).message).toBe('There is nothing to change.');
    expect((await set(2, appId(), '--provider-profile', '1')).message).toContain('needs what to change');
    expect((await set(1, 'app_none', '--blocked')).message).toBe('There is no app app_none.');
    expect((await set(2, appId(), '--fraud-policy', '99')).details).toMatchObject([
      { input: '--fraud-policy' },
    ]);
    expect((await set(2, appId(), '--provider-profile', '99', '--active')).details).toMatchObject([
      { input: '--provider-profile' },
    ]);
    expect(
      (await set(2, appId(), '--window', '2d', '--webhook-url', 'x', '--no-webhook')).details,
    ).toHaveLength(3);
  });
});

test('every command has a summary, examples and --help', async () => {
  const manifest = JSON.parse(
    readFileSync(new URL('../../../oclif.manifest.json', import.meta.url), 'utf8'),
  ) as {
    commands: Record<string, { summary?: string; examples?: string[] }>;
  };
  const ours = Object.entries(manifest.commands).filter(([id]) => id.startsWith('sandbox:'));
  expect(ours.length).toBeGreaterThanOrEqual(22);
  for (const [id, { summary, examples }] of ours) {
    expect({ id, summary, examples: examples?.length }).toEqual({
      id,
      summary: expect.any(String),
      examples: expect.any(Number),
    });
    expect(examples!.length, id).toBeGreaterThanOrEqual(2);
  }
  const help = await home.run(['sandbox', 'fault', 'add', '--help']);
  for (const kind of faultKindNames) expect(help.stdout).toContain(kind);
});

test('without a sandbox every command says what to type', async () => {
  const empty = await createHome();
  try {
    for (const args of [
      ['pay', 'x'],
      ['status'],
      ['seed'],
      ['clock'],
      ['fault'],
      ['books', 'x'],
      ['apps'],
      ['export'],
    ]) {
      const { stderr, code } = await empty.run(['sandbox', ...args]);
      expect({ stderr, code }).toEqual({
        stderr: 'Error: No sandbox is running.\n\n  Next:  paydesk sandbox start\n',
        code: 1,
      });
    }
  } finally {
    await empty.remove();
  }
});
