import { routeTo } from '../client/proxy.js';
import { ProfileError } from '../errors.js';
import type { Environment } from '../child-environment.js';
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
  /** Nothing is changed at the service. */
  readOnly: boolean;
  caFile?: string;
  clientCert?: string;
  clientKey?: string;
  /** The proxy that requests go through, without credentials. */
  proxy: string | null;
  sources: ResolvedProfile['sources'] & { proxy: string };
  shadowed: ResolvedProfile['shadowed'];
}

export async function identify(
  profile: ResolvedProfile,
  env: Environment,
): Promise<{ identity: Identity; problem: ProfileError | undefined }> {
  const problem = await profile.apiKey().then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof ProfileError) return error;
      throw error;
    },
  );
  const { name, kind, appId, baseUrl, aliases, quietMs, readOnly, tls, sources, shadowed } = profile;
  const route = routeTo(baseUrl, env);
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
      readOnly,
      ...tls,
      proxy: route.proxy?.address ?? null,
      sources: { ...sources, proxy: route.proxy ? route.proxy.variable : route.why },
      shadowed,
    },
    problem,
  };
}
