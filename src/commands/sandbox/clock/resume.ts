import { clockView } from '../../../output/views/sandbox.js';
import type { ClockTime } from '../../../sandbox-control/remote.js';
import { SandboxCommand } from '../../../cli/sandbox-command.js';

export default class SandboxClockResume extends SandboxCommand {
  static override summary = 'Let the clock run again from where it stopped.';
  static override examples = [
    '<%= config.bin %> sandbox clock resume',
    '<%= config.bin %> sandbox clock resume --port 4010 --json',
  ];

  async run(): Promise<ClockTime> {
    const { flags } = await this.parse(SandboxClockResume);
    const sandbox = await this.sandbox(flags);
    return this.show(await sandbox.changeClock({ action: 'resume' }), clockView);
  }
}
