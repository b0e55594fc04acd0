import { custom } from '@oclif/core/args';
import { parseDuration } from '../../../typed-values.js';
import { clockView } from '../../../output/views/sandbox.js';
import type { ClockTime } from '../../../sandbox-control/remote.js';
import { SandboxCommand } from '../../../cli/sandbox-command.js';

export default class SandboxClockAdvance extends SandboxCommand {
  static override summary = 'Advance the clock; everything due until then happens, in order.';
  static override description =
    'When the command returns, the webhooks of all that happened on the way have left.';
  static override examples = [
    '<%= config.bin %> sandbox clock advance 30s',
    '<%= config.bin %> sandbox clock advance 7d',
  ];
  static override args = {
    duration: custom<number>({ parse: async (text) => parseDuration(text) })({
      required: true,
      description: 'By how much: 30s, 5m, 24h, 7d.',
    }),
  };

  async run(): Promise<ClockTime> {
    const { args, flags } = await this.parse(SandboxClockAdvance);
    const sandbox = await this.sandbox(flags);
    return this.show(await sandbox.changeClock({ action: 'advance', value: args.duration }), clockView);
  }
}
