import { BaseCommand } from '../../../cli/runtime/base-command.js';
import { custom } from '@oclif/core/args';
import { parseNumericId } from '../../../typed-values.js';
import { clearedView } from '../../../output/views/sandbox.js';
import { openSandbox, sandboxFlags } from '../../../cli/desk/sandbox.js';

export default class SandboxFaultClear extends BaseCommand {
  static override summary = 'Remove one fault or all of them.';
  static override examples = [
    '<%= config.bin %> sandbox fault clear',
    '<%= config.bin %> sandbox fault clear 3',
  ];
  static override args = {
    id: custom<number>({ parse: async (text) => parseNumericId(text) })({
      description: 'ID as shown by sandbox fault list (default: all).',
    }),
  };
  static override flags = sandboxFlags;

  async run(): Promise<{ cleared: number }> {
    const { args, flags } = await this.parse(SandboxFaultClear);
    const sandbox = await openSandbox(this.context, flags);
    return this.show({ cleared: await sandbox.clearFaults(args.id) }, clearedView);
  }
}
