import { BaseCommand } from '../../cli/base-command.js';
import { resetView } from '../../output/views/sandbox.js';
import { confirmReset } from '../../sandbox-control/ask.js';
import { openSandbox, sandboxFlags } from '../../cli/sandbox.js';

export default class SandboxReset extends BaseCommand {
  static override summary = 'Delete everything in the sandbox except its two apps.';
  static override description =
    'The apps keep their IDs and keys. Asks first on a terminal, but not in a script.';
  static override examples = [
    '<%= config.bin %> sandbox reset',
    '<%= config.bin %> sandbox reset --no-input && <%= config.bin %> sandbox seed',
  ];
  static override flags = sandboxFlags;

  async run(): Promise<{ reset: true; payments: number }> {
    const { flags } = await this.parse(SandboxReset);
    const sandbox = await openSandbox(this.context, flags);
    const { payments } = await sandbox.status();
    if (this.interactive) {
      await confirmReset(sandbox.run, payments, {
        note: (text) => this.note(text),
        prompts: this.prompts(),
      });
    }
    await sandbox.reset();
    return this.show({ reset: true, payments }, resetView);
  }
}
