import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childEnvironment, type Environment } from '../child-environment.js';
import { Secret } from './secret.js';

export interface Keyring {
  /** The name under which the system's own tools list our entries. */
  service: string;
  /** Whether an entry can be written, read back and deleted within the limit. */
  works(): Promise<boolean>;
  set(account: string, secret: Secret): Promise<void>;
  get(account: string): Promise<Secret | undefined>;
  delete(account: string): Promise<void>;
}

const PROBE_LIMIT_MS = 3000;

/** The system's keyring: macOS Keychain, Windows Credential Manager, Secret Service on Linux. Entries are scoped by folder. */
export function createKeyring(options: { folder: string; env: Environment }): Keyring {
  const service = `paydesk ${scopeOf(options.folder)}`;

  const open = async (account: string) => {
    const { AsyncEntry } = await import('@napi-rs/keyring');
    // Without the option Linux falls back to the kernel keyring, which forgets at reboot.
    return new AsyncEntry(service, account, { linux: { store: 'secret-service' } });
  };

  return {
    service,
    async works() {
      // One executable has no native parts beside it.
      if (process.getBuiltinModule('node:sea').isSea()) return false;
      if (process.platform === 'linux' && !hasSessionBus(options.env)) return false;
      return await probe(service, options.env);
    },
    async set(account, secret) {
      await (await open(account)).setPassword(secret.reveal());
    },
    async get(account) {
      const found = await (await open(account)).getPassword();
      return found === null ? undefined : new Secret(found);
    },
    async delete(account) {
      await (await open(account)).deletePassword();
    },
  };
}

function probe(service: string, env: Environment): Promise<boolean> {
  // The same extension as this file: .js once compiled, .ts when run from source.
  const script = fileURLToPath(new URL(`./keyring-probe${extname(import.meta.url)}`, import.meta.url));
  return new Promise((done) => {
    const limits = { timeout: PROBE_LIMIT_MS, killSignal: 'SIGKILL' as const };
    const options = { ...limits, env: childEnvironment(env) };
    execFile(process.execPath, [script, service], options, (error) => done(error === null));
  });
}

/** No session bus, no Secret Service: knowing that spares a failed probe on servers and in containers. */
function hasSessionBus(env: Environment): boolean {
  if (env['DBUS_SESSION_BUS_ADDRESS']) return true;
  const runtime = env['XDG_RUNTIME_DIR'];
  return runtime !== undefined && existsSync(join(runtime, 'bus'));
}

/** The real path, so that a folder reached through a link is the same one; a folder that is not there has no entries yet. */
function scopeOf(folder: string): string {
  const real = existsSync(folder) ? realpathSync(folder) : folder;
  return createHash('sha256').update(real).digest('hex').slice(0, 12);
}
