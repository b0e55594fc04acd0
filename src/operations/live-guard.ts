import { GuardError, InterruptedError } from '../errors.js';
import type { ResolvedProfile } from '../profiles/resolve.js';

export type GuardedProfile = Pick<ResolvedProfile, 'name' | 'appId' | 'kind'>;

/** What a person types to confirm on a live app: the App ID, or the amount of a refund. */
export interface Typed {
  what: string;
  expected: string;
}

export interface LiveGuard {
  profile: GuardedProfile;
  /** `--confirm` as given. */
  confirm: string | undefined;
  /** Has a person type something; undefined where nobody can be asked. */
  ask: ((message: string) => Promise<string>) | undefined;
}

/**
 * Passes when the profile is not live, when `--confirm` names its App ID, or when a person types what is expected.
 * A `--confirm` for another app is refused on any profile: it was meant for something else.
 */
export async function confirmLive(
  { profile, confirm, ask }: LiveGuard,
  typed: Typed = { what: 'App ID', expected: profile.appId },
): Promise<void> {
  const { appId, kind } = profile;
  if (confirm !== undefined) {
    if (confirm === appId) return;
    throw new GuardError(
      `--confirm ${confirm} is not the App ID of the profile, which is ${appId}. Nothing was sent.`,
      { code: 'confirmation-differs', next: ['paydesk whoami'] },
    );
  }
  if (kind !== 'live') return;
  if (ask === undefined) {
    throw new GuardError(`This changes a live app and was not confirmed. Nothing was sent.`, {
      code: 'confirmation-missing',
      details: `Add --confirm ${appId} when that is meant.`,
      next: ['paydesk whoami'],
    });
  }
  const answer = await ask(`Type the ${typed.what} to confirm:`);
  if (answer.trim() === typed.expected) return;
  throw new InterruptedError(`That is not the ${typed.what}. Nothing was sent.`, { code: 'declined' });
}
