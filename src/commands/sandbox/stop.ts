import { BaseCommand } from '../../cli/runtime/base-command.js';
import { stoppedView, type StoppedSandbox } from '../../output/views/sandbox.js';
import { notStopped, stopAndWait } from '../../sandbox-control/stop.js';
import { runningSandboxes, sandboxFlags } from '../../cli/desk/sandbox.js';

export default class SandboxStop extends BaseCommand {
  static override summary = 'Stop the running sandbox.';
  static override examples = ['<%= config.bin %> sandbox stop', '<%= config.bin %> sandbox stop --port 4010'];
  static override flags = sandboxFlags;

  async run(): Promise<StoppedSandbox> {
    const { flags } = await this.parse(SandboxStop);
    this.sent.assumeSome();
    const [run] = await runningSandboxes(this.context, flags.port);
    if (run && !run.answers) throw notStopped(run);
    if (run) await stopAndWait(run, this.signal);
    const result = run
      ? { stopped: true, url: run.url, pid: run.pid, database: run.database }
      : { stopped: false };
    if (!run) this.note('No sandbox was running.');
    return this.show(result, stoppedView);
  }
}
