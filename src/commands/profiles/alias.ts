import { string } from '@oclif/core/args';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { aliasesView } from '../../output/views/profiles.js';
import { parseAliases } from '../../profiles/aliases.js';
import { openProfiles } from '../../profiles/store.js';
import { summarise, type ProfileSummary } from '../../profiles/summary.js';

export default class ProfilesAlias extends BaseCommand {
  static override summary = "Map the service's state names to paydesk's.";
  static override description =
    'Without pairs it lists the aliases. To remove an alias, leave out what follows the equals sign.';
  static override examples = [
    '<%= config.bin %> profiles alias shop-eu OnHold=Held Authorized=Authorised',
    '<%= config.bin %> profiles alias shop-eu OnHold=',
  ];
  static override args = {
    name: string({ required: true, description: 'Profile to change.' }),
    aliases: string({ multiple: true, description: 'THEIRS=OURS, for example OnHold=Held.' }),
  };

  async run(): Promise<ProfileSummary> {
    const { args } = await this.parse(ProfilesAlias);
    this.sent.assumeSome();
    const changes = parseAliases(args.aliases ?? []);
    const profiles = openProfiles(this.streams.env);
    const changed = Object.keys(changes).length > 0;
    const profile = changed ? await profiles.alias(args.name, changes) : profiles.get(args.name);
    return this.show(summarise(profiles, profile), aliasesView);
  }
}
