import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../../src/home-folder.js';
import { findPaths } from '../../src/profiles/paths.js';
import { paydesk } from '../helpers/run.js';
import { modeOf, temporaryFolder } from './temporary-home.js';

const app = {
  PAYDESK_BASE_URL: 'http://127.0.0.1:9',
  PAYDESK_APP_ID: 'a',
  PAYDESK_API_KEY: 'k',
  XDG_CONFIG_HOME: undefined,
  XDG_DATA_HOME: undefined,
};

describe('findPaths', () => {
  it('puts everything into PAYDESK_HOME when it is set', () => {
    expect(findPaths({ PAYDESK_HOME: '/srv/desk' }, 'linux', '/home/ann')).toEqual({
      config: '/srv/desk',
      data: '/srv/desk/data',
      configFile: '/srv/desk/config.json',
      keys: '/srv/desk/keys',
    });
  });

  it('refuses a relative PAYDESK_HOME, which the current folder would complete', async () => {
    const cwd = temporaryFolder();
    const { code, stdout } = await paydesk(['history', '--json'], { home: 'desk', cwd });
    expect([code, JSON.parse(stdout)]).toMatchObject([2, { error: { code: 'bad-home' } }]);
    expect(stdout).toContain('use an absolute path');
    expect(readdirSync(cwd)).toEqual([]);
  });

  it.runIf(process.platform === 'linux').each(['', 'here', './here'])(
    'ignores HOME=%s, which the current folder would complete',
    async (HOME) => {
      const cwd = temporaryFolder();
      const env = { ...app, HOME, PAYDESK_HOME: undefined };
      const { stdout } = await paydesk(['doctor', '--json'], { env, cwd });
      expect(stdout).toContain(join(userInfo().homedir, '.config', 'paydesk', 'config.json'));
      expect(stdout).not.toContain(cwd);
    },
  );

  it.each([
    ['linux', {}, '/home/ann/.config/paydesk', '/home/ann/.local/share/paydesk'],
    ['linux', { PAYDESK_HOME: '' }, '/home/ann/.config/paydesk', '/home/ann/.local/share/paydesk'],
    ['linux', { XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d' }, '/c/paydesk', '/d/paydesk'],
    ['linux', { XDG_CONFIG_HOME: 'relative' }, '/home/ann/.config/paydesk', '/home/ann/.local/share/paydesk'],
    [
      'darwin',
      {},
      '/home/ann/Library/Application Support/paydesk',
      '/home/ann/Library/Application Support/paydesk/data',
    ],
    ['win32', { APPDATA: '/roaming', LOCALAPPDATA: '/local' }, '/roaming/paydesk', '/local/paydesk/data'],
  ] as const)('uses the folders of %s with %j', (platform, env, config, data) => {
    expect(findPaths(env, platform, '/home/ann')).toMatchObject({ config, data });
  });
});

describe('makeFolder', () => {
  it('makes every missing folder for the owner alone', () => {
    const root = temporaryFolder();
    makeFolder(join(root, 'a', 'b'));
    expect(modeOf(join(root, 'a'))).toBe('700');
    expect(modeOf(join(root, 'a', 'b'))).toBe('700');
  });

  it('leaves the mode of a folder that is there', () => {
    const shared = join(temporaryFolder(), 'shared');
    mkdirSync(shared, { mode: 0o755 });
    makeFolder(shared);
    expect(existsSync(shared)).toBe(true);
    expect(modeOf(shared)).toBe('755');
  });

  it.runIf(process.platform === 'linux')('ends where nothing can be made', async () => {
    const env = { HOME: '/proc', PAYDESK_HOME: undefined, ...app };
    const { code, stderr } = await paydesk(['payments', 'list'], { env, timeoutMs: 10_000 });
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining('/proc/.local/share/paydesk cannot be written'),
    ]);
  });
});
