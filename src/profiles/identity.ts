import { ProfileError } from '../errors.js';
import type { ResolvedProfile } from './resolve.js';
import type { Kind } from './store.js';

/** What would be used, and where each part came from. The key is only said to be there. */
export interface Identity {
  profile: string | null;
  /** Null where the service has to be asked. */
  kind: Kind | null;
  appId: string;
  baseUrl: string;
  apiKey: 'set' | 'missing';
  aliases: Record<string, string>;
  /** How long the service may take to show what it did, in milliseconds. */
  quietMs: number;
  sources: ResolvedProfile['sources'];
  shadowed: ResolvedProfile['shadowed'];
}

export async function identify(
  profile: ResolvedProfile,
): Promise<{ identity: Identity; problem?: ProfileError }> {
  const problem = await profile.apiKey().then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof ProfileError) return error;
      throw error;
    },
  );
  const { name, kind, appId, baseUrl, aliases, quietMs, sources, shadowed } = profile;
  const apiKey = problem === undefined ? 'set' : 'missing';
  return {
    identity: {
      profile: name ?? null,
      kind: kind ?? null,
      appId,
      baseUrl,
      apiKey,
      aliases,
      quietMs,
      sources,
      shadowed,
    },
    problem,
  };
}
