import { paydesk } from '../next-command.js';
import { UsageError } from '../errors.js';
import type { AppChange } from './remote.js';

/** What the flags of `sandbox apps set` say. */
interface AppFlags {
  'webhook-url'?: string | undefined;
  'no-webhook'?: boolean;
  blocked?: boolean | undefined;
  'fraud-policy'?: number | undefined;
  'no-fraud-policy'?: boolean;
  'provider-profile'?: number | undefined;
  active?: boolean | undefined;
  window?: number | undefined;
  'answer-delay'?: number | undefined;
}

const next = [paydesk('sandbox', 'apps', 'set', '--help')];

/** The change that was asked for; none at all is a slip. */
export function appChange(flags: AppFlags): AppChange {
  const profileId = flags['provider-profile'];
  const profile = { isActive: flags.active, windowMs: flags.window, delayMs: flags['answer-delay'] };
  if (profileId !== undefined && isEmpty(profile)) {
    throw new UsageError(
      '--provider-profile needs at least one of --[no-]active, --window and --answer-delay. Nothing was ' +
        'changed.',
      {
        code: 'usage',
        next,
      },
    );
  }
  const change: AppChange = {
    webhookUrl: flags['no-webhook'] ? null : flags['webhook-url'],
    isBlocked: flags.blocked,
    fraudPolicyId: flags['no-fraud-policy'] ? null : flags['fraud-policy'],
    ...(profileId !== undefined && { profile: { paymentProfileId: profileId, ...profile } }),
  };
  if (isEmpty(change))
    throw new UsageError('Nothing to change: use at least one option.', { code: 'usage', next });
  return change;
}

const isEmpty = (change: object): boolean => Object.values(change).every((value) => value === undefined);
