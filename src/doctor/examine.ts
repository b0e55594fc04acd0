import type { Environment } from '../child-environment.js';
import type { ClientOptions } from '../client/client.js';
import { dropInsecureTls } from '../client/insecure-tls.js';
import type { Connection } from '../client/dispatchers.js';
import { PaydeskError, UsageError } from '../errors.js';
import type { Redactor } from '../redact.js';
import { connectionTo } from '../profiles/connection.js';
import { findPaths } from '../profiles/paths.js';
import { resolveProfile, type ResolvedProfile } from '../profiles/resolve.js';
import { openProfiles, type ProfileStore } from '../profiles/store.js';
import {
  diagnose,
  fail,
  inTurn,
  notChecked,
  pass,
  type Check,
  type CheckName,
  type Diagnosis,
} from './check.js';
import { checkLedger, type LedgerWarning } from './ledger.js';
import { checkConfig, checkKeyring, checkModes, checkNode } from './machine.js';
import { checkDns, checkProxy, checkTls, lookedUpByProxy } from './network.js';
import { checkService } from './service.js';

interface ExamineOptions {
  profile: string | undefined;
  env: Environment;
  /** Where the ledger is: a file or postgres://… */
  ledger: string;
  /** Why live apps would refuse to send with it, if they would. */
  ledgerWarning: () => Promise<LedgerWarning | undefined>;
  /** The versions of Node that this program runs on. */
  requiredNode: string | undefined;
  /** Sent with every request. */
  headers: Readonly<Record<string, string>>;
  now: () => Date;
  /** Why nothing answers at an address of this machine, and what to type. */
  noAnswer: (url: string) => Promise<PaydeskError>;
  signal: AbortSignal;
  /** Told what must be shown nowhere. */
  secrets: Pick<Redactor, 'add' | 'addKey'>;
  onEvent?: ClientOptions['onEvent'];
}

/** Looks at everything that a command depends on; independent things at the same time. */
export async function examine(options: ExamineOptions): Promise<Diagnosis> {
  const { env } = options;
  const store = openProfiles(env);
  const paths = findPaths(env);
  const machine = [
    checkNode(process.versions.node, options.requiredNode),
    checkConfig(store),
    checkModes(paths),
  ];
  const [keyring, ledger, app] = await Promise.all([
    checkKeyring({ paths, env, store }),
    checkLedger(options.ledger, options.ledgerWarning),
    checkApp(options, store),
  ]);
  return diagnose([...machine, keyring, ledger, ...app]);
}

const ofApp: readonly CheckName[] = ['proxy', 'dns', 'tls', 'service', 'clock', 'key', 'kind'];

async function checkApp(options: ExamineOptions, store: ProfileStore): Promise<Check[]> {
  const { profile: flag, env } = options;
  const skipped = (names: readonly CheckName[], why: string) => names.map((name) => notChecked(name, why));
  let profile: ResolvedProfile;
  let apiKey: string;
  try {
    profile = resolveProfile({ ...(flag === undefined ? {} : { flag }), env, store });
    apiKey = (await profile.apiKey()).reveal();
  } catch (error) {
    if (!(error instanceof PaydeskError)) throw error;
    // The steps to a new key belong together: the first alone would only remove the profile.
    const steps = error.code === 'key-missing' ? error.next : error.next.slice(0, 1);
    const fix = steps.length === 0 ? undefined : inTurn(steps);
    return [fail('profile', error.message, fix), ...skipped(ofApp, 'there is no valid profile')];
  }
  options.secrets.addKey(apiKey);
  const name = profile.name === undefined ? 'The environment' : `Profile ${profile.name}`;
  const found = pass(
    'profile',
    `${name}: ${profile.kind === undefined ? '' : `${profile.kind} `}app ${profile.appId} at ${profile.baseUrl}.${profile.readOnly ? ' It is read-only.' : ''}`,
  );
  const stored = profile.name === undefined ? undefined : store.find(profile.name);
  const insecureTls = dropInsecureTls(env);
  let connection: Connection;
  try {
    connection = await connectionTo(profile, env, options.secrets);
  } catch (error) {
    if (!(error instanceof PaydeskError)) throw error;
    const part = error instanceof UsageError ? 'proxy' : 'tls';
    const others = ofApp.filter((name) => name !== part);
    return [found, fail(part, error.message), ...skipped(others, 'the connection cannot be set up')];
  }
  const { proxy: through } = connection;
  const proxy = await checkProxy(profile.baseUrl, env);
  if (proxy.status === 'fail')
    return [found, proxy, ...skipped(ofApp.slice(1), 'the proxy opened no connection')];
  const dns = through ? lookedUpByProxy(profile.baseUrl) : await checkDns(profile.baseUrl);
  if (dns.status === 'fail')
    return [found, proxy, dns, ...skipped(ofApp.slice(2), 'the name could not be looked up')];
  const [tls, service] = await Promise.all([
    checkTls(profile.baseUrl, connection, options.now(), insecureTls),
    checkService({ ...options, profile, stored, apiKey, connection }),
  ]);
  return [found, proxy, dns, tls, ...service];
}
