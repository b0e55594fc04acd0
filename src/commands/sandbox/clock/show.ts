import { clockView } from '../../../output/views/sandbox.js';
import type { ClockTime } from '../../../sandbox-control/remote.js';
import { SandboxCommand } from '../../../cli/sandbox-command.js';

export default class SandboxClockShow extends SandboxCommand {
  static override summary = 'Show the clock of the sandbox.';
  static override examples = [
    '<%= config.bin %> sandbox clock show',
    '<%= config.bin %> sandbox clock show --jq .now',
  ];

  async run(): Promise<ClockTime> {
    const { flags } = await this.parse(SandboxClockShow);
    const sandbox = await this.sandbox(flags);
    return this.show(await sandbox.clock(), clockView);
  }
}
