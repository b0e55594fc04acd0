import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runTyped } from '../helpers/desk.js';
import { paydeskTty, type RunResult } from '../helpers/run.js';
import { startTestSandbox } from '../helpers/sandbox.js';
import { canary, modeOf, temporaryFolder } from './temporary-home.js';

const where = ['--base-url', 'https://payments.example.com/', '--app-id', '7f31c2'];

// The keyring of whoever runs the tests is left alone.
const noKeyring = { DBUS_SESSION_BUS_ADDRESS: undefined, XDG_RUNTIME_DIR: undefined };

/** A home of its own, and paydesk in it. No run may show the key. */
function desk() {
  const home = temporaryFolder();
  const run = async (args: string[], more: { input?: string; env?: Record<string, string> } = {}) => {
    const result = await runTyped(args, { home, ...more });
    expect(result.stdout + result.stderr).not.toContain(canary);
    return result;
  };
  const add = (name: string, kind = '--sandbox') =>
    run(['profiles', 'add', name, ...where, kind, '--api-key-stdin'], { input: `${canary}\n` });
  return { home, run, add };
}

const json = (result: Pick<RunResult, 'stdout'>): unknown => JSON.parse(result.stdout);

describe('profiles add', () => {
  it('reads the key from stdin and says where it is', async () => {
    const { home, add, run } = desk();
    const added = await add('shop-eu', '--live');
    expect(added.code).toBe(0);
    const [file] = readdirSync(join(home, 'keys'));
    expect(added.stdout).toBe(
      [
        'Added shop-eu (live, app 7f31c2) at https://payments.example.com',
        `The API key is in the file ${join(home, 'keys', file!)}.`,
        'It is the default profile.',
        '',
      ].join('\n'),
    );
    expect(readFileSync(join(home, 'keys', file!), 'utf8')).toBe(canary);
    expect(modeOf(join(home, 'keys', file!))).toBe('600');
    expect(modeOf(join(home, 'config.json'))).toBe('600');
    expect(json(await run(['profiles', 'show', 'shop-eu', '--json']))).toMatchObject({
      name: 'shop-eu',
      kind: 'live',
      appId: '7f31c2',
      baseUrl: 'https://payments.example.com',
      isDefault: true,
    });
  });

  it('tries the key, and stores none that the service refuses', async () => {
    const sandbox = await startTestSandbox();
    onTestFinished(() => sandbox.close());
    const { home, run } = desk();
    const app = ['--base-url', sandbox.url, '--app-id', sandbox.app.appId, '--sandbox', '--api-key-stdin'];
    const refused = await run(['profiles', 'add', 'shop', ...app, '--json'], { input: `${canary}\n` });
    expect(json(refused)).toMatchObject({
      error: { exit: 4, httpStatus: 401, message: expect.stringContaining('Nothing was stored.') as unknown },
    });
    expect(refused.code).toBe(4);
    expect(readdirSync(home)).toEqual([]);
    const other = app.map((word) => (word === sandbox.app.appId ? 'another-app' : word));
    expect((await run(['profiles', 'add', 'shop', ...other], { input: sandbox.app.apiKey })).code).toBe(4);
    const added = await run(['profiles', 'add', 'shop', ...app], { input: sandbox.app.apiKey });
    expect(added).toMatchObject({ code: 0, stderr: 'The service accepted the key.\n' });
  });

  it.each([
    ['sandbox', 'live'],
    ['live', 'sandbox'],
  ] as const)('stores no app as %s that the service says is %s', async (said, kind) => {
    const sandbox = await startTestSandbox();
    onTestFinished(() => sandbox.close());
    const { home, run } = desk();
    const { appId, apiKey } = kind === 'live' ? sandbox.live : sandbox.app;
    await sandbox.create({}, { appId, key: apiKey });
    const app = ['--base-url', sandbox.url, '--app-id', appId, '--api-key-stdin'];
    const add = (flag: string) =>
      run(['profiles', 'add', 'shop', ...app, `--${flag}`, '--json'], { input: apiKey });
    const refused = await add(said);
    expect([refused.code, json(refused)]).toEqual([
      4,
      {
        error: {
          code: 'wrong-app',
          exit: 4,
          message: `The profile says that app ${appId} is ${said}, but the service says ${kind}. Nothing was stored. Check --app-id and --${said}.`,
          next: [],
        },
      },
    ]);
    expect(readdirSync(home)).toEqual([]);
    expect((await add(kind)).code).toBe(0);
  });

  it('stores a key that cannot be tried now, and says so', async () => {
    const { run } = desk();
    const app = ['--base-url', 'http://127.0.0.1:9', '--app-id', 'a', '--sandbox', '--api-key-stdin'];
    const added = await run(['profiles', 'add', 'shop', ...app, '--json'], { input: `${canary}\n` });
    expect(added.code).toBe(0);
    expect(json(added)).toMatchObject({ name: 'shop' });
    expect(added.stderr).toContain('The key was not tried: ');
  });

  it('tells everything that is missing or wrong at once, and stores nothing', async () => {
    const { home, run } = desk();
    const refused = await run([
      'profiles',
      'add',
      'a b',
      '--base-url',
      'http://payments.example.com',
      '--json',
    ]);
    expect(refused.code).toBe(2);
    const { error } = json(refused) as { error: { details: { input: string; problem: string }[] } };
    const inputs = error.details.map(({ input }) => input);
    for (const input of ['NAME', '--base-url', '--app-id', '--api-key-stdin', '--live or --sandbox']) {
      expect(inputs).toContain(input);
    }
    expect(JSON.stringify(error)).toContain('use https://payments.example.com');
    expect(readdirSync(home)).toEqual([]);
  });

  it.each([
    ['an empty key', ' \n', 2, 'empty'],
    ['two keys', `${canary}\n${canary}\n`, 2, 'without spaces or line breaks'],
    ['far too much', canary.repeat(100_000), 2, 'without spaces or line breaks'],
  ])('refuses %s on stdin', async (_, input, code, reason) => {
    const { home, run } = desk();
    const args = ['profiles', 'add', 'shop', ...where, '--sandbox', '--api-key-stdin', '--debug'];
    const refused = await run(args, { input });
    expect(refused.code).toBe(code);
    expect(refused.stderr).toContain(reason);
    expect(readdirSync(home)).toEqual([]);
  });

  it.each([[['--api-key', canary]], [[`--api-key=${canary}`]], [['--api-key', canary, '--json']]])(
    'takes no key as a flag and does not repeat it: %j',
    async (flag) => {
      const { home, run } = desk();
      const refused = await run(['profiles', 'add', 'shop', ...where, '--sandbox', ...flag]);
      expect(refused.code).toBe(2);
      expect(refused.stdout + refused.stderr).toContain('--api-key-stdin');
      expect(readdirSync(home)).toEqual([]);
    },
  );

  it('does not repeat a password that was put into the base URL', async () => {
    const { run } = desk();
    const url = `https://ann:${canary}@payments.example.com`;
    const args = [
      'profiles',
      'add',
      'shop',
      '--base-url',
      url,
      '--app-id',
      'a',
      '--sandbox',
      '--api-key-stdin',
    ];
    for (const more of [[], ['--json'], ['--debug']]) {
      const refused = await run([...args, ...more], { input: 'key-of-mine' });
      expect(refused.code).toBe(2);
      expect(refused.stdout + refused.stderr).toContain('user name or password');
    }
  });

  it('refuses a name that is taken and says what to type', async () => {
    const { add } = desk();
    await add('shop');
    const refused = await add('shop');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('paydesk profiles remove shop');
  });

  it('asks on a terminal for what is missing, and hides the key', async () => {
    const { home, run } = desk();
    const terminal = await paydeskTty(['profiles', 'add'], { home, env: noKeyring, columns: 120 });
    onTestFinished(() => terminal.kill());
    await terminal.waitFor('Name of the profile:');
    terminal.type('shop-eu');
    terminal.press('enter');
    await terminal.waitFor('Base URL of the service:');
    terminal.type('http://payments.example.com');
    terminal.press('enter');
    await terminal.waitFor('use https://payments.example.com');
    for (let n = 0; n < 'http://payments.example.com'.length; n++) terminal.press('backspace');
    terminal.type('https://payments.example.com');
    terminal.press('enter');
    await terminal.waitFor('App ID:');
    terminal.type('7f31c2');
    terminal.press('enter');
    await terminal.waitFor('Kind of app:');
    terminal.press('down', 'enter');
    await terminal.waitFor('API key:');
    terminal.type(canary);
    // The key that would show a password elsewhere.
    terminal.type('\u0014');
    terminal.press('enter');
    await terminal.waitFor('Added shop-eu (live, app 7f31c2)');
    expect(await terminal.ended()).toBe(0);
    expect(terminal.raw()).not.toContain(canary);
    const [file] = readdirSync(join(home, 'keys'));
    expect(readFileSync(join(home, 'keys', file!), 'utf8')).toBe(canary);
    expect((await run(['whoami'])).code).toBe(0);
  });

  it('calls nothing missing on a terminal that is asked for there', async () => {
    const args = [
      'profiles',
      'add',
      'shop',
      '--base-url',
      'http://pay.example',
      '--app-id',
      'a',
      '--sandbox',
    ];
    const terminal = await paydeskTty(args, { env: noKeyring });
    onTestFinished(() => terminal.kill());
    expect(await terminal.ended()).toBe(2);
    expect(terminal.text()).toContain('Invalid value.');
    expect(terminal.text()).not.toContain('missing');
  });

  it('leaves nothing behind when the question is left', async () => {
    const { home } = desk();
    const terminal = await paydeskTty(['profiles', 'add', 'shop', ...where, '--sandbox'], {
      home,
      env: noKeyring,
    });
    onTestFinished(() => terminal.kill());
    await terminal.waitFor('API key:');
    terminal.press('ctrl-c');
    expect(await terminal.ended()).toBe(130);
    expect(readdirSync(home)).toEqual([]);
  });

  it('does not read a key from a terminal that would show it', async () => {
    const { home } = desk();
    const args = ['profiles', 'add', 'shop', ...where, '--sandbox', '--api-key-stdin'];
    const terminal = await paydeskTty(args, { home });
    onTestFinished(() => terminal.kill());
    expect(await terminal.ended()).toBe(2);
    expect(terminal.text()).toContain('Leave out --api-key-stdin');
  });
});

