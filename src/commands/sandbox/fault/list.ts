import { BaseCommand } from '../../../cli/runtime/base-command.js';
import { listFlagsFor } from '../../../cli/flags/flags.js';
import { faultList } from '../../../output/views/sandbox-lists.js';
import type { Fault } from '../../../sandbox/index.js';
import { openSandbox, sandboxFlags } from '../../../cli/desk/sandbox.js';

export default class SandboxFaultList extends BaseCommand {
  static override summary = 'List the faults that are set in the sandbox.';
  static override examples = [
    '<%= config.bin %> sandbox fault list',
    '<%= config.bin %> sandbox fault list --json',
  ];
  static override flags = { ...sandboxFlags, ...listFlagsFor(faultList) };

  async run(): Promise<readonly Fault[]> {
    const { flags } = await this.parse(SandboxFaultList);
    const sandbox = await openSandbox(this.context, flags);
    return this.showList(await sandbox.faults(), faultList);
  }
}
