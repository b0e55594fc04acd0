import { BaseCommand } from '../cli/runtime/base-command.js';
import { chosenProfile } from '../cli/desk/chosen-profile.js';
import { listFlagsFor } from '../cli/flags/flags.js';
import { factsOfIdentity, identityFacts, shadowedNotes } from '../output/views/profiles.js';
import { identify, type Identity } from '../profiles/identity.js';

export default class Whoami extends BaseCommand {
  static override summary = 'Show which app commands use, and why.';
  static override description =
    'Sends nothing. --profile comes first, then the environment, then the default profile.';
  static override examples = [
    '<%= config.bin %> whoami',
    '<%= config.bin %> whoami --profile shop-eu --json',
  ];
  static override flags = listFlagsFor(identityFacts);

  async run(): Promise<Identity> {
    await this.parse(Whoami);
    const { env } = this.streams;
    const profile = chosenProfile(this.context);
    const { identity, problem } = await identify(profile, env);
    if (problem !== undefined) this.endAs(problem);
    await this.showList(factsOfIdentity(identity), identityFacts);
    this.note(...shadowedNotes(identity));
    return identity;
  }
}
