import { BaseCommand } from '../../../cli/runtime/base-command.js';
import { clockView } from '../../../output/views/sandbox.js';
import type { ClockTime } from '../../../sandbox/index.js';
import { openSandbox, sandboxFlags } from '../../../cli/desk/sandbox.js';

export default class SandboxClockStop extends BaseCommand {
  static override summary = 'Stop the clock, so that nothing becomes due.';
  static override examples = [
    '<%= config.bin %> sandbox clock stop',
    '<%= config.bin %> sandbox clock stop --port 4010 --json',
  ];
  static override flags = sandboxFlags;

  async run(): Promise<ClockTime> {
    const { flags } = await this.parse(SandboxClockStop);
    const sandbox = await openSandbox(this.context, flags);
    return this.show(await sandbox.changeClock({ action: 'stop' }), clockView);
  }
}
