import { paydesk } from '../../src/next-command.js';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ProfileError, UsageError } from '../../src/errors.js';
import { HomeError } from '../../src/home-folder.js';
import { readConfig } from '../../src/profiles/config-file.js';
import { canary, modeOf, newProfile, temporaryStore } from './temporary-home.js';

const built = (module: string) => new URL(`../../dist/profiles/${module}`, import.meta.url).href;

/** Runs a module of its own process, as another paydesk on the same home would. */
function runProcess(home: string, code: string): ChildProcess {
  const prelude = `
    import { createProfileStore } from ${JSON.stringify(built('store.js'))};
    import { findPaths } from ${JSON.stringify(built('paths.js'))};
    import { Secret } from ${JSON.stringify(built('secret.js'))};
    import { updateConfig } from ${JSON.stringify(built('config-file.js'))};
    const env = { PAYDESK_HOME: ${JSON.stringify(home)} };
    const paths = findPaths(env);
    const store = createProfileStore({ paths, env });
    const add = (name) => store.add({ name, baseUrl: 'https://payments.example.com', appId: name,
      kind: 'sandbox', apiKey: new Secret(${JSON.stringify(canary)}) });
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', prelude + code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

describe('profiles in the store', () => {
  it('starts empty and without files', () => {
    const { store, home } = temporaryStore();
    expect(store.list()).toEqual([]);
    expect(store.defaultName()).toBeUndefined();
    expect(existsSync(home)).toBe(false);
  });

  it('adds, and makes the first one the default', async () => {
    const { store } = temporaryStore();
    expect((await store.add(newProfile('shop-eu'))).isDefault).toBe(true);
    expect((await store.add(newProfile('another', { kind: 'live' }))).isDefault).toBe(false);
    expect(store.list().map(({ name, kind }) => [name, kind])).toEqual([
      ['another', 'live'],
      ['shop-eu', 'sandbox'],
    ]);
    expect(store.defaultName()).toBe('shop-eu');
    expect((await store.apiKey(store.get('another'))).reveal()).toBe(canary);
  });

  it('says in plain words why the file cannot be read, and what to do', () => {
    const { paths } = temporaryStore();
    mkdirSync(paths.configFile, { recursive: true });
    expect(() => readConfig(paths.configFile)).toThrow(
      expect.objectContaining({
        code: 'config-unreadable',
        message: `The profiles in ${paths.configFile} cannot be read: it is a folder.`,
        details: 'Make the file readable for your user, or set PAYDESK_HOME to another folder.',
      }),
    );
  });

  it('refuses a name that is taken, in any case, and keeps what is there', async () => {
    const { store, paths } = temporaryStore();
    await store.add(newProfile('shop'));
    const before = readFileSync(paths.configFile, 'utf8');
    for (const name of ['shop', 'Shop']) {
      const refused = await store.add(newProfile(name, { appId: 'other' })).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(UsageError);
      expect(refused).toMatchObject({
        code: 'profile-exists',
        next: [paydesk('profiles', 'remove', 'shop')],
      });
    }
    expect(readFileSync(paths.configFile, 'utf8')).toBe(before);
    expect(readdirSync(paths.keys)).toHaveLength(1);
  });

  it('names the closest profile when there is none of that name', async () => {
    const { store } = temporaryStore();
    await store.add(newProfile('shop-eu'));
    expect(() => store.get('shop-ue')).toThrow('There is no profile "shop-ue". Did you mean shop-eu?');
    expect(() => store.get('zzz')).toThrow('There are: shop-eu.');
    expect(() => store.get('constructor')).toThrow(ProfileError);
    await expect(store.use('shop-ue')).rejects.toThrow('Did you mean shop-eu?');
    await expect(store.remove('shop-ue')).rejects.toThrow('Did you mean shop-eu?');
    await expect(store.alias('shop-ue', {})).rejects.toThrow('Did you mean shop-eu?');
  });

  it('changes the default', async () => {
    const { store } = temporaryStore();
    await store.add(newProfile('one'));
    await store.add(newProfile('two'));
    await store.use('two');
    expect(store.defaultName()).toBe('two');
  });

  it('removes a profile with its key, and chooses no other default by itself', async () => {
    const { store, paths } = temporaryStore();
    await store.add(newProfile('one'));
    await store.add(newProfile('two', { kind: 'live' }));
    expect(await store.remove('one')).toMatchObject({ wasDefault: true });
    expect(readdirSync(paths.keys).map((file) => file.slice(0, 3))).toEqual(['two']);
    expect(store.defaultName()).toBeUndefined();
    expect(await store.remove('two')).toMatchObject({ wasDefault: false });
    expect(store.list()).toEqual([]);
    expect(readdirSync(paths.keys)).toEqual([]);
  });

  it('adds aliases and takes them away', async () => {
    const { store } = temporaryStore();
    await store.add(newProfile('shop'));
    await store.alias('shop', { OnHold: 'Held', Authorized: 'Authorised' });
    await store.alias('shop', { OnHold: '', Paid: 'Captured' });
    expect(store.get('shop').aliases).toEqual({ Authorized: 'Authorised', Paid: 'Captured' });
    expect(store.get('shop').aliases['constructor']).toBeUndefined();
  });

  it('says when a key is gone', async () => {
    const { store, paths } = temporaryStore();
    const { profile } = await store.add(newProfile('shop'));
    const [file] = readdirSync(paths.keys);
    writeFileSync(join(paths.keys, file!), '');
    await expect(store.apiKey(profile)).rejects.toMatchObject({
      code: 'key-missing',
      message: expect.stringContaining(join(paths.keys, file!)) as string,
      next: expect.arrayContaining([paydesk('profiles', 'remove', 'shop')]) as unknown[],
    });
  });

  it('keeps members of the file that it does not know', async () => {
    const { store, paths } = temporaryStore();
    await store.add(newProfile('shop'));
    const config = JSON.parse(readFileSync(paths.configFile, 'utf8')) as Record<string, never>;
    Object.assign(config, { later: { a: 1 } });
    Object.assign(config['profiles']!['shop'], { note: 'kept' });
    writeFileSync(paths.configFile, JSON.stringify(config));
    await store.alias('shop', { OnHold: 'Held' });
    expect(JSON.parse(readFileSync(paths.configFile, 'utf8'))).toMatchObject({
      later: { a: 1 },
      profiles: { shop: { note: 'kept', aliases: { OnHold: 'Held' } } },
    });
  });
});

describe('files', () => {
  it('are for the owner alone under umask 000, also after rewrites', async () => {
    const { home, paths } = temporaryStore();
    const code = `process.umask(0); await add('one'); await add('two'); await store.use('two'); await store.alias('one', { A: 'Held' });`;
    expect(await exitOf(runProcess(home, code))).toBe(0);
    const files = [paths.configFile, `${paths.configFile}.lock`];
    for (const key of readdirSync(paths.keys)) files.push(join(paths.keys, key));
    expect(files).toHaveLength(4);
    for (const file of files) expect([file, modeOf(file)]).toEqual([file, '600']);
    expect([modeOf(home), modeOf(paths.keys)]).toEqual(['700', '700']);
    expect(readdirSync(home).sort()).toEqual(['config.json', 'config.json.lock', 'keys']);
  });

  it('that were looser become private when they are written', async () => {
    const { store, paths, home } = temporaryStore();
    await store.add(newProfile('one'));
    chmodSync(paths.configFile, 0o666);
    chmodSync(paths.keys, 0o777);
    await store.add(newProfile('two'));
    expect([modeOf(paths.configFile), modeOf(paths.keys), modeOf(home)]).toEqual(['600', '700', '700']);
  });

  it('hold the key nowhere but in the folder of keys', async () => {
    const { store, paths } = temporaryStore();
    const { profile } = await store.add(newProfile('one'));
    expect(readFileSync(paths.configFile, 'utf8')).not.toContain(canary);
    expect(JSON.stringify(profile)).not.toContain(canary);
    expect(store.whereKeyIs(profile)).toBe(`file ${join(paths.keys, `${profile.key.id}.key`)}`);
    expect(readFileSync(store.whereKeyIs(profile).slice(5), 'utf8')).toBe(canary);
  });
});

describe('a file that cannot be used', () => {
  it.each([
    ['{ "version": 1, "prof', 'not JSON'],
    ['', 'not JSON'],
    ['[]', 'JSON object'],
    ['{}', '"version"'],
    ['{ "version": 2, "profiles": {} }', 'newer paydesk'],
    ['{ "version": 1, "profiles": [] }', '"profiles"'],
    ['{ "version": 1, "profiles": { "a b": {} } }', 'profile "a b"'],
    ['{ "version": 1, "profiles": { "a": { "baseUrl": 1 } } }', '"baseUrl"'],
    [
      '{ "version": 1, "profiles": { "a": { "baseUrl": "x", "appId": "y", "kind": "live", "key": { "in": "file", "id": "../../etc/passwd" } } } }',
      '"key"',
    ],
  ])('is named and kept: %s', async (text, reason) => {
    const { store, paths } = temporaryStore();
    mkdirSync(paths.config);
    writeFileSync(paths.configFile, text);
    const attempts = [
      async () => store.list(),
      async () => store.get('a'),
      () => store.add(newProfile('one')),
      () => store.use('a'),
      () => store.remove('a'),
    ];
    for (const attempt of attempts) {
      const error = await attempt().catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(ProfileError);
      expect(error).toMatchObject({ code: 'config-corrupt' });
      expect((error as Error).message).toContain(paths.configFile);
      expect((error as Error).message).toContain(reason);
    }
    expect(readFileSync(paths.configFile, 'utf8')).toBe(text);
    expect(existsSync(paths.keys) ? readdirSync(paths.keys) : []).toEqual([]);
  });

  it('is named when it is a folder', () => {
    const { store, paths } = temporaryStore();
    mkdirSync(paths.configFile, { recursive: true });
    expect(() => store.list()).toThrow(paths.configFile);
  });

  it('is named when its folder cannot be made', async () => {
    const { store, home } = temporaryStore();
    writeFileSync(home, 'a file where the folder should be');
    const error = await store.add(newProfile('one')).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(HomeError);
    expect((error as Error).message).toContain(home);
  });
});

describe('several writers', () => {
  it('in one process lose nothing', async () => {
    const { store } = temporaryStore();
    const names = Array.from({ length: 20 }, (_, n) => `p${n}`);
    await Promise.all(names.map((name) => store.add(newProfile(name))));
    expect(store.list()).toHaveLength(20);
  });

  it('in two processes lose nothing, and readers never see a torn file', async () => {
    const { store, home, paths } = temporaryStore();
    const adding = (letter: string) =>
      runProcess(home, `for (let n = 0; n < 50; n++) await add(${JSON.stringify(letter)} + n);`);
    const writers = [adding('a'), adding('b')];
    let reads = 0;
    while (writers.some((writer) => writer.exitCode === null)) {
      readConfig(paths.configFile);
      reads += 1;
      await new Promise((next) => setImmediate(next));
    }
    expect(writers.map((writer) => writer.exitCode)).toEqual([0, 0]);
    expect(reads).toBeGreaterThan(0);
    expect(store.list()).toHaveLength(100);
    for (const profile of store.list()) expect((await store.apiKey(profile)).reveal()).toBe(canary);
  });

  it('adding the same name at once make one profile, with its own key', async () => {
    const { store, paths } = temporaryStore();
    const outcomes = await Promise.allSettled(
      ['one', 'two', 'three'].map((appId) => store.add(newProfile('shop', { appId }))),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(readdirSync(paths.keys)).toEqual([`${store.get('shop').key.id}.key`]);
  });

  it('wait for one that holds the lock, and go on when it is killed', async () => {
    const { store, home, paths } = temporaryStore();
    await store.add(newProfile('before'));
    const text = readFileSync(paths.configFile, 'utf8');
    const holder = runProcess(
      home,
      `await updateConfig(paths.configFile, (config) => {
        config.profiles = {};
        process.stdout.write('held');
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      });`,
    );
    await once(holder.stdout!, 'data');
    const waiter = runProcess(home, `process.stdout.write('started'); await add('after');`);
    await once(waiter.stdout!, 'data');
    expect(readFileSync(paths.configFile, 'utf8')).toBe(text);
    holder.kill('SIGKILL');
    expect(await exitOf(waiter)).toBe(0);
    expect(store.list().map(({ name }) => name)).toEqual(['after', 'before']);
  });
});
