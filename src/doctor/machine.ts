import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { counted } from '../contract/amount-format.js';
import { PaydeskError } from '../errors.js';
import { writeProblem } from '../home-folder.js';
import { commandText, otherProgram } from '../next-command.js';
import { createKeyring } from '../profiles/keyring.js';
import type { Environment } from '../child-environment.js';
import type { Paths } from '../profiles/paths.js';
import type { ProfileStore } from '../profiles/store.js';
import { fail, pass, warn, type Check } from './check.js';

/** `required` as package.json has it: `>=24.15`. */
export function checkNode(version: string, required: string | undefined): Check {
  const least = /^>=(\d+)\.(\d+)/.exec(required ?? '');
  const found = /^v?(\d+)\.(\d+)/.exec(version);
  const difference = [1, 2].map((part) => Number(found?.[part]) - Number(least?.[part]));
  const old = least !== null && ((difference[0] || difference[1]) ?? 0) < 0;
  if (!old) return pass('node', `Node ${version.replace(/^v/, '')}.`);
  return fail(
    'node',
    `Node ${version.replace(/^v/, '')} is too old.`,
    `Install Node ${required?.slice(2)} or newer.`,
  );
}

/** The stored profiles can be read. */
export function checkConfig(store: ProfileStore): Check {
  try {
    const count = store.list().length;
    const problem = writeProblem(dirname(store.file));
    if (problem !== undefined) return warn('config', problem.message);
    return pass('config', `${counted(count, 'profile')} in ${store.file}.`);
  } catch (error) {
    if (!(error instanceof PaydeskError)) throw error;
    return fail('config', error.message, `Fix ${store.file} by hand, or move it away.`);
  }
}

/** Only the owner can read the profiles and the keys. */
export function checkModes(paths: Paths): Check {
  if (process.platform === 'win32') return pass('modes', 'This system has no file modes.');
  const keys = modeOf(paths.keys) === undefined ? [] : readable(paths.keys);
  const wanted = [
    { path: paths.config, mode: 0o700 },
    { path: paths.configFile, mode: 0o600 },
    { path: paths.keys, mode: 0o700 },
    ...keys.map((name) => ({ path: join(paths.keys, name), mode: 0o600 })),
  ];
  const wrong = wanted.flatMap(({ path, mode }) => {
    const found = modeOf(path);
    return found !== undefined && (found & 0o077) !== 0 ? [{ path, mode, found }] : [];
  });
  if (wrong.length === 0) return pass('modes', `Only you can read ${paths.config}.`);
  const list = wrong.map(({ path, found }) => `${path} (0${found.toString(8)})`).join(', ');
  const fix = wrong
    .map(({ path, mode }) => commandText(otherProgram('chmod', mode.toString(8), path)))
    .join(' && ');
  return warn('modes', `Other users of this machine can read ${list}.`, fix);
}

/** Where keys are kept here. */
export async function checkKeyring(options: {
  paths: Paths;
  env: Environment;
  store: ProfileStore;
}): Promise<Check> {
  const { paths, env, store } = options;
  if (await createKeyring({ folder: paths.config, env }).works()) {
    return pass('keyring', 'The system keyring works.');
  }
  const inside = keyringProfiles(store);
  if (inside.length === 0) return pass('keyring', 'There is no keyring. Keys are stored in private files.');
  return warn(
    'keyring',
    `The keyring does not answer. It has the keys of ${inside.join(', ')}.`,
    'Unlock the keyring, or set PAYDESK_BASE_URL, PAYDESK_APP_ID and PAYDESK_API_KEY instead.',
  );
}

/** Another check reports a file that cannot be read. */
function keyringProfiles(store: ProfileStore): string[] {
  try {
    return store.list().flatMap(({ name, key }) => (key.in === 'keyring' ? [name] : []));
  } catch {
    return [];
  }
}

/** Another check reports a folder that cannot be looked into. */
function modeOf(path: string): number | undefined {
  try {
    return statSync(path).mode & 0o777;
  } catch {
    return undefined;
  }
}

function readable(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
