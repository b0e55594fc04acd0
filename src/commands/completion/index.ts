import { string } from '@oclif/core/args';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { completionScripts, installLine, type Shell, shells } from '../../cli/completion/scripts.js';

export default class Completion extends BaseCommand {
  static override summary = 'Print a shell completion script.';
  static override description =
    'Load it when your shell starts. Payments and profiles come from this machine.';
  static override examples = shells.map((shell) => installLine(shell, '<%= config.bin %>'));
  static override args = {
    shell: string({ required: true, options: [...shells], description: 'bash, zsh or fish.' }),
  };

  async run(): Promise<{ shell: Shell; script: string; install: string }> {
    const { args } = await this.parse(Completion);
    const shell = args.shell as Shell;
    const script = completionScripts[shell];
    this.printExact(script);
    return { shell, script, install: installLine(shell, this.config.bin) };
  }
}
