import { string } from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { profileSettingFlags } from '../../cli/profile-flags.js';
import { UsageError } from '../../errors.js';
import { setView } from '../../output/views/profiles.js';
import { openProfiles } from '../../profiles/store.js';
import { summarise, type ProfileSummary } from '../../profiles/summary.js';

export default class ProfilesSet extends BaseCommand {
  static override summary = 'Change the settings of a profile.';
  static override description =
    'The quiet period is how long your service may take to show what it did. paydesk sends nothing again before it ' +
    'has passed, so it must be longer than the longest delay of your service.';
  static override examples = ['<%= config.bin %> profiles set shop-eu --quiet-period 30m'];
  static override args = { name: string({ required: true, description: 'Profile to change.' }) };
  static override flags = profileSettingFlags;

  async run(): Promise<ProfileSummary> {
    const { args, flags } = await this.parse(ProfilesSet);
    this.sent.assumeSome();
    const profiles = openProfiles(this.streams.env);
    const given = Object.keys(profileSettingFlags).filter((name) => name in flags);
    if (given.length === 0) {
      throw new UsageError('Nothing to change: give at least one setting.', {
        code: 'nothing-to-set',
        next: [`paydesk profiles set ${args.name} --quiet-period 10m`],
      });
    }
    const profile = await profiles.set(args.name, { quietMs: flags['quiet-period'] });
    return this.show(summarise(profiles, profile), setView);
  }
}
