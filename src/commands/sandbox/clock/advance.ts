import { BaseCommand } from '../../../cli/runtime/base-command.js';
import { custom } from '@oclif/core/args';
import { parseDuration } from '../../../typed-values.js';
import { clockView } from '../../../output/views/sandbox.js';
import type { ClockTime } from '../../../sandbox/index.js';
import { openSandbox, sandboxFlags } from '../../../cli/desk/sandbox.js';

export default class SandboxClockAdvance extends BaseCommand {
  static override summary = 'Advance the clock by a duration.';
  static override description =
    'Everything due until then happens in order, and its webhooks are sent before the command returns.';
  static override examples = [
    '<%= config.bin %> sandbox clock advance 30s',
    '<%= config.bin %> sandbox clock advance 7d',
  ];
  static override args = {
    duration: custom<number>({ parse: async (text) => parseDuration(text) })({
      required: true,
      description: 'Duration, for example 30s, 5m, 24h or 7d.',
    }),
  };
  static override flags = sandboxFlags;

  async run(): Promise<ClockTime> {
    const { args, flags } = await this.parse(SandboxClockAdvance);
    const sandbox = await openSandbox(this.context, flags);
    return this.show(await sandbox.changeClock({ action: 'advance', value: args.duration }), clockView);
  }
}
