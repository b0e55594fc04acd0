import { paydesk } from '../../next-command.js';
import { string } from '@oclif/core/args';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { profileSettingFlags, settingsOf, tlsFilesOf } from '../../cli/flags/profile-flags.js';
import { UsageError } from '../../errors.js';
import { setView } from '../../output/views/profiles.js';
import { openProfiles } from '../../profiles/store.js';
import { readTlsFiles } from '../../profiles/tls-files.js';
import { summarise, type ProfileSummary } from '../../profiles/summary.js';

export default class ProfilesSet extends BaseCommand {
  static override summary = 'Change the settings of a profile.';
  static override description =
    'The quiet period is how long your service may take to show what it did. paydesk sends nothing again before it ' +
    'has passed, so it must be longer than the longest delay of your service. With --read-only, every command that ' +
    'would change something at the service is refused. --ca-file "" and the like remove a file again.';
  static override examples = [
    '<%= config.bin %> profiles set shop-eu --quiet-period 30m',
    '<%= config.bin %> profiles set shop-eu --read-only',
    '<%= config.bin %> profiles set shop-eu --client-cert desk.pem --client-key desk.key',
  ];
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
        next: [paydesk('profiles', 'set', args.name, '--quiet-period', '10m')],
      });
    }
    // Files that cannot be used are refused now rather than by the next command.
    await readTlsFiles(tlsFilesOf(flags, profiles.get(args.name).tls));
    const profile = await profiles.set(args.name, settingsOf(flags));
    return this.show(summarise(profiles, profile), setView);
  }
}
