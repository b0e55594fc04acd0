import { string } from '@oclif/core/args';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { listFlagsFor } from '../../cli/flags/flags.js';
import { factsOfProfile, profileFacts } from '../../output/views/profiles.js';
import { openProfiles } from '../../profiles/store.js';
import { summarise, type ProfileSummary } from '../../profiles/summary.js';

export default class ProfilesShow extends BaseCommand {
  static override summary = 'Show a profile and where its key is stored.';
  static override examples = ['<%= config.bin %> profiles show shop-eu'];
  static override args = { name: string({ required: true, description: 'Profile to show.' }) };
  static override flags = listFlagsFor(profileFacts);

  async run(): Promise<ProfileSummary> {
    const { args } = await this.parse(ProfilesShow);
    const profiles = openProfiles(this.streams.env);
    const summary = summarise(profiles, profiles.get(args.name));
    await this.showList(factsOfProfile(summary), profileFacts);
    return summary;
  }
}
