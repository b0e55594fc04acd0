import { BaseCommand } from '../../../cli/runtime/base-command.js';
import { clockView } from '../../../output/views/sandbox.js';
import type { ClockTime } from '../../../sandbox/index.js';
import { openSandbox, sandboxFlags } from '../../../cli/desk/sandbox.js';

export default class SandboxClockShow extends BaseCommand {
  static override summary = 'Show the clock of the sandbox.';
  static override examples = [
    '<%= config.bin %> sandbox clock show',
    '<%= config.bin %> sandbox clock show --jq .now',
  ];
  static override flags = sandboxFlags;

  async run(): Promise<ClockTime> {
    const { flags } = await this.parse(SandboxClockShow);
    const sandbox = await openSandbox(this.context, flags);
    return this.show(await sandbox.clock(), clockView);
  }
}
