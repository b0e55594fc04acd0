// From "which app" to a client that can be used: the profile, its key, and what --debug tells of each request.

import type { ClientEvent } from '../client/call.js';
import type { Client, ClientOptions } from '../client/client.js';
import { dropInsecureTls, INSECURE_TLS_IGNORED } from '../client/insecure-tls.js';
import { isStateName, type StateName } from '../contract/states.js';
import type { Redactor } from '../redact.js';
import type { Line } from '../output/lines.js';
import { unverifiedKind } from '../output/views/live.js';
import { tookTime } from '../output/time.js';
import type { Environment } from '../profiles/paths.js';
import { resolveProfile, type KnownProfile, type ResolvedProfile } from '../profiles/resolve.js';
import { openProfiles } from '../profiles/store.js';

export interface Session {
  profile: ResolvedProfile;
  /** Whether the profile was stored by a sandbox on this machine. */
  isOwnSandbox: boolean;
  /** Ends its calls on Ctrl-C and when `--timeout` is up. */
  client: Client;
  /** Goes on after that, for a few seconds: reads that tell where an instruction stands that was sent before. */
  settling: Client;
  close(): Promise<void>;
}

/** A session for what changes something. */
export interface ChangingSession extends Session {
  profile: KnownProfile;
}

export interface SessionOptions {
  /** `--profile` as given. */
  profileName: string | undefined;
  env: Environment;
  secrets: Redactor;
  trace: ((text: string) => void) | undefined;
  note: (text: string) => void;
  /** Makes a listener for the requests of one client. */
  onEvent?: () => (event: ClientEvent) => void;
  signal: AbortSignal;
}

const SETTLING_MS = 5_000;

export async function openSession(options: SessionOptions): Promise<Session> {
  const { env, secrets, trace } = options;
  const store = openProfiles(env);
  const profile = resolveProfile({ flag: options.profileName, env, store });
  if (dropInsecureTls(env) && profile.baseUrl.startsWith('https:')) options.note(INSECURE_TLS_IGNORED);
  const { createClient } = await import('../client/client.js');
  const common: ClientOptions = {
    baseUrl: profile.baseUrl,
    appId: profile.appId,
    ...(profile.kind && { kind: profile.kind }),
    aliases: stateAliases(profile.aliases),
    isSandbox: profile.kind !== 'live' || profile.madeBySandbox,
    apiKey: async () => {
      const key = (await profile.apiKey()).reveal();
      secrets.addKey(key);
      return key;
    },
  };
  const onEvent = () => {
    const heed = options.onEvent?.();
    return (event: ClientEvent) => {
      heed?.(event);
      trace?.(eventText(event));
    };
  };
  const client = createClient({ ...common, onEvent: onEvent(), signal: options.signal });
  const settling = createClient({
    ...common,
    onEvent: onEvent(),
    timeouts: { attemptMs: SETTLING_MS, overallMs: SETTLING_MS },
  });
  const stored = profile.name === undefined ? undefined : store.find(profile.name);
  return {
    profile,
    isOwnSandbox: stored?.madeBy === 'sandbox' && stored.baseUrl === profile.baseUrl,
    client,
    settling,
    close: async () => {
      await client.close();
      await settling.close();
    },
  };
}

/**
 * Where nobody said whether the app is live, the service is asked. An app of which it does not say either is treated as
 * live, wherever it runs.
 */
export async function verifyKind(session: Session, note: (line: Line) => void): Promise<ChangingSession> {
  const { profile, client } = session;
  if (profile.kind !== undefined) return { ...session, profile: { ...profile, kind: profile.kind } };
  const { askKind } = await import('../client/app-kind.js');
  const kind = await askKind(client);
  if (kind === undefined) note(unverifiedKind(profile.appId));
  return { ...session, profile: { ...profile, kind: kind ?? 'live' } };
}

/** The file may have been edited by hand: a name that is no state of ours maps nothing. */
function stateAliases(aliases: Readonly<Record<string, string>>): Record<string, StateName> {
  const known = Object.entries(aliases).filter((entry): entry is [string, StateName] =>
    isStateName(entry[1]),
  );
  return Object.fromEntries(known);
}

export function eventText(event: ClientEvent): string {
  const body = (text: string | undefined) => (text === undefined ? '' : `  ${text}`);
  switch (event.type) {
    case 'request':
      return `${event.method} ${event.path}${body(event.body)}`;
    case 'answer': {
      const id = event.requestId === undefined ? '' : `, request ${event.requestId}`;
      return `${event.httpStatus} in ${tookTime(event.ms)}${id}${body(event.body)}`;
    }
    case 'failure': {
      const left = event.sent === 'no' ? 'it was not sent' : 'it may have arrived';
      return `${event.reason} after ${tookTime(event.ms)}: ${event.message}, ${left}`;
    }
    default:
      return `attempt ${event.attempt + 1} in ${tookTime(event.waitMs)}`;
  }
}
