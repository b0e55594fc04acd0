import type { Environment } from '../child-environment.js';
import { paydesk } from '../next-command.js';
import { ProfileError, UsageError } from '../errors.js';
import { didYouMean } from '../suggest.js';
import { addAgain } from './add-again.js';
import { withoutPrototype } from './aliases.js';
import { withoutTrailingSlash } from './checks.js';
import { readConfig, updateConfig, type Config, type Kind, type StoredProfile } from './config-file.js';
import { findPaths, type Paths } from './paths.js';
import { DEFAULT_QUIET_MS, SANDBOX_QUIET_MS } from './quiet-period.js';
import type { Secret } from './secret.js';
import type { TlsFiles } from './tls-files.js';
import { createSecrets, type KeyReference, type Secrets } from './secrets.js';

export type { Kind };

export interface Profile {
  name: string;
  baseUrl: string;
  appId: string;
  kind: Kind;
  /** The service's state names, mapped onto ours. */
  aliases: Record<string, string>;
  /** How long the service may take to show what it did. */
  quietMs: number;
  /** Nothing is changed at the service. */
  readOnly: boolean;
  tls: TlsFiles;
  madeBy?: 'sandbox';
  key: KeyReference;
}

export interface NewProfile extends ProfileSettings {
  name: string;
  baseUrl: string;
  appId: string;
  kind: Kind;
  apiKey: Secret;
}

/** What can be changed of a stored profile. */
export interface ProfileSettings {
  /** Without it, the default of its kind of profile. */
  quietMs?: number | undefined;
  readOnly?: boolean | undefined;
  /** Absolute paths; an empty one takes the file away. */
  caFile?: string | undefined;
  clientCert?: string | undefined;
  clientKey?: string | undefined;
}

export interface ProfileStore {
  /** The file that holds the profiles. */
  file: string;
  /** All profiles, by name. */
  list(): Profile[];
  defaultName(): string | undefined;
  /** The profile of that name, or an error that names the closest one. */
  get(name: string): Profile;
  find(name: string): Profile | undefined;
  apiKey(profile: Profile): Promise<Secret>;
  /** `keyring` or `file /path`. */
  whereKeyIs(profile: Profile): string;
  /** Refuses a name that is taken, so that nobody types a key for nothing. */
  mustBeFree(name: string): void;
  /** The first profile becomes the default. */
  add(profile: NewProfile): Promise<{ profile: Profile; isDefault: boolean }>;
  use(name: string): Promise<Profile>;
  /** `keyLeft` says where the key still is when it could not be deleted. */
  remove(name: string): Promise<{ profile: Profile; wasDefault: boolean; keyLeft?: string }>;
  /** Adds aliases, and removes those without a state of ours. Returns all that there are now. */
  alias(name: string, changes: Readonly<Record<string, string>>): Promise<Profile>;
  /** Changes what is given and leaves the rest. */
  set(name: string, settings: ProfileSettings): Promise<Profile>;
  /** Writes profiles of the sandbox's own, keys in files. Those that it did not make are left alone. */
  putSandbox(profiles: NewProfile[]): Promise<{ written: string[]; defaultName: string | undefined }>;
}

/** Commands to type when there is no profile at all. */
export const firstSteps = [
  paydesk('sandbox', 'start'),
  paydesk('profiles', 'add', 'NAME', '--base-url', 'URL', '--app-id', 'ID', '--sandbox'),
];

/** The profiles of the user who runs this. */
export function openProfiles(env: Environment): ProfileStore {
  return createProfileStore({ paths: findPaths(env), env });
}

