import { clockView } from '../../../output/views/sandbox.js';
import type { ClockTime } from '../../../sandbox-control/remote.js';
import { SandboxCommand } from '../../../cli/sandbox-command.js';

export default class SandboxClockStop extends SandboxCommand {
  static override summary = 'Stop the clock, so that nothing becomes due.';
  static override examples = [
    '<%= config.bin %> sandbox clock stop',
    '<%= config.bin %> sandbox clock stop --port 4010 --json',
  ];

  async run(): Promise<ClockTime> {
    const { flags } = await this.parse(SandboxClockStop);
    const sandbox = await this.sandbox(flags);
    return this.show(await sandbox.changeClock({ action: 'stop' }), clockView);
  }
}
