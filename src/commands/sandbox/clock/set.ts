import { BaseCommand } from '../../../cli/runtime/base-command.js';
import { custom } from '@oclif/core/args';
import { clockView } from '../../../output/views/sandbox.js';
import type { ClockTime } from '../../../sandbox/index.js';
import { parseClockInstant } from '../../../cli/flags/sandbox-flags.js';
import { openSandbox, sandboxFlags } from '../../../cli/desk/sandbox.js';

export default class SandboxClockSet extends BaseCommand {
  static override summary = 'Set the clock to a time in the future.';
  static override examples = [
    '<%= config.bin %> sandbox clock set 2027-01-01T00:00:00Z',
    '<%= config.bin %> sandbox clock set 2027-03-01',
  ];
  static override args = {
    instant: custom<Date>({ parse: async (text) => parseClockInstant(text) })({
      required: true,
      description: 'ISO time; the clock cannot go back.',
    }),
  };
  static override flags = sandboxFlags;

  async run(): Promise<ClockTime> {
    const { args, flags } = await this.parse(SandboxClockSet);
    const sandbox = await openSandbox(this.context, flags);
    const value = args.instant.getTime();
    return this.show(await sandbox.changeClock({ action: 'set', value }), clockView);
  }
}