describe('profiles list, show, use, remove', () => {
  it('say that there is nothing yet', async () => {
    const { run } = desk();
    const empty = await run(['profiles', 'list']);
    expect([empty.code, empty.stdout]).toEqual([0, '']);
    expect(empty.stderr).toContain('paydesk sandbox start');
    expect(json(await run(['profiles', 'list', '--json']))).toEqual([]);
    expect((await run(['profiles', 'show', 'x'])).code).toBe(4);
  });

  it('follow the default through a pipe, a terminal and JSON', async () => {
    const { home, add, run } = desk();
    await add('shop');
    await add('shop-live', '--live');
    expect((await run(['profiles', 'list', '--columns', 'name,default,kind'])).stdout).toBe(
      'shop\tyes\tsandbox\nshop-live\tno\tlive\n',
    );
    const used = await run(['profiles', 'use', 'shop-live']);
    expect(used.stdout).toBe('shop-live (live, app 7f31c2) is the default profile now.\n');
    expect(json(await run(['profiles', 'list', '--json']))).toMatchObject([
      { name: 'shop', isDefault: false },
      { name: 'shop-live', isDefault: true },
    ]);
    const terminal = await paydeskTty(['profiles', 'list'], { home });
    onTestFinished(() => terminal.kill());
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toMatch(/name +default +kind +app id/);
    expect(terminal.text()).toMatch(/shop-live +yes +live +7f31c2/);

    const removed = await run(['profiles', 'remove', 'shop-live']);
    expect(removed.stdout).toContain('Removed shop-live and its API key.');
    expect(removed.stdout).toContain('there is none now');
    expect(readdirSync(join(home, 'keys'))).toHaveLength(1);
    expect((await run(['whoami'])).code).toBe(4);
    expect(json(await run(['profiles', 'remove', 'shop', '--json']))).toEqual({
      removed: 'shop',
      wasDefault: false,
      default: null,
    });
  });

  it.each(['use', 'show', 'remove', 'alias', 'set'])('%s names the closest profile', async (verb) => {
    const { add, run } = desk();
    await add('shop-eu');
    const more: Record<string, string[]> = { alias: ['A=Held'], set: ['--quiet-period', '5m'] };
    const refused = await run(['profiles', verb, 'shop-ue', ...(more[verb] ?? [])]);
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain('Did you mean shop-eu?');
  });
});

