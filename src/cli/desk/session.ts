// The app that a command acts on: its profile, its key, and the clients that talk to it.

import type { Command } from '../../next-command.js';
import type { ClientEvent } from '../../client/call.js';
import type { Client, ClientOptions } from '../../client/client.js';
import { dropInsecureTls, INSECURE_TLS_IGNORED } from '../../client/insecure-tls.js';
import { requestHeaders } from '../../client/request-headers.js';
import { canonicalState, isStateName, type StateAliases, type StateName } from '../../contract/states.js';
import { GuardError, PaydeskError, PendingError, TemporaryError, UnknownOutcomeError } from '../../errors.js';
import { type Line, toned } from '../../output/lines.js';
import { unverifiedKind } from '../../output/views/live.js';
import { tookTime } from '../../output/time.js';
import { TwoPaymentsError } from '../../payments/named-payments.js';
import { connectionTo } from '../../profiles/connection.js';
import { findPaths } from '../../profiles/paths.js';
import { refuseReadOnly } from '../../profiles/read-only.js';
import { resolveProfile, type KnownProfile, type ResolvedProfile } from '../../profiles/resolve.js';
import { openProfiles } from '../../profiles/store.js';
import type { CommandContext } from '../runtime/context.js';
import { chosenProfile } from './chosen-profile.js';
import { createWaiting } from './waiting.js';

export interface Session {
  profile: ResolvedProfile;
  /** Whether the profile was stored by a sandbox on this machine. */
  isOwnSandbox: boolean;
  /** Ends its calls on Ctrl-C and when `--timeout` is up. */
  client: Client;
  /** Can still read for a few seconds after that, to find out the outcome of an instruction that was sent. */
  settling: Client;
}

/** A session for what changes something. */
export interface ChangingSession extends Session {
  profile: KnownProfile;
}

/** Which profile to connect to, and what ends its calls. */
interface Connection {
  profileName: string | undefined;
  signal: AbortSignal;
  /** Makes a listener for the requests of one client. Without one, and without a trace, no events are made. */
  onEvent?: () => (event: ClientEvent) => void;
  /** The client refuses everything but reads. */
  onlyReads?: boolean;
}

const SETTLING_MS = 5_000;

/** The app whose known payments are searched. Nothing is sent, so the HTTP client is not loaded. */
export function openApp(context: CommandContext): Pick<Session, 'profile'> & {
  client: Pick<Client, 'canonicalState'>;
} {
  const profile = chosenProfile(context);
  noteApp(context, profile);
  return { profile, client: statesOf(profile) };
}

/** Our names of the states of an app. */
export function statesOf(profile: ResolvedProfile): Pick<Client, 'canonicalState'> {
  const aliases = stateAliases(profile.aliases);
  return { canonicalState: (name) => canonicalState(name, aliases) };
}

interface SessionOptions {
  /** False where the screen shows the waiting by itself. */
  showsWaiting?: boolean;
  /** False where `openApp` has shown which app it is. */
  showsApp?: boolean;
  /** Nothing but reads can be sent, so that nothing has to be counted. */
  onlyReads?: boolean;
}

/** The app that the command acts on. Requests are counted, and a terminal shows that a slow one is waited for. */
export async function openSession(
  context: CommandContext,
  { showsWaiting = true, showsApp = true, onlyReads = false }: SessionOptions = {},
): Promise<Session> {
  const { stderr } = context.streams;
  const waiting = createWaiting((text) => context.status(text));
  const isShown = showsWaiting && stderr.terminal && context.trace === undefined;
  const listener = () => {
    const show = isShown ? waiting.listener() : undefined;
    const count = context.sent.listener();
    return (event: ClientEvent) => {
      count(event);
      show?.(event);
    };
  };
  const session = await connect(context, {
    profileName: context.profileName,
    signal: context.signal,
    onlyReads,
    ...((isShown || !onlyReads) && { onEvent: listener }),
  });
  context.atEnd(() => waiting.close());
  context.refineErrors((error) => refineError(error, context, session));
  if (showsApp) noteApp(context, session.profile);
  return session;
}

function noteApp(context: CommandContext, { kind, name, appId, readOnly }: ResolvedProfile): void {
  if ((kind !== 'live' && !readOnly) || !context.streams.stderr.terminal || context.changesService) return;
  const what = `${kind === 'live' ? 'Live app' : 'App'} ${appId} (profile ${name ?? 'environment'})`;
  context.note(toned('dim', readOnly ? `${what}, read-only` : what));
}

