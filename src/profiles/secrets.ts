import type { Command } from '../next-command.js';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ProfileError } from '../errors.js';
import { HomeError, makeFolder } from '../home-folder.js';
import type { Keyring } from './keyring.js';
import type { Environment } from '../child-environment.js';
import type { Paths } from './paths.js';
import { Secret } from './secret.js';

/** Where the key of a profile is kept. Part of the stored profile; holds nothing secret. */
export interface KeyReference {
  in: 'keyring' | 'file';
  /** New for every key that is stored, so that two writers never overwrite each other's. */
  id: string;
}

export interface Secrets {
  /** Stores a key in the keyring when that works, else in a file; `only: 'file'` does not try the keyring. */
  put(name: string, key: Secret, options?: { only?: 'file' }): Promise<KeyReference>;
  /** `ifMissing`: what to type when the key is gone. */
  get(name: string, reference: KeyReference, ifMissing?: readonly Command[]): Promise<Secret>;
  delete(reference: KeyReference): Promise<void>;
  /** `keyring` or `file /path/of/the/file`. */
  describe(reference: KeyReference): string;
}

export function createSecrets(options: { paths: Paths; env: Environment }): Secrets {
  const { paths, env } = options;
  let opened: Promise<Keyring> | undefined;
  // node:crypto and node:child_process cost 10 ms to load, and most keys are read from elsewhere.
  const keyring = () =>
    (opened ??= import('./keyring.js').then(({ createKeyring }) =>
      createKeyring({ folder: paths.config, env }),
    ));
  const fileOf = (reference: KeyReference) => join(paths.keys, `${reference.id}.key`);

  return {
    async put(name, key, { only } = {}) {
      const id = `${name}-${crypto.randomUUID().slice(0, 8)}`;
      // The scope of the keyring is the real path of this folder, so it has to be there first.
      storing(() => makeFolder(paths.config));
      if (only !== 'file' && (await storeInKeyring(await keyring(), id, key))) return { in: 'keyring', id };
      const reference: KeyReference = { in: 'file', id };
      storing(() => {
        makeFolder(paths.keys);
        chmodSync(paths.keys, 0o700);
        writeFileSync(fileOf(reference), key.reveal(), { flag: 'wx', mode: 0o600, flush: true });
      });
      return reference;
    },

    async get(name, reference, ifMissing = []) {
      const found =
        reference.in === 'keyring'
          ? await readFromKeyring(await keyring(), name, reference)
          : readFromFile(fileOf(reference), name);
      if (found !== undefined) return found;
      const place = reference.in === 'keyring' ? 'the keyring' : fileOf(reference);
      throw new ProfileError(`The API key of profile ${name} is no longer in ${place}.`, {
        code: 'key-missing',
        next: ifMissing,
      });
    },

    async delete(reference) {
      if (reference.in === 'keyring') await (await keyring()).delete(reference.id);
      else rmSync(fileOf(reference), { force: true });
    },

    describe(reference) {
      return reference.in === 'keyring' ? 'keyring' : `file ${fileOf(reference)}`;
    },
  };
}

async function storeInKeyring(keyring: Keyring, id: string, key: Secret): Promise<boolean> {
  if (!(await keyring.works())) return false;
  try {
    await keyring.set(id, key);
    if ((await keyring.get(id))?.equals(key)) return true;
  } catch {
    // The round trip worked a moment ago and the real one did not: the file will do.
  }
  await keyring.delete(id).catch(() => {});
  return false;
}

async function readFromKeyring(keyring: Keyring, name: string, reference: KeyReference) {
  try {
    return await keyring.get(reference.id);
  } catch (cause) {
    throw new ProfileError(`The keyring did not return the API key of profile ${name}: ${reasonOf(cause)}.`, {
      code: 'keyring-unavailable',
      details: 'Unlock the keyring, or set PAYDESK_BASE_URL, PAYDESK_APP_ID and PAYDESK_API_KEY instead.',
      cause,
    });
  }
}

function readFromFile(file: string, name: string): Secret | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const text = readFileSync(file, 'utf8').trim();
    return text === '' ? undefined : new Secret(text);
  } catch (cause) {
    throw new ProfileError(`The API key of profile ${name} cannot be read: ${reasonOf(cause)}.`, {
      code: 'key-unreadable',
      cause,
    });
  }
}

function storing(work: () => void): void {
  try {
    work();
  } catch (cause) {
    if (cause instanceof HomeError) throw cause;
    throw new ProfileError(`The API key cannot be stored: ${reasonOf(cause)}.`, {
      code: 'key-unwritable',
      cause,
    });
  }
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
