import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plainLine } from '../../src/output/lines.js';
import { movedNotes } from '../../src/output/views/sandbox-start.js';
import { storeSandboxProfiles } from '../../src/profiles/sandbox-profiles.js';
import { modeOf, newProfile, temporaryStore } from './temporary-home.js';

const apps = [
  { appId: 'app-s', apiKey: 'key-s', friendlyName: 'Sandbox', isSandbox: true },
  { appId: 'app-l', apiKey: 'key-l', friendlyName: 'Live', isSandbox: false },
];
const url = 'http://127.0.0.1:4010';

describe('storeSandboxProfiles', () => {
  it('writes local and local-live, keys in files, and makes local the default', async () => {
    // A keyring that would be asked if it were wanted: it must not be.
    const { store, paths } = temporaryStore({ DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent/bus' });
    expect(await storeSandboxProfiles(store, { url: `${url}/`, apps })).toEqual({
      stored: ['local', 'local-live'],
      skipped: [],
      defaultName: 'local',
      moved: [],
    });
    expect(store.list()).toMatchObject([
      {
        name: 'local',
        baseUrl: url,
        appId: 'app-s',
        kind: 'sandbox',
        quietMs: 2_000,
        madeBy: 'sandbox',
        key: { in: 'file' },
      },
      {
        name: 'local-live',
        baseUrl: url,
        appId: 'app-l',
        kind: 'live',
        quietMs: 2_000,
        madeBy: 'sandbox',
        key: { in: 'file' },
      },
    ]);
    expect((await store.apiKey(store.get('local'))).reveal()).toBe('key-s');
    expect((await store.apiKey(store.get('local-live'))).reveal()).toBe('key-l');
    for (const file of readdirSync(paths.keys)) expect(modeOf(join(paths.keys, file))).toBe('600');
  });

  it('writes nothing when nothing changed', async () => {
    const { store, paths } = temporaryStore();
    await storeSandboxProfiles(store, { url, apps });
    const before = statSync(paths.configFile, { bigint: true });
    const keys = readdirSync(paths.keys);
    expect(await storeSandboxProfiles(store, { url, apps })).toEqual({
      stored: ['local', 'local-live'],
      skipped: [],
      defaultName: 'local',
      moved: [],
    });
    const after = statSync(paths.configFile, { bigint: true });
    expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs]);
    expect(readdirSync(paths.keys)).toEqual(keys);
  });

  it('overwrites its own, keeps their aliases, and leaves no old key behind', async () => {
    const { store, paths } = temporaryStore();
    await storeSandboxProfiles(store, { url, apps });
    await store.alias('local', { OnHold: 'Held' });
    const fresh = apps.map((app) => ({ ...app, apiKey: `${app.apiKey}-new` }));
    await storeSandboxProfiles(store, { url: 'http://127.0.0.1:5555', apps: fresh });
    expect(store.get('local')).toMatchObject({
      baseUrl: 'http://127.0.0.1:5555',
      aliases: { OnHold: 'Held' },
    });
    expect((await store.apiKey(store.get('local'))).reveal()).toBe('key-s-new');
    expect(readdirSync(paths.keys)).toHaveLength(2);
  });

  it('keeps the keys where only the address changed', async () => {
    const { store, paths } = temporaryStore();
    await storeSandboxProfiles(store, { url, apps });
    const keys = readdirSync(paths.keys);
    await storeSandboxProfiles(store, { url: 'http://127.0.0.1:5555', apps });
    expect(store.list().map(({ baseUrl }) => baseUrl)).toEqual(Array(2).fill('http://127.0.0.1:5555'));
    expect((await store.apiKey(store.get('local-live'))).reveal()).toBe('key-l');
    expect(readdirSync(paths.keys)).toEqual(keys);
  });

  it('writes a key again that another sandbox deletes at the same time', async () => {
    const { store, paths } = temporaryStore();
    await storeSandboxProfiles(store, { url, apps });
    const [sandbox, live] = apps as [(typeof apps)[0], (typeof apps)[0]];
    // The first one has replaced the key of local by the time the second one, which found it there, has the lock.
    await Promise.all([
      storeSandboxProfiles(store, {
        url: 'http://127.0.0.1:6666',
        apps: [{ ...sandbox, apiKey: 'key-other' }],
      }),
      storeSandboxProfiles(store, {
        url: 'http://127.0.0.1:5555',
        apps: [sandbox, { ...live, apiKey: 'key-l-new' }],
      }),
    ]);
    expect(store.get('local').baseUrl).toBe('http://127.0.0.1:5555');
    expect((await store.apiKey(store.get('local'))).reveal()).toBe('key-s');
    expect((await store.apiKey(store.get('local-live'))).reveal()).toBe('key-l-new');
    expect(readdirSync(paths.keys)).toHaveLength(2);
  });

  it('tells which it took from another sandbox, and the note names those that still run', async () => {
    const { store } = temporaryStore();
    await storeSandboxProfiles(store, { url, apps });
    await storeSandboxProfiles(store, { url: 'http://127.0.0.1:5555', apps: apps.slice(0, 1) });
    const { moved } = await storeSandboxProfiles(store, { url: 'http://127.0.0.1:6666', apps });
    expect(moved).toEqual([
      { name: 'local', from: 'http://127.0.0.1:5555' },
      { name: 'local-live', from: url },
    ]);
    expect(movedNotes(moved, [{ url: 'http://127.0.0.1:6666' }])).toEqual([]);
    expect(movedNotes(moved, [{ url }]).map(plainLine)).toEqual([
      `Note: the profile local-live pointed to the sandbox at ${url}, which is still running. It points to this one now.`,
    ]);
  });

  it('writes a key again that is gone', async () => {
    const { store, paths } = temporaryStore();
    await storeSandboxProfiles(store, { url, apps });
    rmSync(paths.keys, { recursive: true });
    await storeSandboxProfiles(store, { url, apps });
    expect((await store.apiKey(store.get('local'))).reveal()).toBe('key-s');
  });

  it('never overwrites a profile that it did not make, and says so', async () => {
    const { store, paths } = temporaryStore();
    await store.add(newProfile('local', { baseUrl: 'https://mine.example.com' }));
    const result = await storeSandboxProfiles(store, { url, apps });
    expect(result).toEqual({
      stored: ['local-live'],
      skipped: [{ name: 'local', why: 'you created the profile local, for https://mine.example.com' }],
      defaultName: 'local',
      moved: [],
    });
    expect(store.get('local').baseUrl).toBe('https://mine.example.com');
    expect(store.get('local').madeBy).toBeUndefined();
    expect(readdirSync(paths.keys)).toHaveLength(2);
  });

  it('leaves one alone that was added in the meantime', async () => {
    const { store, paths } = temporaryStore();
    const racing = { ...store, find: () => undefined };
    await store.add(newProfile('local', { baseUrl: 'https://mine.example.com' }));
    const before = readFileSync(paths.configFile, 'utf8');
    const result = await storeSandboxProfiles(racing, { url, apps: apps.slice(0, 1) });
    expect(result).toMatchObject({ stored: [], skipped: [{ name: 'local' }] });
    expect(readFileSync(paths.configFile, 'utf8')).toBe(before);
    expect(readdirSync(paths.keys)).toHaveLength(1);
  });

  it('leaves the default that there is', async () => {
    const { store } = temporaryStore();
    await store.add(newProfile('shop'));
    expect((await storeSandboxProfiles(store, { url, apps })).defaultName).toBe('shop');
  });

  it('never makes the one that poses as live the default', async () => {
    const { store } = temporaryStore();
    await store.add(newProfile('local'));
    await store.add(newProfile('other'));
    await store.remove('local');
    const result = await storeSandboxProfiles(store, { url, apps: apps.slice(1) });
    expect(result).toEqual({ stored: ['local-live'], skipped: [], defaultName: undefined, moved: [] });
  });
});
