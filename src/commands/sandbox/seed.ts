import { BaseCommand } from '../../cli/runtime/base-command.js';
import { listFlagsFor } from '../../cli/flags/flags.js';
import { rememberSeeded } from '../../cli/desk/remember-seeded.js';
import { openSandbox, sandboxFlags } from '../../cli/desk/sandbox.js';
import { nextLines } from '../../output/report.js';
import { type Seeded, seededLine, seededList, seededNext } from '../../output/views/seeded.js';

export default class SandboxSeed extends BaseCommand {
  static override summary = 'Add sample payments in every state.';
  static override description = 'They become known payments, so `payments list` shows them.';
  static override examples = [
    '<%= config.bin %> sandbox seed',
    '<%= config.bin %> sandbox seed --port 4010 --json',
  ];
  static override flags = { ...sandboxFlags, ...listFlagsFor(seededList) };

  async run(): Promise<Seeded> {
    const { flags } = await this.parse(SandboxSeed);
    const sandbox = await openSandbox(this.context, flags);
    const seeded = await sandbox.seed();
    const payments = seeded.filter(({ added }) => added).length;
    const { generation } = await sandbox.status();
    const isKnown = await rememberSeeded(this.streams.env, generation, seeded);
    if (!isKnown)
      this.note(
        'paydesk could not open its ledger, so these payments are not in its list of known payments.',
      );
    const isPlain = !flags.csv && this.streams.stdout.terminal;
    if (isPlain) this.print(seededLine(payments), '');
    await this.showList(seeded, seededList);
    if (isPlain) this.print('', ...nextLines(seededNext));
    return { payments, seeded, next: seededNext };
  }
}
