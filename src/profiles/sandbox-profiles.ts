import type { NewProfile, ProfileStore } from './store.js';
import { Secret } from './secret.js';

interface SandboxApp {
  appId: string;
  apiKey: string;
  isSandbox: boolean;
}

export interface SandboxProfiles {
  /** Profiles that point at this sandbox now, whether they had to be written or not. */
  stored: string[];
  /** Profiles of somebody else's under the same name, left as they are. */
  skipped: { name: string; why: string }[];
  defaultName: string | undefined;
  /** Profiles that pointed at a sandbox with another address before, and at which. */
  moved: { name: string; from: string }[];
}

/** The profile that points at an app of this sandbox now; the default one where several do. */
export function profileNameOf(store: ProfileStore, url: string, appId: string): string | undefined {
  const names = store
    .list()
    .filter((profile) => profile.appId === appId && profile.baseUrl === url)
    .map(({ name }) => name);
  const defaultName = store.defaultName();
  return defaultName !== undefined && names.includes(defaultName) ? defaultName : names[0];
}

/** Points `local` and `local-live` at a running sandbox. Writes nothing when they do so already. */
export async function storeSandboxProfiles(
  store: ProfileStore,
  sandbox: { url: string; apps: readonly SandboxApp[] },
): Promise<SandboxProfiles> {
  const wanted: NewProfile[] = [];
  const skipped: SandboxProfiles['skipped'] = [];
  const moved: SandboxProfiles['moved'] = [];
  let unchanged = true;
  for (const kind of ['sandbox', 'live'] as const) {
    const app = sandbox.apps.find((app) => app.isSandbox === (kind === 'sandbox'));
    if (app === undefined) continue;
    const name = kind === 'sandbox' ? 'local' : 'local-live';
    const stored = store.find(name);
    if (stored !== undefined && stored.madeBy !== 'sandbox') {
      skipped.push({ name, why: `you created the profile ${name}, for ${stored.baseUrl}` });
      continue;
    }
    const profile: NewProfile = {
      name,
      baseUrl: sandbox.url,
      appId: app.appId,
      kind,
      apiKey: new Secret(app.apiKey),
    };
    wanted.push(profile);
    if (stored !== undefined && stored.baseUrl !== profile.baseUrl) {
      moved.push({ name, from: stored.baseUrl });
    }
    unchanged &&= await isStored(store, profile);
  }
  const names = wanted.map((profile) => profile.name);
  const currentDefault = store.defaultName();
  if (unchanged && (currentDefault !== undefined || !names.includes('local'))) {
    return { stored: names, skipped, defaultName: currentDefault, moved };
  }
  const { written, defaultName } = await store.putSandbox(wanted);
  for (const name of names) {
    // Somebody added a profile of this name while we were writing.
    if (!written.includes(name)) skipped.push({ name, why: `you created the profile ${name}` });
  }
  return { stored: written, skipped, defaultName, moved: moved.filter(({ name }) => written.includes(name)) };
}

export interface RenewedProfiles {
  /** Profiles of this sandbox that were pointed at other apps. */
  updated: string[];
  /** Profiles that somebody made for an app that this sandbox no longer has. */
  stale: string[];
}

/** After the apps of a sandbox were replaced: its own profiles follow. Those of other sandboxes stay as they are. */
export async function renewSandboxProfiles(
  store: ProfileStore,
  sandbox: { url: string; apps: readonly SandboxApp[] },
): Promise<RenewedProfiles> {
  const pointing = store.list().filter(({ baseUrl }) => baseUrl === sandbox.url);
  const isGone = ({ appId }: { appId: string }) => !sandbox.apps.some((app) => app.appId === appId);
  const gone = pointing.filter(isGone);
  if (pointing.some(({ madeBy }) => madeBy === 'sandbox')) await storeSandboxProfiles(store, sandbox);
  const stale = gone.map(({ name }) => name).filter((name) => isGone(store.get(name)));
  return { updated: gone.map(({ name }) => name).filter((name) => !stale.includes(name)), stale };
}

async function isStored(store: ProfileStore, wanted: NewProfile): Promise<boolean> {
  const stored = store.find(wanted.name);
  if (stored === undefined) return false;
  const same = (['baseUrl', 'appId', 'kind'] as const).every((member) => stored[member] === wanted[member]);
  if (!same) return false;
  // A key that is missing or unreadable is written again.
  const key = await store.apiKey(stored).catch(() => undefined);
  return key !== undefined && key.equals(wanted.apiKey);
}
