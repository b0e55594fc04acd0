import { string } from '@oclif/core/args';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { usedView } from '../../output/views/profiles.js';
import { openProfiles } from '../../profiles/store.js';
import { summarise, type ProfileSummary } from '../../profiles/summary.js';

export default class ProfilesUse extends BaseCommand {
  static override summary = 'Make a profile the default.';
  static override examples = ['<%= config.bin %> profiles use shop-eu'];
  static override args = { name: string({ required: true, description: 'Profile to use.' }) };

  async run(): Promise<ProfileSummary> {
    const { args } = await this.parse(ProfilesUse);
    this.sent.assumeSome();
    const profiles = openProfiles(this.streams.env);
    const profile = await profiles.use(args.name);
    return this.show(summarise(profiles, profile), usedView);
  }
}
