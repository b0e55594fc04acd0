import { string } from '@oclif/core/args';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { describeLock } from '../../store/lock-probe.js';

export default class LedgerLockProbe extends BaseCommand {
  static override summary = 'Test a lock of another paydesk process; for internal use.';
  static override hidden = true;
  static override args = { file: string({ required: true, ignoreStdin: true }) };

  async run(): Promise<string> {
    const { args } = await this.parse(LedgerLockProbe);
    return this.show(describeLock(args.file), (found) => [found]);
  }
}
