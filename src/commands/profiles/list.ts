import { BaseCommand } from '../../cli/runtime/base-command.js';
import { listFlagsFor } from '../../cli/flags/flags.js';
import { profileList } from '../../output/views/profiles.js';
import { openProfiles } from '../../profiles/store.js';
import { summarise, type ProfileSummary } from '../../profiles/summary.js';

export default class ProfilesList extends BaseCommand {
  static override summary = 'List the profiles and show the default.';
  static override examples = [
    '<%= config.bin %> profiles list',
    '<%= config.bin %> profiles list --columns name,kind',
  ];
  static override flags = listFlagsFor(profileList);

  async run(): Promise<readonly ProfileSummary[]> {
    await this.parse(ProfilesList);
    const profiles = openProfiles(this.streams.env);
    const summaries = profiles.list().map((profile) => summarise(profiles, profile));
    return await this.showList(summaries, profileList);
  }
}
