import { type ResolvedProfile, resolveProfile } from '../../profiles/resolve.js';
import { openProfiles } from '../../profiles/store.js';
import type { CommandContext } from '../runtime/context.js';

/** The profile that a command works with. Throws where there is none, or none that can be used. */
export function chosenProfile({
  profileName,
  streams: { env },
}: Pick<CommandContext, 'profileName' | 'streams'>): ResolvedProfile {
  return resolveProfile({ flag: profileName, env, store: openProfiles(env) });
}
