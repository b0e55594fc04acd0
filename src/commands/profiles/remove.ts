import { string } from '@oclif/core/args';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { removedView, type RemovedProfile } from '../../output/views/profiles.js';
import { openProfiles } from '../../profiles/store.js';

export default class ProfilesRemove extends BaseCommand {
  static override summary = 'Remove a profile and its key from this machine.';
  static override examples = ['<%= config.bin %> profiles remove shop-eu'];
  static override args = { name: string({ required: true, description: 'Profile to remove.' }) };

  async run(): Promise<RemovedProfile> {
    const { args } = await this.parse(ProfilesRemove);
    this.sent.assumeSome();
    const profiles = openProfiles(this.streams.env);
    const { wasDefault, keyLeft } = await profiles.remove(args.name);
    if (keyLeft !== undefined)
      this.note(
        `The profile was removed, but its API key could not be deleted and is still in the ${keyLeft}.`,
      );
    const result = { removed: args.name, wasDefault, default: profiles.defaultName() ?? null };
    return this.show(keyLeft === undefined ? result : { ...result, keyLeft }, removedView);
  }
}
