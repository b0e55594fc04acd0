import { BaseCommand } from '../../cli/runtime/base-command.js';
import { guardCommand } from '../../sandbox-control/exec.js';

export default class SandboxExecGuard extends BaseCommand {
  static override summary = 'End a command that lost its sandbox; for internal use.';
  static override hidden = true;

  async run(): Promise<void> {
    await this.parse(SandboxExecGuard);
    // Typed by a person, there is no command to guard.
    if (!this.streams.stdinIsTerminal) await guardCommand(this.streams.stdin);
  }
}
