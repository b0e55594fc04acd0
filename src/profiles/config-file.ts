import { closeSync, openSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type Conf from 'conf';
import { HomeError, makeFolder } from '../home-folder.js';
import { PaydeskError, ProfileError, TemporaryError } from '../errors.js';
import { fileProblem } from '../file-problem.js';
import { checkName } from './checks.js';
import { MIN_QUIET_MS } from './quiet-period.js';
import type { KeyReference } from './secrets.js';

export type Kind = 'sandbox' | 'live';

/** A profile as it stands in the file. Members of other versions are kept when the file is rewritten. */
export interface StoredProfile {
  baseUrl: string;
  appId: string;
  kind: Kind;
  key: KeyReference;
  /** The service's state names, mapped onto ours. */
  aliases?: Record<string, string>;
  /** How long the service may take to show what it did, in milliseconds. */
  quietMs?: number;
  /** Nothing is changed at the service. */
  readOnly?: boolean;
  /** Absolute paths. */
  caFile?: string;
  clientCert?: string;
  clientKey?: string;
  /** Set on profiles that `sandbox start` wrote: only those may it overwrite. */
  madeBy?: 'sandbox';
}

export interface Config {
  version: 1;
  default?: string;
  profiles: Record<string, StoredProfile>;
}

const LOCK_LIMIT_MS = 10_000;
const SQLITE_BUSY = 5;
// The id of a key becomes a file name: no way out of the folder.
const fileName = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** The file as it is now; an absent file is an empty one. Plain fs, because conf costs 100 ms to import. */
export function readConfig(file: string): Config {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { version: 1, profiles: {} };
    throw new ProfileError(`The profiles in ${file} cannot be read: ${fileProblem(cause)}.`, {
      code: 'config-unreadable',
      details: 'Make the file readable for your user, or set PAYDESK_HOME to another folder.',
      cause,
    });
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw corrupt(file, 'it is not JSON', cause);
  }
  const problem = problemOf(parsed);
  if (problem !== undefined) throw corrupt(file, problem);
  return parsed as Config;
}

/**
 * A dependency of conf sends every signal a second time, so that a program without listeners of its own ends by it.
 * Ours has some, and would take one Ctrl-C for two: a server that drains would be cut off.
 */
async function loadConf(): Promise<{ default: typeof Conf }> {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const before = signals.map((signal) => process.rawListeners(signal));
  const module = await import('conf');
  signals.forEach((signal, index) => {
    const added = process.rawListeners(signal).filter((listener) => !before[index]!.includes(listener));
    for (const listener of added) process.off(signal, listener as NodeJS.SignalsListener);
  });
  return module;
}

/** Reads, changes and writes the file while every other process that wants to change it waits. */
export async function updateConfig<T>(file: string, change: (config: Config) => T): Promise<T> {
  const { default: ConfFile } = await loadConf();
  const { DatabaseSync } = await import('node:sqlite');
  const folder = dirname(file);
  try {
    makeFolder(folder);
    const lock = takeLock(DatabaseSync, `${file}.lock`);
    // No await between here and the release: the holder of the lock never waits for the event loop.
    try {
      const config = readConfig(file);
      const result = change(config);
      const conf = new ConfFile<Config>({
        cwd: folder,
        configName: basename(file, '.json'),
        projectSuffix: '',
        configFileMode: 0o600,
        accessPropertiesByDotNotation: false,
      });
      conf.store = config;
      return result;
    } finally {
      lock.close();
    }
  } catch (cause) {
    if (
      !(cause instanceof Error) ||
      !('code' in cause) ||
      cause instanceof PaydeskError ||
      cause instanceof HomeError
    )
      throw cause;
    if (cause.code === 'ERR_SQLITE_ERROR' && 'errcode' in cause && cause.errcode === SQLITE_BUSY) {
      throw new TemporaryError(
        `Another paydesk has been writing ${file} for ${LOCK_LIMIT_MS / 1000} seconds.`,
        {
          code: 'config-busy',
          cause,
        },
      );
    }
    throw new ProfileError(
      `The profiles in ${file} cannot be written: ${fileProblem(cause)}. The file was not changed.`,
      {
        code: 'config-unwritable',
        details:
          'Make the file and its folder writable for your user, or set PAYDESK_HOME to another folder.',
        cause,
      },
    );
  }
}

/** A lock of the operating system through SQLite: it is gone with the process that held it, even after kill -9. */
function takeLock(Database: typeof DatabaseSync, file: string): DatabaseSync {
  closeSync(openSync(file, 'a', 0o600));
  const lock = new Database(file, { timeout: LOCK_LIMIT_MS });
  try {
    lock.exec('begin exclusive');
    return lock;
  } catch (error) {
    lock.close();
    throw error;
  }
}

function corrupt(file: string, problem: string, cause?: unknown): ProfileError {
  return new ProfileError(`The profiles in ${file} cannot be used: ${problem}. The file was not changed.`, {
    code: 'config-corrupt',
    details: 'Fix the file by hand, or move it away and add the profiles again.',
    cause,
  });
}

function problemOf(config: unknown): string | undefined {
  if (!isObject(config)) return 'it does not hold a JSON object';
  if (typeof config['version'] === 'number' && config['version'] > 1) return 'a newer paydesk wrote it';
  if (config['version'] !== 1) return '"version" is not 1';
  if (!isObject(config['profiles'])) return '"profiles" is not an object';
  if (config['default'] !== undefined && typeof config['default'] !== 'string')
    return '"default" is not a name';
  for (const [name, profile] of Object.entries(config['profiles'])) {
    const wrong = problemOfProfile(name, profile);
    if (wrong !== undefined) return `profile ${JSON.stringify(name)}: ${wrong}`;
  }
  return undefined;
}

function problemOfProfile(name: string, profile: unknown): string | undefined {
  if ('problem' in checkName(name)) return 'not a name that a profile can have';
  if (!isObject(profile)) return 'not an object';
  for (const member of ['baseUrl', 'appId']) {
    if (typeof profile[member] !== 'string') return `"${member}" is not a text`;
  }
  if (profile['kind'] !== 'sandbox' && profile['kind'] !== 'live')
    return '"kind" is neither sandbox nor live';
  const key = profile['key'];
  if (!isObject(key) || (key['in'] !== 'keyring' && key['in'] !== 'file'))
    return '"key" does not say where it is stored';
  if (typeof key['id'] !== 'string' || !fileName.test(key['id'])) return '"key" has no usable id';
  const quietMs = profile['quietMs'];
  if (quietMs !== undefined && !(Number.isSafeInteger(quietMs) && (quietMs as number) >= MIN_QUIET_MS))
    return `"quietMs" is not a whole number of at least ${MIN_QUIET_MS}`;
  if (profile['readOnly'] !== undefined && typeof profile['readOnly'] !== 'boolean')
    return '"readOnly" is neither true nor false';
  for (const member of ['caFile', 'clientCert', 'clientKey']) {
    if (profile[member] !== undefined && typeof profile[member] !== 'string')
      return `"${member}" is not a path`;
  }
  const aliases = profile['aliases'];
  if (aliases === undefined) return undefined;
  if (!isObject(aliases) || Object.values(aliases).some((ours) => typeof ours !== 'string')) {
    return '"aliases" is not a list of names';
  }
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
