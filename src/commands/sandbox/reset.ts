import { BaseCommand } from '../../cli/runtime/base-command.js';
import { counted } from '../../contract/amount-format.js';
import { InterruptedError } from '../../errors.js';
import { resetView } from '../../output/views/sandbox.js';
import { openSandbox, sandboxFlags } from '../../cli/desk/sandbox.js';

export default class SandboxReset extends BaseCommand {
  static override summary = 'Delete everything in the sandbox except its two apps.';
  static override description =
    'The apps keep their IDs and keys. The clock goes back to the time given to sandbox start --clock and stops there; ' +
    'without --clock, it runs with the real time. Asks first on a terminal, but not in a script.';
  static override examples = [
    '<%= config.bin %> sandbox reset',
    '<%= config.bin %> sandbox reset --no-input && <%= config.bin %> sandbox seed',
  ];
  static override flags = sandboxFlags;

  async run(): Promise<{ reset: true; payments: number }> {
    const { flags } = await this.parse(SandboxReset);
    const sandbox = await openSandbox(this.context, flags);
    const { payments } = await sandbox.status();
    if (this.interactive) await this.#confirm(sandbox.run.url, payments);
    await sandbox.reset();
    return this.show({ reset: true, payments }, resetView);
  }

  /** Everything in it is lost: somebody at a terminal may have meant another sandbox. */
  async #confirm(url: string, payments: number): Promise<void> {
    const { confirm } = await import('../../prompts.js');
    this.note(`${counted(payments, 'payment')} will be deleted.`, url);
    if (await confirm({ message: 'Delete everything in it?', default: false }, this.prompts())) return;
    throw new InterruptedError('Nothing was changed.', { code: 'declined' });
  }
}
