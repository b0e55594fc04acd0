import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPerson, type Person } from './person.js';
import { createHome } from './processes.js';

let person: Person;
beforeAll(async () => {
  const home = await createHome();
  person = createPerson(home, await home.serve('--memory', '--seed', '7', '--webhook-host', 'hooks.example'));
});
afterAll(() => person.home.remove());

describe('apps', () => {
  beforeEach(() => person.control('POST', '/reset'));
  const appId = () => person.sandbox.ready.apps[0]!.appId;

  test('list shows provider profiles and fraud policies', async () => {
    const shown = await person.terminal('apps');
    expect(shown).toMatch(new RegExp(`^App ${appId()} {3}Sandbox shop +sandbox\n`));
    expect(shown).toMatch(/5 {2}Slowbank +CreditCard, window 3 days, answers after 1\n +minute\n/);
    expect(shown).toMatch(/Policies +1 {2}Allow all\n/);
    expect(shown).not.toContain('sk_sandbox');
    expect(Math.max(...shown.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect((await person.pipe('apps', 'list')).split('\n')[0]).toMatch(
      new RegExp(`^${appId()}\tSandbox shop\tsandbox\tno\t\t\t1 Northbank CreditCard; .*\t1 Allow all; `),
    );
    expect(await person.pipe('apps', 'list', '--columns', 'app,key', '--csv')).toContain(
      `${appId()},${person.sandbox.ready.apps[0]!.apiKey}\n`,
    );
    expect(await person.json('apps')).toMatchObject(person.sandbox.ready.apps);
  });

  test('create makes one with a key of its own', async () => {
    const shown = await person.terminal('apps', 'create', 'Second shop');
    expect(shown).toMatch(/^App app_\w+ {3}Second shop +sandbox\n {2}Key +sk_sandbox_\w+\n/);
    expect(shown).toContain('paydesk profiles add NAME');
    const piped = await person.pipe('apps', 'create', 'Third');
    expect(piped).toMatch(
      /^app\tapp_\w+\nname\tThird\nkind\tsandbox\nblocked\tno\nkey\tsk_sandbox_\w+\nprofiles\t\d+ Northbank CreditCard, window /,
    );
    expect(piped).toMatch(/\npolicies\t\d+ Allow all\n/);
    expect(piped).not.toMatch(/ {2}|\t /);
    const live = await person.json('apps', 'create', 'Fourth', '--live');
    expect(live).toMatchObject({
      friendlyName: 'Fourth',
      isSandbox: false,
      apiKey: expect.stringMatching(/^sk_live_/),
    });
    expect((await person.failure(2, 'apps', 'create', ' ')).details).toMatchObject([{ input: 'NAME' }]);
  });

  test('set changes what was named, and nothing else', async () => {
    const set = (...flags: string[]) => person.home.json(['sandbox', 'apps', 'set', appId(), ...flags]);
    const url = 'http://127.0.0.1:3000/hooks';
    expect(await set('--webhook-url', url, '--fraud-policy', '2')).toMatchObject({
      webhookUrl: url,
      fraudPolicyId: 2,
    });
    expect(await set('--blocked')).toMatchObject({ isBlocked: true, webhookUrl: url, fraudPolicyId: 2 });
    expect(await person.pipe('apps', 'set', appId(), '--fraud-policy', '2')).toMatch(
      /\nkind\tsandbox\nblocked\tyes\nwebhook\thttp:\S+\n(.*\n)+policies\t2 Hold above 100 \(of this app\)\n/,
    );
    expect(await person.terminal('apps', 'set', appId(), '--no-blocked')).toContain(
      'Hold above 100  (of this app)',
    );
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
    expect(await person.pipe('apps', 'set', appId(), '--provider-profile', '5', '--active')).toMatch(
      /^app\tapp_/,
    );
  });

  test('set warns of a webhook address that the sandbox sends nothing to', async () => {
    const set = (url: string) => person.home.run(['sandbox', 'apps', 'set', appId(), '--webhook-url', url]);
    expect(await set('https://x.example/hook')).toMatchObject({
      code: 0,
      stderr:
        'Warning: the sandbox does not send webhooks to x.example, only to this machine. To allow it, start the sandbox with --webhook-host x.example.\n',
    });
    expect(await set('http://localhost:3000/hook')).toMatchObject({ code: 0, stderr: '' });
    expect(await set('https://hooks.example/hook')).toMatchObject({ code: 0, stderr: '' });
  });

  test('what cannot be: nothing to change, another app, ids of others, contradictions', async () => {
    const set = (code: number, ...flags: string[]) => person.failure(code, 'apps', 'set', ...flags);
    expect((await set(2, appId())).message).toBe('Nothing to change: use at least one option.');
    expect((await set(2, appId(), '--provider-profile', '1')).message).toContain('needs at least one');
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