describe('the quiet period', () => {
  it('is 10 minutes unless the profile says otherwise, and can be changed', async () => {
    const { add, run } = desk();
    await add('shop');
    expect(json(await run(['profiles', 'show', 'shop', '--json']))).toMatchObject({ quietMs: 600_000 });
    const changed = await run(['profiles', 'set', 'shop', '--quiet-period', '90s']);
    expect([changed.code, changed.stdout]).toEqual([0, 'shop: the quiet period is 90 seconds.\n']);
    expect((await run(['profiles', 'show', 'shop'])).stdout).toContain('quiet period\t90 seconds\n');
    expect(json(await run(['profiles', 'list', '--json']))).toMatchObject([{ quietMs: 90_000 }]);
    const env = { PAYDESK_QUIET_PERIOD: '3s' };
    expect(json(await run(['whoami', '--json'], { env }))).toMatchObject({
      quietMs: 3_000,
      sources: { quietPeriod: 'environment PAYDESK_QUIET_PERIOD' },
    });
  });

  it('is given when the profile is added', async () => {
    const { run } = desk();
    const words = ['profiles', 'add', 'shop', ...where, '--live', '--quiet-period', '30m', '--api-key-stdin'];
    expect((await run(words, { input: canary })).code).toBe(0);
    expect(json(await run(['whoami', '--json']))).toMatchObject({ quietMs: 1_800_000 });
  });

  it.each(['0s', '999ms', 'soon', '10'])('cannot be %s', async (text) => {
    const { add, run } = desk();
    await add('shop');
    const refused = await run(['profiles', 'set', 'shop', '--quiet-period', text]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--quiet-period')]);
    const env = { PAYDESK_QUIET_PERIOD: text };
    const unusable = await run(['whoami'], { env });
    expect([unusable.code, unusable.stderr]).toEqual([2, expect.stringContaining('PAYDESK_QUIET_PERIOD')]);
    expect(json(await run(['whoami', '--json']))).toMatchObject({ quietMs: 600_000 });
  });

  it('has to be said when something is set', async () => {
    const { add, run } = desk();
    await add('shop');
    const refused = await run(['profiles', 'set', 'shop']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--quiet-period')]);
  });
});

describe('profiles alias', () => {
  it('adds, lists and takes away', async () => {
    const { add, run } = desk();
    await add('shop');
    expect((await run(['profiles', 'alias', 'shop'])).stdout).toBe('shop has no aliases.\n');
    const added = await run(['profiles', 'alias', 'shop', 'OnHold=Held', 'Authorized=Authorised']);
    expect(added.stdout).toBe('OnHold=Held\nAuthorized=Authorised\n');
    await run(['profiles', 'alias', 'shop', 'OnHold=']);
    expect(json(await run(['profiles', 'alias', 'shop', '--json']))).toMatchObject({
      aliases: { Authorized: 'Authorised' },
    });
  });

  it('refuses a state that is none of ours', async () => {
    const { add, run } = desk();
    await add('shop');
    const refused = await run(['profiles', 'alias', 'shop', 'OnHold=Hled']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('Did you mean Held?');
  });
});

describe('whoami', () => {
  it('shows what would be used and from where, and sends nothing', async () => {
    let requests = 0;
    const server = createServer((_, response) => {
      requests += 1;
      response.end();
    }).on('connection', () => (requests += 1));
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    onTestFinished(() => void server.close());
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { run } = desk();
    const args = ['profiles', 'add', 'local', '--base-url', baseUrl, '--app-id', 'app', '--sandbox'];
    await run([...args, '--api-key-stdin'], { input: canary });
    // The key was tried; from here on nothing is.
    requests = 0;
    const three = { PAYDESK_BASE_URL: baseUrl, PAYDESK_APP_ID: 'env-app', PAYDESK_API_KEY: canary };

    const fromStore = await run(['whoami']);
    expect(fromStore.code).toBe(0);
    expect(fromStore.stdout).toMatch(/^profile\tlocal\tdefault profile$/m);
    expect(fromStore.stdout).toMatch(/^api key\tset\tfile .*local-.*\.key$/m);
    expect(fromStore.stderr).toBe('');

    const fromEnvironment = await run(['whoami', '--json', '--debug'], { env: three });
    expect(json(fromEnvironment)).toMatchObject({
      profile: null,
      kind: null,
      appId: 'env-app',
      apiKey: 'set',
      sources: { apiKey: 'environment PAYDESK_API_KEY' },
      shadowed: [{ what: 'default profile local' }],
    });
    expect(fromEnvironment.stderr).toContain('Not used: default profile local');

    const fromFlag = await run(['whoami', '--profile', 'local'], { env: three });
    expect(fromFlag.stdout).toMatch(/^app id\tapp\t/m);
    expect(fromFlag.stderr).toContain('Not used: PAYDESK_API_KEY. It is overridden by --profile local.');
    expect(requests).toBe(0);
  });

  it.each([
    [{ PAYDESK_API_KEY: canary }, 'PAYDESK_BASE_URL and PAYDESK_APP_ID are missing'],
    [{ PAYDESK_PROFILE: 'shpo' }, 'Did you mean shop?'],
  ])('ends with 4 for %j', async (env, reason) => {
    const { add, run } = desk();
    await add('shop');
    for (const more of [[], ['--json'], ['--debug']]) {
      const refused = await run(['whoami', ...more], { env });
      expect(refused.code).toBe(4);
      expect((refused.stdout + refused.stderr).replaceAll(/\s+/g, ' ')).toContain(reason);
    }
  });

  it('says what to type when there is no profile', async () => {
    const refused = await desk().run(['whoami']);
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain('paydesk sandbox start');
    expect(refused.stderr).toContain('paydesk profiles add');
  });

  it('shows the rest when the key is gone, and ends with 4', async () => {
    const { home, add, run } = desk();
    await add('shop');
    rmSync(join(home, 'keys'), { recursive: true });
    const shown = await run(['whoami']);
    expect(shown.code).toBe(4);
    expect(shown.stdout).toContain('api key\tmissing\t');
    expect(shown.stderr).toContain('no longer in');
    expect(json(await run(['whoami', '--json']))).toMatchObject({ apiKey: 'missing' });
  });
});
