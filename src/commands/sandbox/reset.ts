import { resetView } from '../../output/views/sandbox.js';
import { textAt } from '../../output/values.js';
import { confirmReset } from '../../sandbox-control/ask.js';
import { SandboxCommand } from '../../cli/sandbox-command.js';

export default class SandboxReset extends SandboxCommand {
  static override summary = 'Empty the sandbox: back to its two apps, with the same ids and keys.';
  static override description =
    'On a terminal it asks first. In a script it does not: what is in a sandbox is there to be thrown away.';
  static override examples = [
    '<%= config.bin %> sandbox reset',
    '<%= config.bin %> sandbox reset --no-input && <%= config.bin %> sandbox seed',
  ];

  async run(): Promise<{ reset: true; payments: number }> {
    const { flags } = await this.parse(SandboxReset);
    const sandbox = await this.sandbox(flags);
    const { payments } = await sandbox.status();
    if (this.interactive) {
      await confirmReset(sandbox.run, textAt(payments), {
        note: (text) => this.note(text),
        prompts: this.promptContext,
      });
    }
    await sandbox.reset();
    return this.show({ reset: true, payments: Number(payments) }, resetView);
  }
}
