import { BaseCommand } from '../../../cli/runtime/base-command.js';
import { clockView } from '../../../output/views/sandbox.js';
import type { ClockTime } from '../../../sandbox/index.js';
import { openSandbox, sandboxFlags } from '../../../cli/desk/sandbox.js';

export default class SandboxClockResume extends BaseCommand {
  static override summary = 'Let the clock run again from where it stopped.';
  static override examples = [
    '<%= config.bin %> sandbox clock resume',
    '<%= config.bin %> sandbox clock resume --port 4010 --json',
  ];
  static override flags = sandboxFlags;

  async run(): Promise<ClockTime> {
    const { flags } = await this.parse(SandboxClockResume);
    const sandbox = await openSandbox(this.context, flags);
    return this.show(await sandbox.changeClock({ action: 'resume' }), clockView);
  }
}
