import { dirname } from 'node:path';
import { isSystemError } from '../file-problem.js';
import { writeProblem } from '../home-folder.js';
import { paydesk } from '../next-command.js';
import { ProfileError } from '../errors.js';
import { isLoopbackUrl } from '../loopback.js';
import { aliasesIn, withoutPrototype } from './aliases.js';
import { checkApiKey, checkAppId, checkBaseUrl, type Checked } from './checks.js';
import type { Environment } from '../child-environment.js';
import { DEFAULT_QUIET_MS, quietPeriodIn, SANDBOX_QUIET_MS } from './quiet-period.js';
import { readOnlyIn } from './read-only.js';
import type { Secret } from './secret.js';
import type { TlsFiles } from './tls-files.js';
import { firstSteps, type Kind, type Profile, type ProfileStore } from './store.js';

/** The app that a command acts on, and where each part of that came from. */
export interface ResolvedProfile {
  /** Undefined when the environment variables stand in for a stored profile. */
  name?: string;
  baseUrl: string;
  appId: string;
  /** Undefined where nobody said: the service is asked before anything is changed. */
  kind: Kind | undefined;
  /** Stored by `sandbox start`: a paydesk sandbox, even where its app poses as live. */
  madeBySandbox: boolean;
  /** The service's state names, mapped onto ours. */
  aliases: Record<string, string>;
  /** How long the service may take to show what it did. Nothing is sent again before it has passed. */
  quietMs: number;
  /** The quiet period of a paydesk sandbox, where nobody set one. */
  sandboxQuietMs?: number;
  /** Nothing is changed at the service. */
  readOnly: boolean;
  tls: TlsFiles;
  /** Read when it is first asked for: commands that send nothing never touch the keyring. */
  apiKey(): Promise<Secret>;
  sources: {
    profile: string;
    baseUrl: string;
    appId: string;
    kind: string;
    apiKey: string;
    quietPeriod: string;
    aliases: string;
    readOnly: string;
  };
  /** What is set and not used, and what goes before it. */
  shadowed: Shadowed[];
}

/** A profile of which it is known whether real money moves. */
export type KnownProfile = ResolvedProfile & { kind: Kind };

interface Shadowed {
  what: string;
  by: string;
}

const triple = ['PAYDESK_BASE_URL', 'PAYDESK_APP_ID', 'PAYDESK_API_KEY'] as const;
const threeNames = triple.join(', ');

/**
 * The flag goes before the environment, the environment before the store.
 * Within the environment the three variables go before PAYDESK_PROFILE, as credentials in the environment do
 * in other tools; a partial set is refused rather than mixed with a stored profile.
 */
export function resolveProfile(options: {
  flag?: string | undefined;
  env: Environment;
  store: ProfileStore;
}): ResolvedProfile {
  const { flag, store } = options;
  const env = (name: string) => options.env[name]?.trim() || undefined;
  const given = triple.filter((name) => env(name) !== undefined);
  const picked = env('PAYDESK_PROFILE');
  const settings: Omit<EnvironmentSettings, 'shadowed'> = {
    quietMs: quietPeriodIn(options.env),
    readOnly: readOnlyIn(options.env),
    aliases: aliasesIn(options.env),
  };

  if (flag !== undefined) {
    const profile = store.get(flag);
    const ignored = [
      ...given,
      ...present(env, 'PAYDESK_KIND'),
      ...(picked === flag ? [] : present(env, 'PAYDESK_PROFILE')),
    ];
    return stored(store, profile, '--profile', {
      ...settings,
      shadowed: shadow(ignored, `--profile ${flag}`),
    });
  }

  if (given.length > 0) {
    const missing = triple.filter((name) => !given.includes(name));
    if (missing.length > 0) refusePartial(given, missing);
    const shadowed = shadow(present(env, 'PAYDESK_PROFILE'), threeNames);
    const defaultName = defaultBehind(store);
    if (picked === undefined && defaultName !== undefined)
      shadowed.push({ what: `default profile ${defaultName}`, by: threeNames });
    return fromEnvironment(env, { ...settings, shadowed });
  }

  if (picked !== undefined) {
    const profile = store.get(picked);
    const shadowed = shadow(present(env, 'PAYDESK_KIND'), `PAYDESK_PROFILE=${picked}`);
    const defaultName = store.defaultName();
    if (defaultName !== undefined && defaultName !== picked) {
      shadowed.push({ what: `default profile ${defaultName}`, by: `PAYDESK_PROFILE=${picked}` });
    }
    return stored(store, profile, 'environment PAYDESK_PROFILE', { ...settings, shadowed });
  }

  const defaultName = store.defaultName();
  if (defaultName === undefined) refuseNone(store);
  const shadowed = shadow(present(env, 'PAYDESK_KIND'), `default profile ${defaultName}`);
  return stored(store, store.get(defaultName), 'default profile', { ...settings, shadowed });
}

/** What the environment sets for any profile. */
interface EnvironmentSettings {
  shadowed: Shadowed[];
  quietMs: number | undefined;
  readOnly: boolean;
  aliases: Record<string, string> | undefined;
}

