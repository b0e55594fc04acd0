import { string } from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { completionScripts, installLines, type Shell, shells } from '../../cli/completion/scripts.js';

export default class Completion extends BaseCommand {
  static override summary =
    'Print what makes a shell complete commands, flags, profiles, states and payments.';
  static override description =
    'Put it where the shell reads it at its start. Payments and profiles come from this desk: nothing is asked of the ' +
    'service.';
  static override examples = Object.values(installLines).map((line) =>
    line.replace('paydesk', '<%= config.bin %>'),
  );
  static override args = {
    shell: string({ required: true, options: [...shells], description: 'bash, zsh or fish.' }),
  };

  async run(): Promise<{ shell: Shell; script: string; install: string }> {
    const { args } = await this.parse(Completion);
    const shell = args.shell as Shell;
    const script = completionScripts[shell];
    this.printExact(script);
    return { shell, script, install: installLines[shell] };
  }
}
