import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { Environment } from '../child-environment.js';

export interface Paths {
  /** The folder that holds the profiles and, where there is no keyring, their keys. */
  config: string;
  /** The folder of databases and of everything else that is kept. */
  data: string;
  configFile: string;
  keys: string;
}

/** Where config and data live: inside `PAYDESK_HOME` when it is set, else in the platform's own folders. */
export function findPaths(env: Environment, platform = process.platform, home = homedir()): Paths {
  const own = env['PAYDESK_HOME'];
  if (own) return pathsIn(resolve(own), join(resolve(own), 'data'));
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

function pathsIn(config: string, data: string): Paths {
  return { config, data, configFile: join(config, 'config.json'), keys: join(config, 'keys') };
}

// The XDG specification has relative paths ignored.
function xdg(path: string | undefined): string | undefined {
  return path && isAbsolute(path) ? path : undefined;
}
