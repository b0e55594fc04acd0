import { commandText, paydesk } from '../../src/next-command.js';
import { describe, expect, it } from 'vitest';
import { ProfileError, UsageError } from '../../src/errors.js';
import type { Environment } from '../../src/child-environment.js';
import { resolveProfile } from '../../src/profiles/resolve.js';
import { Secret } from '../../src/profiles/secret.js';
import { mkdirSync, writeFileSync } from 'node:fs';
import { canary, newProfile, temporaryStore } from './temporary-home.js';

const three = {
  PAYDESK_BASE_URL: 'https://env.example.com/',
  PAYDESK_APP_ID: 'env-app',
  PAYDESK_API_KEY: 'env-key',
};
const names = 'PAYDESK_BASE_URL, PAYDESK_APP_ID, PAYDESK_API_KEY';

/** A store with `shop` (the default) and `shop-live`. */
async function twoProfiles() {
  const made = temporaryStore();
  await made.store.add(newProfile('shop', { apiKey: new Secret('shop-key') }));
  await made.store.add(newProfile('shop-live', { kind: 'live', apiKey: new Secret('live-key') }));
  return made;
}

describe('resolveProfile', () => {
  const table: {
    what: string;
    flag?: string;
    env: Environment;
    name?: string;
    key: string;
    from: string;
    shadowed: string[];
  }[] = [
    { what: 'nothing', env: {}, name: 'shop', key: 'shop-key', from: 'default profile', shadowed: [] },
    {
      what: 'the flag',
      flag: 'shop-live',
      env: {},
      name: 'shop-live',
      key: 'live-key',
      from: '--profile',
      shadowed: [],
    },
    {
      what: 'PAYDESK_PROFILE',
      env: { PAYDESK_PROFILE: 'shop-live' },
      name: 'shop-live',
      key: 'live-key',
      from: 'environment PAYDESK_PROFILE',
      shadowed: ['default profile shop by PAYDESK_PROFILE=shop-live'],
    },
    {
      what: 'PAYDESK_PROFILE with the default',
      env: { PAYDESK_PROFILE: 'shop' },
      name: 'shop',
      key: 'shop-key',
      from: 'environment PAYDESK_PROFILE',
      shadowed: [],
    },
    {
      what: 'the three',
      env: three,
      key: 'env-key',
      from: 'environment',
      shadowed: [`default profile shop by ${names}`],
    },
    {
      what: 'the three and PAYDESK_PROFILE',
      env: { ...three, PAYDESK_PROFILE: 'shop-live' },
      key: 'env-key',
      from: 'environment',
      shadowed: [`PAYDESK_PROFILE by ${names}`],
    },
    {
      what: 'the flag and the three',
      flag: 'shop',
      env: { ...three, PAYDESK_KIND: 'live' },
      name: 'shop',
      key: 'shop-key',
      from: '--profile',
      shadowed: [
        'PAYDESK_BASE_URL by --profile shop',
        'PAYDESK_APP_ID by --profile shop',
        'PAYDESK_API_KEY by --profile shop',
        'PAYDESK_KIND by --profile shop',
      ],
    },
    {
      what: 'the flag and a partial set',
      flag: 'shop',
      env: { PAYDESK_API_KEY: 'env-key' },
      name: 'shop',
      key: 'shop-key',
      from: '--profile',
      shadowed: ['PAYDESK_API_KEY by --profile shop'],
    },
    {
      what: 'the flag and another PAYDESK_PROFILE',
      flag: 'shop',
      env: { PAYDESK_PROFILE: 'shop-live' },
      name: 'shop',
      key: 'shop-key',
      from: '--profile',
      shadowed: ['PAYDESK_PROFILE by --profile shop'],
    },
    {
      what: 'the flag and the same PAYDESK_PROFILE',
      flag: 'shop',
      env: { PAYDESK_PROFILE: 'shop' },
      name: 'shop',
      key: 'shop-key',
      from: '--profile',
      shadowed: [],
    },
    {
      what: 'PAYDESK_KIND beside a stored profile',
      env: { PAYDESK_KIND: 'live' },
      name: 'shop',
      key: 'shop-key',
      from: 'default profile',
      shadowed: ['PAYDESK_KIND by default profile shop'],
    },
    {
      what: 'variables that are set to nothing',
      env: { PAYDESK_PROFILE: '', PAYDESK_API_KEY: '', PAYDESK_KIND: ' ' },
      name: 'shop',
      key: 'shop-key',
      from: 'default profile',
      shadowed: [],
    },
  ];

  it.each(table)('with $what', async ({ flag, env, name, key, from, shadowed }) => {
    const { store } = await twoProfiles();
    const resolved = resolveProfile({ flag, env, store });
    expect(resolved.name).toBe(name);
    expect((await resolved.apiKey()).reveal()).toBe(key);
    expect(resolved.sources.profile).toBe(from);
    expect(resolved.shadowed.map(({ what, by }) => `${what} by ${by}`)).toEqual(shadowed);
    const [baseUrl, appId] = name
      ? ['https://payments.example.com', `app-${name}`]
      : ['https://env.example.com', 'env-app'];
    expect(resolved).toMatchObject({ baseUrl, appId });
  });

  it('says where each part came from', async () => {
    const { store } = await twoProfiles();
    const profile = `profile shop (${store.file})`;
    expect(resolveProfile({ env: {}, store }).sources).toEqual({
      profile: 'default profile',
      baseUrl: profile,
      appId: profile,
      kind: profile,
      apiKey: store.whereKeyIs(store.get('shop')),
      quietPeriod: profile,
      aliases: profile,
      readOnly: profile,
    });
    expect(resolveProfile({ env: { ...three, PAYDESK_KIND: 'sandbox' }, store }).sources).toEqual({
      profile: 'environment',
      baseUrl: 'environment PAYDESK_BASE_URL',
      appId: 'environment PAYDESK_APP_ID',
      kind: 'environment PAYDESK_KIND',
      apiKey: 'environment PAYDESK_API_KEY',
      quietPeriod: 'default',
      aliases: 'default',
      readOnly: 'default',
    });
  });

  it('adds the aliases of the environment to those of the profile, and lets them win', async () => {
    const { store } = await twoProfiles();
    await store.alias('shop', { OnHold: 'Held', Voided: 'Declined' });
    const PAYDESK_STATE_ALIASES = ' Voided=Cancelled, Settled = Captured ';
    const resolved = resolveProfile({ flag: 'shop', env: { PAYDESK_STATE_ALIASES }, store });
    expect({ ...resolved.aliases }).toEqual({ OnHold: 'Held', Voided: 'Cancelled', Settled: 'Captured' });
    expect(resolved.sources.aliases).toBe('environment PAYDESK_STATE_ALIASES');
    const alone = resolveProfile({ env: { ...three, PAYDESK_STATE_ALIASES }, store });
    expect({ ...alone.aliases }).toEqual({ Voided: 'Cancelled', Settled: 'Captured' });
    expect(alone.aliases['constructor']).toBeUndefined();
    for (const bad of ['Voided', 'Voided=Gone', 'Captured=Refunded', 'A=Held,A=Captured', 'A=Held,,']) {
      const resolve = () => resolveProfile({ env: { ...three, PAYDESK_STATE_ALIASES: bad }, store });
      expect(resolve, bad).toThrow('PAYDESK_STATE_ALIASES is invalid. Nothing was sent.');
    }
  });

  it('is read-only when the profile or the environment says so; the environment cannot take it back', async () => {
    const { store } = await twoProfiles();
    const isReadOnly = (env: Environment) => resolveProfile({ flag: 'shop', env, store }).readOnly;
    expect(isReadOnly({})).toBe(false);
    for (const no of ['', '0', 'false', 'No']) expect(isReadOnly({ PAYDESK_READ_ONLY: no })).toBe(false);
    for (const yes of ['1', 'true', 'on', 'please'])
      expect(isReadOnly({ PAYDESK_READ_ONLY: yes })).toBe(true);
    await store.set('shop', { readOnly: true });
    expect(isReadOnly({ PAYDESK_READ_ONLY: '0' })).toBe(true);
  });

  it('takes the quiet period from the environment, else from the profile, else 10 minutes', async () => {
    const { store } = await twoProfiles();
    const PAYDESK_QUIET_PERIOD = '1500ms';
    const quiet = (env: Environment) => {
      const { quietMs, sources } = resolveProfile({ env, store });
      return [quietMs, sources.quietPeriod];
    };
    const profile = `profile shop (${store.file})`;
    expect(quiet({})).toEqual([600_000, profile]);
    await store.set('shop', { quietMs: 30_000 });
    expect(quiet({})).toEqual([30_000, profile]);
    expect(quiet({ PAYDESK_QUIET_PERIOD })).toEqual([1_500, 'environment PAYDESK_QUIET_PERIOD']);
    expect(quiet(three)).toEqual([600_000, 'default']);
    expect(quiet({ ...three, PAYDESK_QUIET_PERIOD })).toEqual([1_500, 'environment PAYDESK_QUIET_PERIOD']);
  });

  it.each(['0', '0s', '999ms', '10', 'soon', '-5m'])('refuses PAYDESK_QUIET_PERIOD=%s', async (text) => {
    const { store } = await twoProfiles();
    expect(() => resolveProfile({ env: { PAYDESK_QUIET_PERIOD: text }, store })).toThrow(UsageError);
  });

  it.each([
    ['https://env.example.com', undefined, 'live'],
    ['https://localhost.example.com', undefined, 'live'],
    ['http://127.0.0.1:4010', undefined, undefined],
    ['https://localhost:4010', undefined, undefined],
    ['http://[::1]:4010', undefined, undefined],
    ['http://127.0.0.1:4010', 'sandbox', 'sandbox'],
    ['http://127.0.0.1:4010', 'live', 'live'],
    ['https://env.example.com', 'sandbox', 'sandbox'],
  ])('takes %s with PAYDESK_KIND %s for %s', (baseUrl, kind, expected) => {
    const { store } = temporaryStore();
    const env = { ...three, PAYDESK_BASE_URL: baseUrl, PAYDESK_KIND: kind };
    expect(resolveProfile({ env, store }).kind).toBe(expected);
  });

  it.each([
    [{ PAYDESK_API_KEY: canary }, 'PAYDESK_BASE_URL and PAYDESK_APP_ID are missing'],
    [{ PAYDESK_API_KEY: canary, PAYDESK_APP_ID: 'a' }, 'PAYDESK_BASE_URL is missing'],
    [
      { PAYDESK_BASE_URL: 'https://x.example', PAYDESK_PROFILE: 'shop' },
      'PAYDESK_APP_ID and PAYDESK_API_KEY are missing',
    ],
    [{ ...three, PAYDESK_API_KEY: '' }, 'PAYDESK_API_KEY is missing'],
    [{ ...three, PAYDESK_KIND: 'prod' }, 'PAYDESK_KIND is "prod": use sandbox or live'],
    [{ ...three, PAYDESK_KIND: 'Live' }, 'use sandbox or live'],
    [{ ...three, PAYDESK_BASE_URL: `https://a:${canary}@x.example` }, 'PAYDESK_BASE_URL cannot be used'],
    [{ ...three, PAYDESK_BASE_URL: 'http://env.example.com' }, 'use https://env.example.com'],
    [{ ...three, PAYDESK_APP_ID: '../x' }, 'PAYDESK_APP_ID cannot be used'],
    [{ ...three, PAYDESK_API_KEY: `${canary} x` }, 'PAYDESK_API_KEY cannot be used'],
    [{ PAYDESK_PROFILE: 'shpo' }, 'Did you mean shop?'],
  ])('refuses %j', async (env, reason) => {
    const { store } = await twoProfiles();
    const refused = () => resolveProfile({ env, store });
    expect(refused).toThrow(ProfileError);
    expect(refused).toThrow(reason);
    try {
      refused();
    } catch (error) {
      expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain(canary);
    }
  });

  it('says what to type when there is no profile', () => {
    const { store } = temporaryStore();
    const error = catching(() => resolveProfile({ env: {}, store }));
    expect(error).toMatchObject({ code: 'no-profile' });
    expect(error.next.map((step) => commandText(step))).toEqual([
      'paydesk sandbox start',
      expect.stringContaining('paydesk profiles add'),
    ]);
  });

  it('offers the profiles when none is the default', async () => {
    const { store } = await twoProfiles();
    await store.remove('shop');
    const error = catching(() => resolveProfile({ env: {}, store }));
    // None that would make a live app the default.
    expect(error.next).toEqual([paydesk('profiles', 'list')]);
  });

  it('does without the file when the environment says everything', () => {
    const { store, paths } = temporaryStore();
    mkdirSync(paths.config);
    writeFileSync(paths.configFile, 'broken');
    expect(resolveProfile({ env: three, store }).appId).toBe('env-app');
    expect(() => resolveProfile({ env: {}, store })).toThrow(paths.configFile);
  });

  it('refuses a stored base URL that was edited into an unsafe one', async () => {
    const { store } = temporaryStore();
    await store.add(newProfile('shop', { baseUrl: 'http://payments.example.com' }));
    expect(() => resolveProfile({ env: {}, store })).toThrow('use https://payments.example.com');
  });

  it('reads the key only when it is asked for, and once', async () => {
    const { store } = await twoProfiles();
    let reads = 0;
    const counting = {
      ...store,
      apiKey: (profile: Parameters<typeof store.apiKey>[0]) => (reads++, store.apiKey(profile)),
    };
    const resolved = resolveProfile({ env: {}, store: counting });
    expect(reads).toBe(0);
    await resolved.apiKey();
    await resolved.apiKey();
    expect(reads).toBe(1);
  });
});

function catching(work: () => unknown): ProfileError {
  try {
    work();
  } catch (error) {
    if (error instanceof ProfileError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