/** For what changes something: whether the app is live is known before anybody is asked to confirm. */
export async function openChangingSession(
  context: CommandContext,
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<ChangingSession> {
  if (dryRun) return openVerifiedSession(context);
  // A command that changes something shows the live banner instead.
  const session = await openSession(context, { showsApp: false });
  refuseReadOnly(session.profile);
  return verifyKind(session, context.note);
}

/** For what changes nothing, also at a read-only desk, and must know all the same whether the app is live. */
export const openVerifiedSession = async (context: CommandContext): Promise<ChangingSession> =>
  verifyKind(await openSession(context), context.note);

/** Clients for a profile, closed when the command ends. */
export async function connect(context: CommandContext, connection: Connection): Promise<Session> {
  const { secrets, trace, note } = context;
  const { env } = context.streams;
  const store = openProfiles(env);
  const profile = resolveProfile({ flag: connection.profileName, env, store });
  if (dropInsecureTls(env) && profile.baseUrl.startsWith('https:')) note(INSECURE_TLS_IGNORED);
  const route = await connectionTo(profile, env, secrets);
  if (route.proxy) trace?.(`proxy ${route.proxy.address} (${route.proxy.variable})`);
  const { createClient } = await import('../../client/client.js');
  const common: ClientOptions = {
    baseUrl: profile.baseUrl,
    connection: route,
    headers: requestHeaders(env, context.program.packageFile().version),
    appId: profile.appId,
    ...(profile.kind && { kind: profile.kind }),
    aliases: stateAliases(profile.aliases),
    readOnly: profile.readOnly || connection.onlyReads === true,
    isSandbox: profile.kind !== 'live' || profile.madeBySandbox,
    apiKey: async () => {
      const key = (await profile.apiKey()).reveal();
      secrets.addKey(key);
      return key;
    },
  };
  const listening = () => {
    const listen = connection.onEvent?.();
    if (listen === undefined && trace === undefined) return {};
    const onEvent = (event: ClientEvent) => {
      listen?.(event);
      trace?.(eventText(event));
    };
    return { onEvent };
  };
  const client = createClient({ ...common, ...listening(), signal: connection.signal });
  const settling = createClient({
    ...common,
    ...listening(),
    timeouts: { attemptMs: SETTLING_MS, overallMs: SETTLING_MS },
  });
  context.atEnd(async () => {
    await client.close();
    await settling.close();
  });
  const stored = profile.name === undefined ? undefined : store.find(profile.name);
  const isOwnSandbox = stored?.madeBy === 'sandbox' && stored.baseUrl === profile.baseUrl;
  return { profile, isOwnSandbox, client, settling };
}

/** Adds to an error what only the profile and the typed command tell. */
async function refineError(
  error: unknown,
  { typed, streams }: CommandContext,
  { profile, isOwnSandbox }: Session,
): Promise<unknown> {
  if (error instanceof TwoPaymentsError) return withBothCommands(error, typed);
  if (!isOwnSandbox || !(error instanceof PaydeskError)) return error;
  // What is open in the ledger is told together with why the payment could not be read.
  const silence = error instanceof UnknownOutcomeError ? error.cause : error;
  const isSilent = silence instanceof TemporaryError || silence instanceof PendingError;
  if (!isSilent || silence.httpStatus !== undefined) return error;
  const { noAnswerError, noAnswerOrOther } = await import('../../sandbox-control/find.js');
  const { data } = findPaths(streams.env);
  // Only the sandbox that was sent an instruction knows what became of it.
  const why =
    error instanceof UnknownOutcomeError
      ? noAnswerError(data, profile.baseUrl)
      : await noAnswerOrOther(data, profile.baseUrl, { typed, profiles: openProfiles(streams.env).list() });
  if (why.code !== 'sandbox-paused' && silence.code !== 'refused') return error;
  const next = [...why.next, ...error.next.filter((step) => !silence.next.includes(step))];
  return error.with({ message: `${error.message} ${why.message}`, next });
}

/** The command as it was typed, once for each of the two payments. */
function withBothCommands(error: TwoPaymentsError, { words }: Command): GuardError {
  const { message, code, details, digits, cause } = error;
  if (digits === undefined || !words.includes(digits)) return error;
  const next = ['id', 'ref'].map((prefix) => ({
    words: words.map((word) => (word === digits ? `${prefix}:${digits}` : word)),
  }));
  return new GuardError(message, { code, details, next, cause });
}

/** If the profile does not say whether the app is live, asks the service. If neither says, the app is treated as live. */
export async function verifyKind(session: Session, note: (line: Line) => void): Promise<ChangingSession> {
  const { profile, client } = session;
  if (profile.kind !== undefined) return { ...session, profile: { ...profile, kind: profile.kind } };
  const { askKind } = await import('../../client/app-kind.js');
  const kind = await askKind(client);
  if (kind === undefined) note(unverifiedKind(profile.appId));
  return { ...session, profile: { ...profile, kind: kind ?? 'live' } };
}

/** Drops aliases of states that do not exist: the file may have been edited by hand. */
function stateAliases(aliases: Readonly<Record<string, string>>): StateAliases {
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
