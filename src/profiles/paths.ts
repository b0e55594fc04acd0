import { homedir, userInfo } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { Environment } from '../child-environment.js';
import { UsageError } from '../errors.js';

export interface Paths {
  /** The folder that holds the profiles and, where there is no keyring, their keys. */
  config: string;
  /** The folder of databases and of everything else that is kept. */
  data: string;
  configFile: string;
  keys: string;
}

/** Where config and data live: inside `PAYDESK_HOME` when it is set, else in the platform's own folders. */
export function findPaths(env: Environment, platform = process.platform, given?: string): Paths {
  const own = env['PAYDESK_HOME'];
  if (own) return pathsIn(absolute(own), join(absolute(own), 'data'));
  const home = given ?? accountHome();
  if (platform === 'darwin') {
    const support = join(home, 'Library', 'Application Support', 'paydesk');
    return pathsIn(support, join(support, 'data'));
  }
  if (platform === 'win32') {
    const roaming = env['APPDATA'] || join(home, 'AppData', 'Roaming');
    const local = env['LOCALAPPDATA'] || join(home, 'AppData', 'Local');
    return pathsIn(join(roaming, 'paydesk'), join(local, 'paydesk', 'data'));
  }
  return pathsIn(
    join(xdg(env['XDG_CONFIG_HOME']) ?? join(home, '.config'), 'paydesk'),
    join(xdg(env['XDG_DATA_HOME']) ?? join(home, '.local', 'share'), 'paydesk'),
  );
}

/** A relative path would let the current folder choose the ledger. */
function absolute(own: string): string {
  if (isAbsolute(own)) return resolve(own);
  throw new UsageError('PAYDESK_HOME is invalid. Nothing was sent.', {
    code: 'bad-home',
    saysNothingSent: true,
    details: [{ input: 'PAYDESK_HOME', value: own, problem: 'use an absolute path, such as /srv/paydesk' }],
  });
}

/** HOME, unless it is empty or relative. */
function accountHome(): string {
  const home = homedir();
  return isAbsolute(home) ? home : userInfo().homedir;
}

function pathsIn(config: string, data: string): Paths {
  return { config, data, configFile: join(config, 'config.json'), keys: join(config, 'keys') };
}

// The XDG specification has relative paths ignored.
function xdg(path: string | undefined): string | undefined {
  return path && isAbsolute(path) ? path : undefined;
}