export function createProfileStore(options: { paths: Paths; env: Environment }): ProfileStore {
  const file = options.paths.configFile;
  const secrets = createSecrets(options);
  const read = () => readConfig(file);

  const find = (name: string) => profileIn(read(), name);

  return {
    file,
    find,
    list() {
      const config = read();
      return Object.keys(config.profiles)
        .sort()
        .map((name) => toProfile(name, config.profiles[name]!));
    },
    defaultName() {
      return defaultOf(read());
    },
    get(name) {
      const config = read();
      return profileIn(config, name) ?? refuseUnknown(config, name);
    },
    apiKey(profile) {
      return secrets.get(profile.name, profile.key, addAgain(profile));
    },
    whereKeyIs(profile) {
      return secrets.describe(profile.key);
    },

    mustBeFree(name) {
      refuseTaken(read(), name);
    },

    add: (profile) => addProfile(file, secrets, profile),

    async use(name) {
      return await updateConfig(file, (config) => {
        const profile = profileIn(config, name) ?? refuseUnknown(config, name);
        config.default = name;
        return profile;
      });
    },

    remove: (name) => removeProfile(file, secrets, name),

    async alias(name, changes) {
      return await updateConfig(file, (config) => {
        if (!profileIn(config, name)) refuseUnknown(config, name);
        const stored = config.profiles[name]!;
        const all = { ...stored.aliases, ...changes };
        stored.aliases = Object.fromEntries(Object.entries(all).filter(([, ours]) => ours !== ''));
        return toProfile(name, stored);
      });
    },

    async set(name, settings) {
      return await updateConfig(file, (config) => {
        if (!profileIn(config, name)) refuseUnknown(config, name);
        const stored = config.profiles[name]!;
        applySettings(stored, settings);
        return toProfile(name, stored);
      });
    },

    putSandbox: (profiles) => putSandboxProfiles(file, secrets, profiles),
  };
}

async function addProfile(
  file: string,
  secrets: Secrets,
  { name, apiKey, baseUrl, appId, kind, ...settings }: NewProfile,
): Promise<{ profile: Profile; isDefault: boolean }> {
  refuseTaken(readConfig(file), name);
  const key = await secrets.put(name, apiKey);
  try {
    return await updateConfig(file, (config) => {
      refuseTaken(config, name);
      const stored: StoredProfile = { baseUrl, appId, kind, key };
      applySettings(stored, settings);
      config.profiles[name] = stored;
      if (defaultOf(config) === undefined) config.default = name;
      return { profile: toProfile(name, stored), isDefault: config.default === name };
    });
  } catch (error) {
    await secrets.delete(key).catch(() => {});
    throw error;
  }
}

async function removeProfile(
  file: string,
  secrets: Secrets,
  name: string,
): Promise<{ profile: Profile; wasDefault: boolean; keyLeft?: string }> {
  const removed = await updateConfig(file, (config) => {
    const profile = profileIn(config, name) ?? refuseUnknown(config, name);
    const wasDefault = config.default === name;
    delete config.profiles[name];
    // Another default is chosen by a person: it might be a live app.
    if (wasDefault) delete config.default;
    return { profile, wasDefault };
  });
  try {
    await secrets.delete(removed.profile.key);
    return removed;
  } catch {
    return { ...removed, keyLeft: secrets.describe(removed.profile.key) };
  }
}

async function putSandboxProfiles(
  file: string,
  secrets: Secrets,
  profiles: NewProfile[],
): Promise<{ written: string[]; defaultName: string | undefined }> {
  const earlier = readConfig(file);
  const kept = new Map<string, KeyReference>();
  const made = await Promise.all(
    profiles.map(async ({ name, apiKey, baseUrl, appId, kind }) => {
      const known = await knownKey(secrets, profileIn(earlier, name), apiKey);
      if (known) kept.set(name, known);
      return {
        name,
        baseUrl,
        appId,
        kind,
        key: known ?? (await secrets.put(name, apiKey, { only: 'file' })),
      };
    }),
  );
  const unused: KeyReference[] = [];
  const result = await updateConfig(file, (config) => {
    const written: string[] = [];
    // Somebody wrote the profile meanwhile, and may have deleted the key.
    const isKept = ([name, { id }]: [string, KeyReference]) =>
      profileIn(config, name)?.madeBy === 'sandbox' && config.profiles[name]?.key.id === id;
    if (![...kept].every(isKept)) return undefined;
    for (const { name, ...rest } of made) {
      const before = profileIn(config, name);
      if (before !== undefined && before.madeBy !== 'sandbox') {
        unused.push(rest.key);
        continue;
      }
      if (before !== undefined && !kept.has(name)) unused.push(before.key);
      config.profiles[name] = { ...config.profiles[name], ...rest, madeBy: 'sandbox' };
      written.push(name);
    }
    // Never one that poses as live: nobody should act on it without having asked for it.
    const newDefault = made.find(({ name, kind }) => kind === 'sandbox' && written.includes(name));
    if (defaultOf(config) === undefined && newDefault !== undefined) config.default = newDefault.name;
    return { written, defaultName: defaultOf(config) };
  });
  if (!result) unused.push(...made.filter(({ name }) => !kept.has(name)).map(({ key }) => key));
  for (const key of unused) await secrets.delete(key).catch(() => {});
  return result ?? putSandboxProfiles(file, secrets, profiles);
}