function stored(
  store: ProfileStore,
  profile: Profile,
  how: string,
  { shadowed, quietMs, readOnly, aliases }: EnvironmentSettings,
): ResolvedProfile {
  const from = `profile ${profile.name} (${store.file})`;
  // The file may have been edited by hand since it was checked.
  const baseUrl = must(checkBaseUrl(profile.baseUrl), `The base URL of ${from}`);
  const appId = must(checkAppId(profile.appId), `The App ID of ${from}`);
  let key: Promise<Secret> | undefined;
  return {
    name: profile.name,
    baseUrl,
    appId,
    kind: profile.kind,
    madeBySandbox: profile.madeBy === 'sandbox',
    aliases: withoutPrototype({ ...profile.aliases, ...aliases }),
    quietMs: quietMs ?? profile.quietMs,
    readOnly: readOnly || profile.readOnly,
    tls: profile.tls,
    apiKey: () => (key ??= store.apiKey(profile)),
    sources: {
      profile: how,
      baseUrl: from,
      appId: from,
      kind: from,
      apiKey: store.whereKeyIs(profile),
      quietPeriod: quietMs === undefined ? from : 'environment PAYDESK_QUIET_PERIOD',
      aliases: aliases === undefined ? from : 'environment PAYDESK_STATE_ALIASES',
      readOnly: readOnly ? 'environment PAYDESK_READ_ONLY' : from,
    },
    shadowed,
  };
}

function fromEnvironment(
  env: (name: string) => string | undefined,
  { shadowed, quietMs, readOnly, aliases }: EnvironmentSettings,
): ResolvedProfile {
  const baseUrl = must(checkBaseUrl(env('PAYDESK_BASE_URL') ?? ''), 'PAYDESK_BASE_URL');
  const appId = must(checkAppId(env('PAYDESK_APP_ID') ?? ''), 'PAYDESK_APP_ID');
  const apiKey = must(checkApiKey(env('PAYDESK_API_KEY') ?? ''), 'PAYDESK_API_KEY');
  const kind = env('PAYDESK_KIND');
  if (kind !== undefined && kind !== 'sandbox' && kind !== 'live') {
    throw new ProfileError(`PAYDESK_KIND is ${JSON.stringify(kind)}: use sandbox or live.`, {
      code: 'profile-unusable',
    });
  }
  const local = isLoopbackUrl(baseUrl);
  const unsaid = local
    ? 'PAYDESK_KIND is not set, so paydesk checks with the service'
    : 'assumed: PAYDESK_KIND is not set';
  return {
    baseUrl,
    appId,
    kind: kind ?? (local ? undefined : 'live'),
    madeBySandbox: false,
    aliases: withoutPrototype(aliases),
    quietMs: quietMs ?? DEFAULT_QUIET_MS,
    readOnly,
    tls: {},
    ...(quietMs === undefined ? { sandboxQuietMs: SANDBOX_QUIET_MS } : {}),
    apiKey: () => Promise.resolve(apiKey),
    sources: {
      profile: 'environment',
      baseUrl: 'environment PAYDESK_BASE_URL',
      appId: 'environment PAYDESK_APP_ID',
      kind: kind === undefined ? unsaid : 'environment PAYDESK_KIND',
      apiKey: 'environment PAYDESK_API_KEY',
      quietPeriod: quietMs === undefined ? 'default' : 'environment PAYDESK_QUIET_PERIOD',
      aliases: aliases === undefined ? 'default' : 'environment PAYDESK_STATE_ALIASES',
      readOnly: readOnly ? 'environment PAYDESK_READ_ONLY' : 'default',
    },
    shadowed,
  };
}

function present(env: (name: string) => string | undefined, name: string): string[] {
  return env(name) === undefined ? [] : [name];
}

function shadow(names: string[], by: string): Shadowed[] {
  return names.map((what) => ({ what, by }));
}

/** In CI the file is of no concern when the environment says everything: one that cannot be read must not stop it. */
function defaultBehind(store: ProfileStore): string | undefined {
  try {
    return store.defaultName();
  } catch {
    return undefined;
  }
}

function must<T>(checked: Checked<T>, what: string): T {
  if ('value' in checked) return checked.value;
  throw new ProfileError(`${what} cannot be used: ${checked.problem}.`, { code: 'profile-unusable' });
}

function refusePartial(given: string[], missing: string[]): never {
  throw new ProfileError(
    `${given.join(' and ')} ${given.length === 1 ? 'is' : 'are'} set, but ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing.`,
    {
      code: 'environment-incomplete',
      details: `Set all of ${threeNames}, or none of them to use a profile.`,
    },
  );
}

function refuseNone(store: ProfileStore): never {
  const profiles = store.list();
  const names = profiles.map((profile) => profile.name);
  if (names.length === 0) {
    const unusable = writeProblem(dirname(store.file));
    // A read-only home may have no profile on purpose; below a file there can never be one.
    if (isSystemError(unusable?.cause) && unusable.cause.code === 'ENOTDIR') throw unusable;
    throw new ProfileError('There is no profile yet. Nothing was sent. Start a sandbox or add a profile.', {
      code: 'no-profile',
      saysNothingSent: true,
      next: firstSteps,
    });
  }
  throw new ProfileError(
    `No profile is selected, and there is no default. Nothing was sent. Profiles: ${names.join(', ')}.`,
    {
      code: 'no-profile',
      saysNothingSent: true,
      // A live app becomes the default only when somebody thinks of it.
      next: [
        ...profiles
          .filter(({ kind }) => kind === 'sandbox')
          .map(({ name }) => paydesk('profiles', 'use', name)),
        paydesk('profiles', 'list'),
      ],
    },
  );
}
