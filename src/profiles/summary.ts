import type { Kind, Profile, ProfileStore } from './store.js';

/** A stored profile as it is printed: where its key is, never the key. */
export interface ProfileSummary {
  name: string;
  kind: Kind;
  appId: string;
  baseUrl: string;
  isDefault: boolean;
  /** `keyring` or `file /path`. */
  key: string;
  aliases: Record<string, string>;
  /** How long the service may take to show what it did, in milliseconds. */
  quietMs: number;
  /** Nothing is changed at the service. */
  readOnly: boolean;
  caFile?: string;
  clientCert?: string;
  clientKey?: string;
  /** `sandbox` when `sandbox start` wrote it. */
  madeBy?: 'sandbox';
}

export function summarise(profiles: ProfileStore, profile: Profile): ProfileSummary {
  const { name, kind, appId, baseUrl, aliases, quietMs, readOnly, tls, madeBy } = profile;
  return {
    name,
    kind,
    appId,
    baseUrl,
    isDefault: profiles.defaultName() === name,
    key: profiles.whereKeyIs(profile),
    aliases,
    quietMs,
    readOnly,
    ...tls,
    ...(madeBy === undefined ? {} : { madeBy }),
  };
}