/** Where the key is, if the sandbox's own profile has it already. */
async function knownKey(
  secrets: Secrets,
  profile: Profile | undefined,
  apiKey: Secret,
): Promise<KeyReference | undefined> {
  if (profile?.madeBy !== 'sandbox') return undefined;
  // A key that is missing or unreadable is written again.
  const stored = await secrets.get(profile.name, profile.key).catch(() => undefined);
  return stored?.equals(apiKey) ? profile.key : undefined;
}

function toProfile(name: string, stored: StoredProfile): Profile {
  return {
    name,
    baseUrl: withoutTrailingSlash(stored.baseUrl),
    appId: stored.appId,
    kind: stored.kind,
    aliases: withoutPrototype(stored.aliases),
    quietMs: stored.quietMs ?? (stored.madeBy === 'sandbox' ? SANDBOX_QUIET_MS : DEFAULT_QUIET_MS),
    readOnly: stored.readOnly === true,
    tls: tlsFilesOf(stored),
    ...(stored.madeBy === undefined ? {} : { madeBy: stored.madeBy }),
    key: stored.key,
  };
}

const fileSettings = ['caFile', 'clientCert', 'clientKey'] as const;

function tlsFilesOf(stored: StoredProfile): TlsFiles {
  return Object.fromEntries(
    fileSettings.flatMap((name) => (stored[name] === undefined ? [] : [[name, stored[name]]])),
  );
}

function applySettings(stored: StoredProfile, settings: ProfileSettings): void {
  const { quietMs, readOnly } = settings;
  if (quietMs !== undefined) stored.quietMs = quietMs;
  if (readOnly === true) stored.readOnly = true;
  if (readOnly === false) delete stored.readOnly;
  for (const name of fileSettings) {
    const path = settings[name];
    if (path === '') delete stored[name];
    else if (path !== undefined) stored[name] = path;
  }
}

function profileIn(config: Config, name: string): Profile | undefined {
  return Object.hasOwn(config.profiles, name) ? toProfile(name, config.profiles[name]!) : undefined;
}

/** A default that names no profile is none. */
function defaultOf(config: Config): string | undefined {
  return config.default !== undefined && Object.hasOwn(config.profiles, config.default)
    ? config.default
    : undefined;
}

function refuseUnknown(config: Config, name: string): never {
  const known = Object.keys(config.profiles).sort();
  const hint = didYouMean(name, known) || (known.length > 0 ? ` There are: ${known.join(', ')}.` : '');
  throw new ProfileError(`There is no profile ${JSON.stringify(name)}.${hint}`, {
    code: 'profile-unknown',
    next: known.length > 0 ? [paydesk('profiles', 'list')] : firstSteps,
  });
}

/** Names that differ only in case would be one for the reader. */
function refuseTaken(config: Config, name: string): void {
  const taken = Object.keys(config.profiles).find((other) => other.toLowerCase() === name.toLowerCase());
  if (taken === undefined) return;
  throw new UsageError(
    `Profile ${taken} already exists. Nothing was changed. Choose another name, or remove that profile ` +
      `first.`,
    {
      code: 'profile-exists',
      saysNothingSent: true,
      next: [paydesk('profiles', 'remove', taken)],
    },
  );
}
