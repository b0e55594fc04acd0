import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Environment } from '../../src/child-environment.js';
import { findPaths } from '../../src/profiles/paths.js';
import { Secret } from '../../src/profiles/secret.js';
import { createProfileStore, type NewProfile } from '../../src/profiles/store.js';

export const canary = 'canary-key-7Qx9';

/** A folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'paydesk-profiles-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A store in a temporary home, on a machine without a keyring. */
export function temporaryStore(more: Environment = {}) {
  const home = join(temporaryFolder(), 'home');
  const env: Environment = { ...more, PAYDESK_HOME: home };
  const paths = findPaths(env);
  return { home, env, paths, store: createProfileStore({ paths, env }) };
}

export function newProfile(name: string, more: Partial<NewProfile> = {}): NewProfile {
  return {
    name,
    baseUrl: 'https://payments.example.com',
    appId: `app-${name}`,
    kind: 'sandbox',
    apiKey: new Secret(canary),
    ...more,
  };
}

export function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}
